"""Which path leads where, and who may go there."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from recollect._version import __version__
from recollect.contracts.listing import Selection
from recollect.errors import BadSecret, RecollectError, TooOften
from recollect.ways.http.asgi import SAID, Answer, header, problem, said
from recollect.ways.http.mcp import Endpoint
from recollect.ways.http.numbers import numbers
from recollect.ways.http.rest.desk import Desk
from recollect.ways.http.rest.table import ROOT
from recollect.ways.http.streams import ALLOWED
from recollect.ways.http.token import WELL_KNOWN
from recollect.ways.log import called
from recollect.ways.mcp.server import UNLIMITED, build
from recollect.ways.mcp.watch import Watcher
from recollect.ways.measures import KIND, Gauge, Measures
from recollect.ways.turns import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from typing import TypeAlias

    from recollect.contracts.contract import Caller
    from recollect.engine import Engine
    from recollect.ways.http.asgi import Receive, Scope, Send
    from recollect.ways.http.door import Door
    from recollect.ways.http.streams import Streams
    from recollect.ways.limits import Limits, Standing
    from recollect.ways.mcp.server import Meter
    from recollect.ways.mcp.subscriptions import Context

    Route: TypeAlias = Callable[[Scope, bytes, Receive, Send], Awaitable[None]]

CALLER, CLIENT = "recollect.caller", "recollect.client"
# Who is let in is found out in threads of its own, so that no call waits for one that takes long.
_AT_THE_DOOR = 8


class App:
    """Everything that one server serves."""

    def __init__(
        self,
        engine: Engine,
        chosen: Selection,
        door: Door,
        streams: Streams,
        limits: Limits | None = None,
    ) -> None:
        self._engine = engine
        self._door = door
        self._threads = CapacityLimiter(_AT_THE_DOOR)
        # Whose token an issuer has to be asked about holds up nobody who has a key.
        self._elsewhere = CapacityLimiter(_AT_THE_DOOR)
        self._watcher = Watcher(engine)
        # All clients share one engine, whichever way they come.
        self._turns = turns = Turns()
        self._measures = Measures()
        self._endpoints = {
            path: Endpoint(
                build(
                    selected, engine, caller_of, self._watcher, _meter(limits), self._note, turns
                ),
                streams,
            )
            for path, selected in paths(chosen).items()
        }
        self._desk = Desk(
            engine,
            lambda scope: scope[CALLER],
            lambda scope: scope[CLIENT],
            limits,
            self._note,
            turns,
        )
        self._open: dict[str, Route] = {"/healthz": self._alive, "/readyz": self._ready}
        self._kept: dict[str, Route] = {
            path: endpoint.serve for path, endpoint in self._endpoints.items()
        }
        self._kept["/"] = self._kept["/mcp"]
        self._kept["/metrics"] = _looked_at(self._measured)
        if door.tokens is not None:
            known = (WELL_KNOWN, *(f"{WELL_KNOWN}{path}" for path in self._endpoints))
            self._open |= dict.fromkeys(known, self._described)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See to one request, or to the beginning and the end of everything."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        # What is spelled in another way is another path: nothing here has to be spelled so.
        path = scope["raw_path"].decode("latin-1")
        body = (await receive()).get("body", b"")
        if path.startswith("/mcp") and path.endswith("/"):
            # Some clients put it there whatever they were told.
            path = path[:-1]
        if path in self._open:
            await _looked_at(self._open[path])(scope, body, receive, send)
            return
        route = self._kept.get(path)
        if route is None and path.startswith(f"{ROOT}/"):
            route = self._desk.serve
        if route is None:
            await problem(404, "Not found", "Nothing is served at this path.").send(send)
        elif await self._let_in(scope, send):
            await route(scope, body, receive, send)

    async def _let_in(self, scope: Scope, send: Send) -> bool:
        try:
            caller = await self._who(scope)
        except BadSecret as error:
            await self._door.refusal(error).send(send)
            return False
        except RecollectError as error:
            await problem(503, "Unavailable", type(error).__doc__ or "").send(send)
            return False
        scope[CALLER] = caller
        scope[ALLOWED] = lambda: self._still(scope)
        secret = header(scope, b"authorization")
        # Shared by every copy that is made of the request's head.
        scope[SAID] = {}
        # The port says nothing of who it is: every connection has another one.
        scope[CLIENT] = secret or f"{scope['client'][0]} {header(scope, b'mcp-session-id')}"
        if secret is not None:
            # What the SDK binds a session to: nobody goes on with the session of another key.
            name = sha256(secret.encode()).hexdigest()
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
        return True

    async def _who(self, scope: Scope) -> Caller:
        if self._door.tells_at_once(scope):
            return self._door.caller(scope)
        limiter = self._elsewhere if self._door.asks_elsewhere(scope) else self._threads
        return await to_thread.run_sync(self._door.caller, scope, limiter=limiter)

    async def _still(self, scope: Scope) -> bool:
        """Whether who was let in would be let in now."""
        try:
            await self._who(scope)
        except BadSecret:
            return False
        except RecollectError:
            # The store cannot say, and it cannot be read by anybody either.
            return True
        return True

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Be ready to serve."""
        # A server has its model ready before it is asked; what it takes is loaded beside the loop.
        await to_thread.run_sync(self._engine.start)
        async with AsyncExitStack() as stack:
            for endpoint in self._endpoints.values():
                await stack.enter_async_context(endpoint.run())
            yield
        await to_thread.run_sync(self._watcher.close)

    async def _alive(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        del scope, body, receive
        await said(200, {"status": "ok", "version": __version__}).send(send)

    def _note(self, facts: Mapping[str, str], arguments: object, seconds: float) -> None:
        labels = {
            "mcp_method_name": facts["method"],
            "gen_ai_tool_name": facts["tool"],
            "error_type": facts["error"],
            "network_transport": "tcp",
            "mcp_protocol_version": facts["version"],
        }
        self._measures.note(labels, seconds)
        called(facts, arguments, seconds)

    async def _measured(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """What Prometheus reads. Numbers of the whole store are its owner's business."""
        del body, receive
        caller: Caller = scope[CALLER]
        try:
            gauges = await to_thread.run_sync(
                lambda: tuple(numbers(self._engine, caller.tenant)), limiter=self._threads
            )
        except RecollectError as error:
            await problem(503, "Unavailable", type(error).__doc__ or "").send(send)
            return
        about = "Calls that have a turn at the engine, and calls that wait for one."
        turns = (
            Gauge("recollect_turns", about, count, (("state", state),))
            for state, count in self._turns.standing().items()
        )
        text = self._measures.shown((*gauges, *turns))
        await Answer(200, text.encode(), KIND).send(send)

    async def _described(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        del scope, body, receive
        tokens = self._door.tokens
        await said(200, {} if tokens is None else tokens.metadata()).send(send)

    async def _ready(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        del scope, body, receive
        try:
            await to_thread.run_sync(self._look, limiter=self._threads)
        except RecollectError as error:
            await problem(503, "Not ready", type(error).__doc__ or "").send(send)
        else:
            await said(200, {"status": "ready"}).send(send)

    def _look(self) -> None:
        with self._engine.ports.store.reading() as reader:
            reader.last_event()


def paths(chosen: Selection) -> dict[str, Selection]:
    """What is served at which path: all that was chosen together, and each contract by itself."""
    alone = {
        f"/mcp/{name}": Selection((name,), chosen.naming, chosen.read_only)
        for name in chosen.contracts
    }
    return {"/mcp": chosen, **alone}


def _looked_at(route: Route) -> Route:
    """The same route for whoever only wants to read what is there."""

    async def looked(scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        if scope["method"] in {"GET", "HEAD"}:
            await route(scope, body, receive, send)
            return
        wrong = "This is only looked at, with GET."
        await problem(405, "Method not allowed", wrong, ("allow", "GET, HEAD")).send(send)

    return looked


def _meter(limits: Limits | None) -> Meter:
    """Counts requests by the client that is behind them."""
    if limits is None:
        return UNLIMITED

    def count(context: Context, contract: str, tool: str) -> Standing | None:
        request: Any = context.request
        try:
            return limits.take(request.scope[CLIENT], contract, tool)
        except TooOften as error:
            request.scope[SAID]["retry-after"] = str(error.facts["retry_after"])
            raise

    return count


def caller_of(context: Context) -> Caller:
    """Who is behind a request of the protocol."""
    request: Any = context.request
    found: Caller = request.scope[CALLER]
    return found
