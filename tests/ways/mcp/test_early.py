"""What is answered before the SDK is there is what the SDK answers."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from recollect.contracts.contract import Caller
from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, selection
from recollect.ways.mcp.early import SHAKEN, Early
from recollect.ways.mcp.offer import Offer
from recollect.ways.mcp.server import build

CHOSEN = [Selection(), selection("memento", read_only=True), *(Selection((n,)) for n in NAMES)]
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {
    "_meta": {VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
}


def named(chosen):
    return f"{chosen.name}, to read" if chosen.read_only else chosen.name


def request(method, params=None, id_=1):
    asked = {"jsonrpc": "2.0", "id": id_, "method": method}
    return asked if params is None else {**asked, "params": params}


def hello(version="2025-11-25", **more):
    return request(
        "initialize",
        {
            "protocolVersion": version,
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "a client", "version": "1"},
            **more,
        },
        0,
    )


@pytest.fixture
def answers(engine, watcher):
    """What the SDK answers to several requests, one after the other."""

    async def hold(server, asked):
        send, hearing = anyio.create_memory_object_stream[Any](math.inf)
        saying, said = anyio.create_memory_object_stream[Any](math.inf)
        async with send, said, anyio.create_task_group() as group:
            group.start_soon(server.run, hearing, saying, server.create_initialization_options())
            found = []
            for message in asked:
                parsed = types.jsonrpc_message_adapter.validate_python(message, by_name=False)
                await send.send(SessionMessage(parsed))
                if "id" in message:
                    answer = (await said.receive()).message
                    found.append(
                        json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True))
                    )
            send.close()
            return found

    def run(chosen, *asked):
        server = build(chosen, engine, lambda _: Caller(), watcher)
        return asyncio.run(hold(server, asked))

    return run


@pytest.mark.parametrize("version", [*SHAKEN, "2024-11-25", "2026-07-28", "", "1"])
@pytest.mark.parametrize("chosen", CHOSEN, ids=named)
def test_a_handshake_is_answered_as_the_sdk_does(answers, chosen, version):
    early = Early(Offer(chosen))
    first, *rest = answers(
        chosen,
        hello(version),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("ping"),
        *map(request, LISTS),
    )
    assert early.answer(hello(version)) == first["result"]
    for asked, theirs in zip(("ping", *LISTS), rest, strict=True):
        ours = early.answer(request(asked))
        # What there is none of is for the SDK to refuse.
        assert ours == theirs.get("result")


@pytest.mark.parametrize("chosen", CHOSEN, ids=named)
def test_without_a_handshake_the_newest_revision_is_answered_as_the_sdk_does(answers, chosen):
    early = Early(Offer(chosen))
    methods = ("server/discover", *LISTS)
    for asked, theirs in zip(
        methods, answers(chosen, *(request(m, MODERN) for m in methods)), strict=True
    ):
        assert early.answer(request(asked, MODERN)) == theirs.get("result")


@pytest.mark.parametrize(
    "asked",
    [
        request("tools/call", {"name": "get_status"}),
        request("tools/list", {"cursor": "x"}),
        request("tools/list", {"_meta": {"progressToken": 1}}),
        request("tools/list", {**MODERN, "cursor": "x"}),
        request("ping", MODERN),
        request("nothing"),
        hello(),
    ],
    ids=lambda asked: json.dumps(asked)[34:90],
)
def test_what_only_the_sdk_can_answer_is_left_to_it(asked):
    early = Early(Offer(Selection()))
    assert early.answer(hello()) is not None
    assert early.answer(asked) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"capabilities": {"roots": 7}},
        {"capabilities": None},
        {"clientInfo": {"name": "no version"}},
        {"clientInfo": None},
        {"protocolVersion": 20251125},
    ],
    ids=str,
)
def test_a_handshake_that_the_sdk_refuses_is_not_answered(answers, wrong):
    (theirs,) = answers(Selection(), hello(**wrong))
    assert theirs["error"]["code"] == -32602
    assert Early(Offer(Selection())).answer(hello(**wrong)) is None


def test_before_the_handshake_nothing_is_told(answers):
    early = Early(Offer(Selection()))
    assert early.answer(request("tools/list")) is None
    assert "error" in answers(Selection(), request("tools/list"))[0]
