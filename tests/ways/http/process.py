"""`recollect serve --http` as a person starts it, on a port that is free."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = (sys.executable, "-m", "recollect", "serve", "--http")


class Serving:
    """One server, and where it is."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self.running = running
        assert running.stdout is not None
        first = running.stdout.readline()
        found = re.search(r"http://\S+(?=/mcp)", first)
        assert found, first + (running.stderr.read() if running.stderr else "")
        self.url = found[0]
        self.port = int(self.url.rpartition(":")[2])

    def call(self, name: str, /, secret: str | None = None, **arguments: Any) -> Any:
        """What calling a tool answers, whole."""
        params = {"name": name, "arguments": arguments}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self.post("/", asked, secret)[1]

    def post(self, path: str, document: Any, secret: str | None = None) -> tuple[int, Any]:
        """Send JSON; the status and the JSON that come back."""
        said = {"Content-Type": "application/json"}
        if secret is not None:
            said["Authorization"] = f"Bearer {secret}"
        request = urllib.request.Request(
            self.url + path, json.dumps(document).encode(), headers=said
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def end(self) -> tuple[int, str]:
        """Ask it to end, and wait. Answers the exit code and what was complained of."""
        self.running.terminate()
        _, said = self.running.communicate(timeout=30)
        return self.running.returncode, said


@contextmanager
def serving(*options: str, at: str = "0") -> Iterator[Serving]:
    """A server that ends with the block, if it has not ended by then."""
    with subprocess.Popen(
        [*COMMAND, at, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            yield Serving(running)
        finally:
            running.kill()
