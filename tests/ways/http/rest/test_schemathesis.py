"""The REST API against its own description, by schemathesis: nothing that it may be sent breaks it,
and every answer is one that is described.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from recollect.ways.http.rest.desk import OPENAPI
from recollect.ways.http.rest.table import routes
from tests.ways.http.process import serving

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
COMMAND = Path(sys.executable).parent / "schemathesis"
# Of values at the bounds of their types there are some two thousand, and of chance as many more as
# there is time for.
SECONDS = 40


def test_nothing_that_may_be_sent_breaks_it(recollect, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECOLLECT_DURABILITY", "normal")
    secret = recollect("keys", "create", "one", "--role", "admin", "--json").json["secret"]
    with serving() as server:
        done = subprocess.run(
            [
                *(COMMAND, "run", server.url + OPENAPI, "-H", f"Authorization: Bearer {secret}"),
                *("--checks", ",".join(CHECKS), "--phases", "coverage,fuzzing"),
                *("--max-examples", "3", "--max-time", str(SECONDS), "--seed", "1"),
                *("--continue-on-failure", "--no-color", "--warnings", "off"),
            ],
            capture_output=True,
            text=True,
            timeout=SECONDS * 4,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        # It was all of them that were tried, and the server is as it was.
        assert f"Tested: {len(routes()) + 1}" in done.stdout, done.stdout[-3000:]
        assert server.end()[0] == 0
