"""Whole conversations of every contract, by official clients, with the server as they start it.

conversations.json says what is asked and what has to come back; every client goes by it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, offered

CONVERSATIONS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("conversations.json").read_text("utf-8")
)
NOTHING = object()


@pytest.fixture(autouse=True)
def bundled(monkeypatch):
    """What is asked here is to be found by what it means."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING", "bundled")


def at(found, path):
    """What stands at a path such as `items.0.id`."""
    for step in path.split("."):
        if isinstance(found, list):
            found = found[int(step)] if int(step) < len(found) else NOTHING
        elif isinstance(found, dict):
            found = found.get(step, NOTHING)
        else:
            return NOTHING
    return found


def filled(value, kept):
    """A value with what was kept in the place of its name."""
    if isinstance(value, dict):
        return {key: filled(one, kept) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, kept) for one in value]
    return kept[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def judge(step, kept, reply):
    """Hold one reply against what has to come back, and keep what is asked for later."""
    failed, text, data = reply
    if "refused" in step:
        *_, last = step["refused"].rpartition("$")
        wanted = step["refused"].replace(f"${last}", kept.get(last, f"${last}"))
        assert failed, step
        assert wanted in text, step
        return
    assert failed == ("fails" in step), (step, text)
    # The text says what the object says, for clients that know only one of them.
    assert json.loads(text) == data
    for path, value in (step.get("says", {}) | step.get("fails", {})).items():
        assert at(data, path) == filled(value, kept), (step["call"], path, data)
    for path in step.get("has", ()):
        assert (
            at(data, path) not in {None, NOTHING}
            if not isinstance(at(data, path), dict | list)
            else at(data, path)
        ), (step["call"], path, data)
    for path in step.get("lacks", ()):
        assert at(data, path) is NOTHING, (step["call"], path, data)
    for name, path in step.get("keep", {}).items():
        kept[name] = at(data, path)


def python_client(contract, mode):
    """The SDK for Python, in one era of the protocol or the other."""

    async def hold():
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "recollect", "serve", *(["--contracts", contract] if contract else [])],
            env=dict(os.environ),
        )
        async with Client(server, mode=mode) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            for name in [contract] if contract else NAMES:
                kept: dict[str, Any] = {}
                for step in CONVERSATIONS[name]:
                    reply = await client.call_tool(step["call"], filled(step["with"], kept))
                    (content,) = reply.content
                    assert content.type == "text"
                    judge(step, kept, (reply.is_error, content.text, reply.structured_content))
            return listed

    return asyncio.run(hold())


def test_every_tool_of_every_contract_is_called():
    for name in NAMES:
        called = {step["call"] for step in CONVERSATIONS[name]}
        assert called == {one.name for one in offered(Selection((name,)))}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("contract", NAMES)
def test_the_python_client_holds_a_conversation(contract, mode):
    assert python_client(contract, mode) == {o.name for o in offered(Selection((contract,)))}
