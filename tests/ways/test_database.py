"""MEMBRIA_GRAPH_URL: what becomes of a memory that a database server is to keep."""

from __future__ import annotations

import pytest

from recollect.config import load
from recollect.errors import InvalidRequest
from tests.ways.http import process as http
from tests.ways.mcp.process import request, talking

URL = "postgresql://ann:open-sesame@db.example/memory"
CAPTURE = {"statement": "Use one pool for all", "alternatives": ["a pool each"], "confidence": 0.8}
OF = ("--contracts", "membria")


@pytest.fixture
def elsewhere(monkeypatch):
    monkeypatch.setenv("MEMBRIA_GRAPH_URL", URL)
    return monkeypatch


def asked(process, tool, **arguments):
    params = {"name": f"membria.{tool}", "arguments": arguments}
    return process.ask(request("tools/call", params))


def test_captures_wait_and_all_else_says_that_there_is_no_graph(elsewhere, tmp_path):
    with talking(*OF) as process:
        new = asked(process, "capture_decision", **CAPTURE)["result"]["structuredContent"]
        assert (new["queued"], new["status"]) == (True, "pending")
        for tool, arguments in (
            ("get_decision", {"decision_id": new["decision_id"]}),
            ("get_decision_context", {"statement": "Use one pool for all"}),
            ("get_calibration", {}),
            ("get_all_calibrations", {}),
            ("get_skills", {"domain": "database"}),
        ):
            error = asked(process, tool, **arguments)["error"]
            assert (error["code"], error["message"]) == (-32001, "Graph unavailable")
            assert error["data"]["retry_after"] > 0
            assert "MEMBRIA_GRAPH_URL" in error["data"]["problem"]
        read = process.ask(request("resources/read", {"uri": "membria://decisions/all"}))
        assert read["error"]["code"] == -32001
        # What was wrong with the call is said first, and nothing of it waits.
        wrong = asked(process, "capture_decision", **{**CAPTURE, "confidence": 2})
        assert wrong["error"]["code"] == -32602
        code, said = process.end()
    assert code == 0
    assert "MEMBRIA_GRAPH_URL" in said
    assert "open-sesame" not in said
    assert not (tmp_path / "memory.db").exists()
    # Whoever keeps the memory in a file again finds it there, once.
    elsewhere.delenv("MEMBRIA_GRAPH_URL")
    for _ in range(2):
        with talking(*OF) as process:
            told = asked(process, "get_decision", decision_id=new["decision_id"])
            assert told["result"]["structuredContent"]["statement"] == CAPTURE["statement"]
            assert told["result"]["structuredContent"]["created_at"] == new["created_at"]


@pytest.mark.usefixtures("elsewhere")
def test_over_http_captures_wait_too():
    with http.serving(*OF) as server:
        params = {"name": "membria.capture_decision", "arguments": CAPTURE}
        _, answer = server.post("/", request("tools/call", params))
        assert answer["result"]["structuredContent"]["queued"]
        assert server.call("membria.get_calibration")["error"]["code"] == -32001
        # A secret that cannot be looked up opens nothing.
        status, _ = server.post("/mcp", request("tools/list"), "rk_x_y")
        assert status in {401, 503}


def test_calibrations_come_from_their_last_copy(monkeypatch):
    with talking(*OF) as process:
        known = asked(process, "get_calibration")["result"]["structuredContent"]
    monkeypatch.setenv("MEMBRIA_GRAPH_URL", URL)
    with talking(*OF) as process:
        copy = asked(process, "get_calibration")["result"]["structuredContent"]
    assert copy.pop("cached_at")
    assert copy == known


def test_the_configuration_that_the_document_prints_starts_a_server(monkeypatch):
    monkeypatch.setenv("MEMBRIA_GRAPH_URL", "http://localhost:7687")
    monkeypatch.setenv("MEMBRIA_LOG_LEVEL", "info")
    with talking(*OF) as process:
        new = asked(process, "capture_decision", **CAPTURE)["result"]["structuredContent"]
        assert "queued" not in new
        code, said = process.end()
    assert code == 0
    assert "MEMBRIA_GRAPH_URL is no postgresql:// URL" in said


@pytest.mark.parametrize("url", ["here", "postgresql://", "://x", "a b://x"])
def test_what_is_no_url_is_refused(url):
    with pytest.raises(InvalidRequest, match="MEMBRIA_GRAPH_URL is"):
        load({}, {"HOME": "/h", "MEMBRIA_GRAPH_URL": url})


@pytest.mark.usefixtures("elsewhere")
def test_commands_say_what_to_do(recollect):
    assert "open-sesame" not in repr(load())
    said = recollect("remember", "The kettle is in the kitchen.")
    assert said.code == 4
    assert "Unset MEMBRIA_GRAPH_URL" in said.err
    assert recollect("verify").code == 4
