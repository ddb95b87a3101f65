"""Asking too often over HTTP: what the client hears, and when it may ask again."""

from __future__ import annotations

import pytest

from recollect.ops import List
from recollect.ways.limits import CALLS, Limits
from tests.ways.http.conftest import JSON, calling

STREAMS = {"accept": "application/json, text/event-stream"}
META = "io.modelcontextprotocol/"
MODERN = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}


def asking(times, headers=JSON, meta=None):
    async def ask(client):
        answers = []
        for n in range(times):
            asked = calling("store_memory", content=f"Fact {n}.")
            if meta is not None:
                asked["params"]["_meta"] = meta
            answers.append(await client.post("/mcp/memento", json=asked, headers=headers))
        return answers

    return ask


def test_a_client_hears_that_it_is_near_the_limit_and_then_that_it_is_beyond(visit, engine):
    answers = visit(asking(6), limits=Limits({CALLS: 5}))
    warned = [one.json()["result"].get("_meta", {}).get("recollect/limit") for one in answers[:5]]
    assert [one and one["remaining"] for one in warned] == [None, None, None, 1, 0]
    refused = answers[5]
    assert refused.json()["result"]["isError"] is True
    assert "try again in" in refused.json()["result"]["content"][0]["text"]
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert engine.run(List()).total == 5


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_it_is_so_in_the_newest_revision_too(visit, accept):
    headers = {
        **JSON,
        "accept": accept,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "store_memory",
    }
    answers = visit(asking(3, headers, MODERN), limits=Limits({CALLS: 2}))
    assert [one.json()["result"]["isError"] for one in answers] == [False, False, True]
    assert "recollect/limit" in answers[1].json()["result"]["_meta"]
    assert "retry-after" in answers[2].headers


def test_without_limits_there_are_none(visit):
    assert all(not one.json()["result"]["isError"] for one in visit(asking(150), limits=Limits()))
