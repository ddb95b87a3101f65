"""What is told over HTTP, in both eras: changes that another process makes, and progress."""

from __future__ import annotations

import asyncio

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated

from recollect.config import Config
from recollect.decisions import Decide
from recollect.wiring import open_engine
from tests.ways.http.process import serving

ALL = "membria://decisions/all"


@pytest.fixture
def elsewhere(tmp_path):
    """Another process's engine on the same store, as far as the server can tell."""
    with open_engine(Config(store=str(tmp_path / "memory.db"), embedding="hash")) as engine:
        yield engine


def decide(engine):
    return asyncio.to_thread(engine.run, Decide("Use PostgreSQL for orders", module="database"))


def test_whoever_listens_is_told(elsewhere):
    async def talk(url):
        async with (
            Client(url) as client,
            client.listen(resource_subscriptions=[ALL]) as stream,
            asyncio.timeout(30),
        ):
            await decide(elsewhere)
            return await anext(aiter(stream))

    with serving() as server:
        assert asyncio.run(talk(f"{server.url}/mcp/membria")) == ResourceUpdated(uri=ALL)
        assert server.end() == (0, "")


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_whoever_subscribed_in_a_session_is_told(elsewhere):
    told: list[str] = []

    async def talk(url):
        heard = asyncio.Event()

        async def hear(message):
            if isinstance(message, types.ResourceUpdatedNotification):
                told.append(str(message.params.uri))
                heard.set()

        async with Client(url, mode="legacy", message_handler=hear) as client:
            await client.subscribe_resource(ALL)
            async with asyncio.timeout(30):
                # Until the client's stream is open there is nowhere to tell it.
                while not heard.is_set():
                    await decide(elsewhere)
                    await client.list_tools()
            await client.unsubscribe_resource(ALL)

    with serving() as server:
        asyncio.run(talk(f"{server.url}/mcp"))
        assert set(told) == {ALL}
        assert server.end() == (0, "")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_whoever_wants_to_know_hears_how_far_it_is(mode, tmp_path, monkeypatch):
    project = tmp_path / "project"
    project.mkdir()
    for n in range(5):
        (project / f"part{n}.py").write_text(f"def part{n}():\n    return {n}\n")
    monkeypatch.chdir(project)
    told = []

    async def hear(done, of, doing):
        told.append((done, of))

    async def talk(url):
        async with Client(url, mode=mode) as client:
            return await client.call_tool(
                "index_project", {"path": str(project)}, progress_callback=hear
            )

    with serving() as server:
        answer = asyncio.run(talk(f"{server.url}/mcp"))
        assert not answer.is_error
        assert told
        assert server.end() == (0, "")
