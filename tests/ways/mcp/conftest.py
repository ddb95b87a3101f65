"""Servers on an engine in this process, and the SDK's own client to talk to them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, MCPError

from recollect.contracts.contract import Caller
from recollect.contracts.listing import Selection
from recollect.store.memory import MemoryStore
from recollect.ways.mcp.server import build
from recollect.ways.mcp.watch import Watcher
from tests.engine.build import opened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from recollect.engine import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    with opened(MemoryStore()) as made:
        yield made


@pytest.fixture
def watcher(engine: Engine) -> Iterator[Watcher]:
    made = Watcher(engine, pause=0.01)
    yield made
    made.close()


@pytest.fixture
def talk(engine: Engine, watcher: Watcher) -> Callable[..., Any]:
    """Has a conversation: `talk(what_to_do_with_a_client)`, of one era or another."""

    def run(
        conversation: Callable[[Client], Awaitable[Any]],
        chosen: Selection | None = None,
        *,
        mode: str = "auto",
        of: Engine | None = None,
    ) -> Any:
        server = build(chosen or Selection(), of or engine, lambda _: Caller(), watcher)

        async def main() -> Any:
            async with Client(server, mode=mode) as client:
                try:
                    return await conversation(client)
                except MCPError as error:
                    # Raised in here, it would come out as a group of errors.
                    return error

        answer = asyncio.run(main())
        if isinstance(answer, MCPError):
            raise answer
        return answer

    return run
