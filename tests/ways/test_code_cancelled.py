"""Whoever waits no longer for an index ends it, by every way in; the next run goes on with it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from itertools import count

import pytest

from tests.ways.http.process import serving as serving_http
from tests.ways.mcp.process import HELLO, READY, request, serving

META = "io.modelcontextprotocol/"
MODERN = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
FILES = 400
# More often than this nobody asks how far it is; each time is a call.
_PATIENCE = 5_000


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that takes some seconds."""
    made = tmp_path / "atlas"
    made.mkdir()
    for number in range(FILES):
        jobs = "".join(
            f"def job_{number}_{n}(x):\n    return job_{n}(x + {n})\n\n\n" for n in range(25)
        )
        (made / f"m{number:03}.py").write_text(jobs)
    monkeypatch.setenv("RECOLLECT_ROOTS", str(made))
    return made


def tool(name, id_, meta=None, **arguments):
    params = {"name": name, "arguments": arguments}
    return request("tools/call", params if meta is None else {**params, "_meta": meta}, id_)


def resumed(ask, project):
    """Have it indexed once more, and look that it was gone on with."""
    state = ended(ask)
    assert state["status"] == "failed"
    assert state["error"] == "It was cancelled. Index again to go on with what is left."
    assert 0 < state["indexed_files"] < FILES
    rest = ask("index_project", path=str(project))
    assert 0 < rest["files_indexed"] <= FILES - state["indexed_files"] + 200
    state = ask("get_index_status", project_id="atlas")
    assert (state["status"], state["indexed_files"]) == ("completed", FILES)
    assert ask("search_code", query="job_399_7", limit=1)["results"][0]["name"] == "job_399_7"


def ended(ask):
    for _ in range(_PATIENCE):
        state = ask("get_index_status", project_id="atlas")
        if state["status"] not in {"pending", "indexing"}:
            return state
    raise AssertionError(state)


@pytest.mark.parametrize("meta", [None, MODERN], ids=["legacy", "modern"])
def test_a_client_that_cancels_over_standard_input_ends_the_run(project, meta):
    numbers = count(10)
    with serving() as server:
        if meta is None:
            server.ask(HELLO)
            server.send(READY)
        server.send(
            tool("index_project", 5, {**(meta or {}), "progressToken": "t"}, path=str(project))
        )
        while "progress" not in (heard := server.hear()).get("params", {}):
            assert heard["method"].startswith("notifications/"), heard
        assert heard["params"]["progress"] < heard["params"]["total"] == FILES
        gone = {"requestId": 5, "reason": "no longer needed"}
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone})

        def ask(name, **arguments):
            server.send(tool(name, next(numbers), meta, **arguments))
            while "id" not in (said := server.hear()):
                pass
            assert said["id"] != 5
            return said["result"]["structuredContent"]

        resumed(ask, project)
        assert server.end()[0] == 0


def test_a_client_that_leaves_over_http_ends_the_run(project):
    with serving_http() as server:

        def ask(name, **arguments):
            return server.call(name, **arguments)["result"]["structuredContent"]

        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        body = json.dumps(tool("index_project", 1, path=str(project)))
        connection.request("POST", "/mcp", body, {"Content-Type": "application/json"})
        for _ in range(_PATIENCE):
            if ask("list_projects")["count"]:
                break
        connection.close()
        resumed(ask, project)
        server.end()


def test_ctrl_c_ends_the_command_and_the_next_one_goes_on(project, recollect):
    command = [sys.executable, "-m", "recollect", "index", str(project)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        for _ in range(_PATIENCE):
            state = recollect("projects", "atlas", "--json")
            if state.code == 0 and state.json["indexed_files"]:
                break
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    assert "Traceback" not in err
    said = recollect("projects", "atlas").out
    assert "failed" in said
    assert "It was cancelled. Index again to go on with what is left." in said
    assert recollect("index", str(project)).code == 0
    assert recollect("projects", "atlas", "--json").json["status"] == "completed"
