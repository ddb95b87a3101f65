"""Whoever follows a resource hears of what any process changed, in both eras."""

from __future__ import annotations

import pytest

from tests.ways.mcp.process import HELLO, READY, request, serving

URI = "membria://decisions/all"
META = "io.modelcontextprotocol/"
MODERN = {"_meta": {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}}
DECISION = {
    "statement": "Use PostgreSQL for user database",
    "alternatives": ["MongoDB"],
    "confidence": 0.8,
}


def follow_legacy(server):
    server.ask(HELLO)
    server.send(READY)
    assert "result" in server.ask(request("resources/subscribe", {"uri": URI}, 2))


def follow_modern(server):
    wanted = {"notifications": {"resourceSubscriptions": [URI]}, **MODERN}
    told = server.ask(request("subscriptions/listen", wanted, 2))
    assert told["method"] == "notifications/subscriptions/acknowledged"


@pytest.mark.parametrize("follow", [follow_legacy, follow_modern])
def test_a_change_by_another_process_is_told_at_once(follow):
    with serving("--contracts", "membria") as follower, serving() as other:
        follow(follower)
        other.ask(HELLO)
        other.send(READY)
        assert other.call("membria_capture_decision", **DECISION)["isError"] is False
        told = follower.hear()
        assert told["method"] == "notifications/resources/updated"
        assert told["params"]["uri"] == URI
