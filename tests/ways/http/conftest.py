"""Everything that a server serves, in this process, and a client that needs no network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from recollect.contracts.contract import Caller
from recollect.contracts.listing import Selection
from recollect.store.memory import MemoryStore
from recollect.store.sqlite import SqliteStore
from recollect.testing import FixedClock
from recollect.ways.http.address import Address
from recollect.ways.http.app import App
from recollect.ways.http.door import Door
from recollect.ways.http.guard import Guard
from recollect.ways.http.streams import Streams
from tests.engine.build import opened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from recollect.engine import Engine
    from recollect.ways.http.token import Tokens
    from recollect.ways.limits import Limits

JSON = {"content-type": "application/json"}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=["sqlite", "memory"])
def engine(request, tmp_path, clock) -> Iterator[Engine]:
    store = MemoryStore() if request.param == "memory" else SqliteStore.open(str(tmp_path / "m.db"))
    with opened(store, clock) as made:
        yield made


@pytest.fixture
def visit(engine: Engine) -> Callable[..., Any]:
    """Has something done with a client: `visit(what, own=False)` for one of somebody else."""

    def run(  # noqa: PLR0913 -- all that a server may be told
        what: Callable[[httpx2.AsyncClient], Awaitable[Any]],
        chosen: Selection | None = None,
        *,
        own: bool = True,
        at: Address | None = None,
        limits: Limits | None = None,
        tokens: Tokens | None = None,
        **guarded: Any,
    ) -> Any:
        where = at or Address()
        door = Door(engine, Caller(remote=True), loopback=where.loopback, tokens=tokens)
        app = App(engine, chosen or Selection(), door, Streams(), limits)
        guard = Guard(app, where, **guarded)

        async def connected(scope: Any, receive: Any, send: Any) -> None:
            # What the server finds out about the one at the other end.
            await guard({**scope, "state": {"connection": {"own": own}}}, receive, send)

        async def main() -> Any:
            transport = httpx2.ASGITransport(connected)
            async with (
                app.run(),
                httpx2.AsyncClient(transport=transport, base_url=where.url) as client,
            ):
                return await what(client)

        return asyncio.run(main())

    return run


def request(method: str, params: Any = None, id_: int | str = 1) -> dict[str, Any]:
    """A request of the protocol."""
    asked = {"jsonrpc": "2.0", "id": id_, "method": method}
    return asked if params is None else {**asked, "params": params}


def calling(name: str, /, id_: int | str = 1, **arguments: Any) -> dict[str, Any]:
    """A call of a tool."""
    return request("tools/call", {"name": name, "arguments": arguments}, id_)
