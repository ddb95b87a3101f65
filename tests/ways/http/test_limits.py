"""Asking too often over HTTP: what the client hears, and when it may ask again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.ops import List
from recollect.ways.limits import CALLS, READS, Limits
from tests.ways.http.conftest import JSON, calling, request

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


CAPTURE: dict[str, Any] = {
    "statement": "Use PostgreSQL for orders",
    "alternatives": ["MySQL"],
    "confidence": 0.7,
}


def test_the_contract_that_has_limits_has_them_by_default_and_in_its_own_words(visit):
    async def capture(client):
        return [
            await client.post(
                "/mcp/membria",
                json=calling(
                    "membria.capture_decision", **{**CAPTURE, "statement": f"Use number {n}"}
                ),
            )
            for n in range(11)
        ]

    *done, refused = visit(capture, limits=Limits())
    assert all(one.status_code == 200 for one in done)
    assert "recollect/limit" in done[-1].json()["result"]["_meta"]
    assert refused.status_code == 429
    error = refused.json()["error"]
    assert error["code"] == -32029
    assert error["data"]["retry_after"] == int(refused.headers["retry-after"])


def test_on_the_common_endpoint_the_same_failure_is_a_result(visit):
    async def capture(client):
        asked = calling("membria_capture_decision", **CAPTURE)
        return [await client.post("/mcp", json=asked) for _ in range(11)]

    *_, refused = visit(capture, limits=Limits())
    assert refused.json()["result"]["isError"] is True
    said = json.loads(refused.json()["result"]["content"][0]["text"])
    assert said["error"]["code"] == -32029
    assert "retry-after" in refused.headers


def test_reading_too_often_is_refused_too(visit):
    async def read(client):
        asked = request("resources/read", {"uri": "membria://decisions/all"})
        return [await client.post(path, json=asked) for path in ["/mcp"] * 3 + ["/mcp/membria"]]

    first, near, common, own = visit(read, limits=Limits({READS: 2}))
    assert "_meta" not in first.json()["result"]
    assert near.json()["result"]["_meta"]["recollect/limit"]["remaining"] == 0
    assert common.json()["error"]["data"]["retry_after"] > 0
    assert own.json()["error"]["code"] == -32029
