"""Whole conversations of every contract, by official clients, with the server as they start it.

conversations.json says what is asked and what has to come back; every client goes by it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, offered
from tests.npm.node import program, script
from tests.ways.mcp.process import COMMAND

CONVERSATIONS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("conversations.json").read_text("utf-8")
)
NOTHING = object()


@pytest.fixture(autouse=True)
def bundled(monkeypatch):
    """What is asked here is to be found by what it means."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING", "bundled")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with one function, in a folder that may be read."""
    made = tmp_path / "greeter"
    made.mkdir()
    (made / "greet.py").write_text(
        'def greet(name):\n    """Greet somebody."""\n    return f"Hello, {name}!"\n', "utf-8"
    )
    monkeypatch.setenv("RECOLLECT_ROOTS", str(made))
    return str(made)


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
    # The text says what the object says, for clients that know only one of them. A failure has no
    # object that the tool's schema does not describe.
    found = json.loads(text)
    assert data == found or (failed and data is None)
    for path, value in (step.get("says", {}) | step.get("fails", {})).items():
        assert at(found, path) == filled(value, kept), (step["call"], path, text)
    for path in step.get("has", ()):
        assert (
            at(found, path) not in {None, NOTHING}
            if not isinstance(at(found, path), dict | list)
            else at(found, path)
        ), (step["call"], path, text)
    for path in step.get("lacks", ()):
        assert at(found, path) is NOTHING, (step["call"], path, text)
    for name, path in step.get("keep", {}).items():
        kept[name] = at(found, path)


def served(contract):
    """What starts the server."""
    return [*COMMAND, "--contracts", contract]


def hold(contract, listed, ask, folder):
    """One whole conversation. `ask` calls a tool."""
    assert {tool["name"] for tool in listed} == {o.name for o in offered(Selection((contract,)))}
    kept: dict[str, Any] = {"folder": folder}
    for step in CONVERSATIONS[contract]:
        judge(step, kept, ask({"name": step["call"], "arguments": filled(step["with"], kept)}))


def said(reply):
    """Whether a reply as JSON is a failure, its text, and its object."""
    (content,) = reply["content"]
    return reply.get("isError", False), content["text"], reply.get("structuredContent")


def test_every_tool_of_every_contract_is_called():
    for name in NAMES:
        called = {step["call"] for step in CONVERSATIONS[name]}
        assert called == {one.name for one in offered(Selection((name,)))}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("contract", NAMES)
def test_the_python_client_holds_a_conversation(contract, mode, folder):
    command, *rest = served(contract)
    server = StdioServerParameters(command=command, args=rest, env=dict(os.environ))

    async def main():
        loop = asyncio.get_running_loop()
        async with Client(server, mode=mode) as client:

            def ask(call):
                replied = client.call_tool(call["name"], call["arguments"])
                try:
                    reply = asyncio.run_coroutine_threadsafe(replied, loop).result()
                except MCPError as error:
                    # One contract has errors of the protocol for its failures.
                    return True, error.error.message, None
                return said(reply.model_dump(by_alias=True, mode="json"))

            listed = (await client.list_tools()).model_dump(mode="json")["tools"]
            await asyncio.to_thread(hold, contract, listed, ask, folder)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sdk", "package"),
    [("v1", "@modelcontextprotocol/sdk"), ("v2", "@modelcontextprotocol/client")],
)
@pytest.mark.parametrize("contract", NAMES)
def test_the_typescript_client_holds_a_conversation(contract, sdk, package, folder):
    command = [*script("converse.mjs", package), sdk, *served(contract)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        sink, source = client.stdin, client.stdout

        def ask(call):
            sink.write(json.dumps(call) + "\n")
            sink.flush()
            return said(json.loads(source.readline()))

        hold(contract, json.loads(source.readline())["tools"], ask, folder)
        sink.close()
        assert client.wait(30) == 0


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls_tools(era):
    inspector = program("@modelcontextprotocol/inspector/clients/launcher/build/index.js")

    def inspect(*asked):
        command = [*inspector, "--cli", *COMMAND, "--protocol-era", era, "--format", "json", *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, json.loads(done.stdout or "null")

    def call(name, **arguments):
        asked = ("--tool-name", name, "--tool-args-json", json.dumps(arguments))
        return inspect("--method", "tools/call", *asked)

    code, listed = inspect("--method", "tools/list")
    assert code == 0
    assert [tool["name"] for tool in listed["result"]["tools"]] == [
        one.name for one in offered(Selection())
    ]
    code, _ = call("store_memory", content="The kettle stands in the kitchen.")
    assert code == 0
    code, found = call("recall", query="kettle")
    assert code == 0
    assert "kitchen" in found["result"]["structuredContent"]["results"][0]["content"]
    # A failure of a tool is a result, which the inspector tells from a failure of its own.
    assert call("get_entries", ids=["nobodyknowsthisone00"])[0] == 5
