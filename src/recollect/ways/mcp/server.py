"""The MCP server: the SDK's low-level `Server` over what is offered, for any transport.

`build(chosen, engine, caller, watcher)` makes one. `caller` answers who is behind a request (on
stdio always the same, over HTTP whoever the request's key belongs to). Servers of one process share
one engine and one watcher. Nothing here knows how messages come and go.
"""

from __future__ import annotations

import json
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from anyio import from_thread
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from recollect.contracts import every
from recollect.contracts.problem import problem
from recollect.contracts.shared import outage
from recollect.engine.ports import silent
from recollect.errors import (
    Conflict,
    InvalidRequest,
    NotFound,
    RecollectError,
    TooOften,
    Unavailable,
)
from recollect.ways.call import Reply, call, contained, failed
from recollect.ways.log import called
from recollect.ways.mcp.early import MODERN
from recollect.ways.mcp.offer import TTL_MS, WHOLE, Offer
from recollect.ways.mcp.subscriptions import Context, Handler, Subscriptions
from recollect.ways.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server.context import CallNext, HandlerResult, ServerMiddleware

    from recollect.contracts.contract import Caller, Completion, Contract, Row
    from recollect.contracts.listing import Offered, Selection
    from recollect.engine import Engine
    from recollect.engine.ports import Report
    from recollect.ways.limits import Standing
    from recollect.ways.mcp.watch import Watcher

    Find = Callable[[str, str], tuple[Contract, Row]]
    # Counts a request of a contract, with the tool where it calls one. Raises `TooOften`.
    # What was asked and how it ended, with what arguments, and how long it took.
    Note = Callable[[Mapping[str, str], object, float], None]
    Meter = Callable[[Context, str, str], Standing | None]

T = TypeVar("T")

UNLIMITED: Meter = lambda *_: None  # noqa: E731 -- a value of its type
# As many as the protocol allows in one answer.
SUGGESTED = 100
_SHOWN = 80
# What revisions up to 2025-11-25 have for a resource that is not there; later ones forbid it.
NO_RESOURCE = -32002


def build(  # noqa: PLR0913, PLR0917 -- what is served, to whom, and who is told of it
    chosen: Selection,
    engine: Engine,
    caller: Callable[[Context], Caller],
    watcher: Watcher,
    meter: Meter = UNLIMITED,
    note: Note = called,
    turns: Turns | None = None,
) -> Server[Any]:
    """A server for what was chosen.

    `caller` and `meter` get the context of each request, and `note` what became of it.
    """
    offer = Offer(chosen)
    server: Server[Any] = Server(
        offer.info["name"],
        version=offer.info["version"],
        title=offer.info["title"],
        instructions=offer.instructions,
        cache_hints={
            "server/discover": CacheHint(TTL_MS, "public"),
            "tools/list": CacheHint(TTL_MS, "public"),
            "prompts/list": CacheHint(TTL_MS, "public"),
            "resources/list": CacheHint(TTL_MS, "public"),
            "resources/templates/list": CacheHint(TTL_MS, "public"),
            # What a memory says may be another thing a moment later.
            "resources/read": CacheHint(0, "private"),
        },
    )
    server.middleware.append(_noted(offer, note))
    server.middleware.append(_contain)
    desk = _Desk(offer, engine, caller, watcher, meter, turns or Turns())
    for method, (params, handler) in desk.handlers().items():
        server.add_request_handler(method, params, handler)
    return server


def _noted(offer: Offer, note: Note) -> ServerMiddleware[Any]:
    """Notes what was asked, how it ended and how long it took."""

    async def noted(ctx: Context, call_next: CallNext) -> HandlerResult:
        facts = {"method": ctx.method, "tool": _tool(offer, ctx), "error": ""}
        facts["version"] = ctx.protocol_version
        began = perf_counter()
        try:
            result = await call_next(ctx)
        except MCPError as error:
            facts["error"] = str(error.error.code)
            raise
        else:
            if isinstance(result, dict) and result.get("isError"):
                facts["error"] = "tool_error"
            return result
        finally:
            # A stream that a client keeps open took as long as the client wanted.
            if ctx.method != "subscriptions/listen":
                note(facts, (ctx.params or {}).get("arguments"), perf_counter() - began)

    return noted


def _tool(offer: Offer, context: Context) -> str:
    """The tool that is called, by the name that it has: a caller can think of endless others."""
    if context.method != "tools/call":
        return ""
    named = (context.params or {}).get("name")
    found = offer.tools.get(named) if isinstance(named, str) else None
    return "unknown" if found is None else found.name


async def _contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Keep what a fault of the program says from the wire."""
    try:
        with contained(ctx.method, MCPError, ValidationError):
            return await call_next(ctx)
    except ValidationError as error:
        raise MCPError(types.INVALID_PARAMS, str(problem(error))) from None
    except Unavailable as error:
        raise MCPError(types.INTERNAL_ERROR, outage(error)) from None
    except RecollectError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None


class _Desk:
    """What is done about each request."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what is offered, of what, to whom, how often
        self,
        offer: Offer,
        engine: Engine,
        caller: Callable[[Context], Caller],
        watcher: Watcher,
        meter: Meter,
        turns: Turns,
    ) -> None:
        self._offer = offer
        self._meter = meter
        self._engine = engine
        self._caller = caller
        self._watcher = watcher
        self._turns = turns
        self._subscriptions = Subscriptions(self._follow)

    def handlers(self) -> dict[str, tuple[type[Any], Handler]]:
        """By method: what it takes, and what answers it."""
        found: dict[str, tuple[type[Any], Handler]] = {
            "tools/call": (types.CallToolRequestParams, self._call),
            "logging/setLevel": (types.SetLevelRequestParams, _nothing),
        }
        for method, shown in self._offer.lists.items():
            found[method] = (types.PaginatedRequestParams, _same(shown))
        if "resources/list" in self._offer.lists:
            found |= {
                "resources/read": (types.ReadResourceRequestParams, self._read),
                **self._subscriptions.handlers(),
            }
        if "prompts/list" in self._offer.lists:
            found["prompts/get"] = (types.GetPromptRequestParams, self._prompt)
        if len(self._offer.lists) > 1:
            found["completion/complete"] = (types.CompleteRequestParams, self._complete)
        return found

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        found = self._offer.tools.get(params.name)
        if found is None:
            code = types.METHOD_NOT_FOUND if self._offer.protocol_errors else types.INVALID_PARAMS
            raise MCPError(
                code,
                f"There is no tool {params.name[:_SHOWN]!r}; tools/list has those that there are.",
            )
        standing, reply = self._metered(context, every.tool, found, found.own)
        if reply is None:
            reply = await self._ask(context, every.tool, found, params.arguments or {})
        if reply.failed and self._offer.protocol_errors:
            raise _own_error(reply)
        return {
            **WHOLE,
            **_told(standing),
            "content": [{"type": "text", "text": reply.text}],
            **({"structuredContent": reply.data} if _fitting(reply, found) else {}),
            "isError": reply.failed,
        }

    async def _read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> dict[str, Any]:
        uri = str(params.uri)
        at = self._offer.at(uri)
        if at is None:
            raise self._unknown(uri, context)
        found, said = at
        standing, reply = self._metered(context, every.resource, found)
        if reply is None:
            reply = await self._ask(context, every.resource, found, _beside(context) | said)
        if reply.cause is not None:
            raise self._error(reply, reply.cause, uri, context)
        content = {"uri": uri, "mimeType": "application/json", "text": reply.text}
        return {**WHOLE, **_told(standing), "contents": [content]}

    async def _prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> dict[str, Any]:
        found = self._offer.prompts.get(params.name)
        if found is None:
            raise MCPError(
                types.INVALID_PARAMS,
                f"There is no prompt {params.name[:_SHOWN]!r}; prompts/list has those that there"
                " are.",
            )
        reply = await self._ask(context, every.prompt, found, params.arguments or {})
        if reply.cause is not None:
            raise self._error(reply, reply.cause, params.name, context)
        message = {"role": "user", "content": {"type": "text", "text": reply.text}}
        return {**WHOLE, "description": found.shown["description"], "messages": [message]}

    async def _complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> dict[str, Any]:
        completion = self._completion(params.ref, params.argument.name)
        values = (
            []
            if completion is None
            else await self._turns.run(
                lambda: _suggested(
                    self._engine, completion, params.argument.value, self._caller(context)
                )
            )
        )
        more = len(values) > SUGGESTED
        shown = {"values": values[:SUGGESTED], "total": len(values), "hasMore": more}
        return {**WHOLE, "completion": shown}

    async def _follow(
        self, context: Context, uri: str, tell: Callable[[], None]
    ) -> Callable[[], None]:
        """Have the caller told when what an address answers changes. Answers what ends it."""
        at = self._offer.at(uri)
        if at is None:
            # As the protocol has it: what is not there may be subscribed to, and never changes.
            return lambda: None
        (found, said), caller = at, self._caller(context)

        def read() -> str:
            return call(self._engine, *every.resource(found.own, found.contract), said, caller).text

        return await self._turns.run(lambda: self._watcher.follow(read, tell))

    def _metered(
        self, context: Context, find: Find, found: Offered, tool: str = ""
    ) -> tuple[Standing | None, Reply | None]:
        """How near to a limit a request brings its client, and the failure where that is beyond."""
        try:
            return self._meter(context, found.contract, tool), None
        except TooOften as error:
            return None, failed(*find(found.own, found.contract), error)

    async def _ask(
        self,
        context: Context,
        find: Find,
        found: Offered,
        arguments: Mapping[str, object],
    ) -> Reply:
        caller, report = self._caller(context), _reporter(context)
        # Who asks something will want the model, and who only looks at the tools will not.
        self._engine.start()
        return await self._turns.run(
            lambda: call(self._engine, *find(found.own, found.contract), arguments, caller, report)
        )

    def _completion(
        self, ref: types.PromptReference | types.ResourceTemplateReference, argument: str
    ) -> Completion | None:
        row: Row
        if isinstance(ref, types.PromptReference):
            found = self._offer.prompts.get(ref.name)
            if found is None:
                raise MCPError(types.INVALID_PARAMS, f"There is no prompt {ref.name[:_SHOWN]!r}.")
            row = every.prompt(found.own, found.contract)[1]
        else:
            found = self._offer.templated(ref.uri)
            if found is None:
                raise MCPError(types.INVALID_PARAMS, f"There is no template {ref.uri[:_SHOWN]!r}.")
            row = every.resource(found.own, found.contract)[1]
        return next((one for one in row.completions if one.argument == argument), None)

    def _unknown(self, uri: str, context: Context) -> MCPError:
        """An address that nothing is at. One contract calls that, too, a method that is not there.

        What the protocol has for it up to 2025-11-25 means something else in that contract.
        """
        error = _no_resource(uri, context)
        if not self._offer.protocol_errors:
            return error
        data = {"field": "uri", "problem": "names no resource", "received": uri[:_SHOWN]}
        suggestion = "Look at resources/list and resources/templates/list"
        said = error.error.message
        return MCPError(types.METHOD_NOT_FOUND, said, {**data, "suggestion": suggestion})

    def _error(self, reply: Reply, cause: RecollectError, what: str, context: Context) -> MCPError:
        """A failure where the protocol has only errors for it."""
        if self._offer.protocol_errors:
            return _own_error(reply)
        if isinstance(cause, NotFound) and context.method == "resources/read":
            return _no_resource(what, context)
        if isinstance(cause, TooOften):
            return MCPError(types.INTERNAL_ERROR, str(cause), {"of": what, **cause.facts})
        known = isinstance(cause, InvalidRequest | NotFound | Conflict)
        code = types.INVALID_PARAMS if known else types.INTERNAL_ERROR
        return MCPError(code, str(cause) if known else outage(Unavailable()), {"of": what})


def _told(standing: Standing | None) -> dict[str, Any]:
    return {} if standing is None else {"_meta": standing.shown()}


async def _nothing(context: Context, params: object) -> dict[str, Any]:
    """Logs go to standard error, at the level that the settings say."""
    del context, params
    return {}


def _same(shown: dict[str, Any]) -> Handler:
    async def handler(context: Context, params: object) -> dict[str, Any]:
        del context, params
        return shown

    return handler


def _reporter(context: Context) -> Report:
    """How a thread says how far it is, and learns that nobody waits for it any more."""
    if (context.meta or {}).get("progress_token") is None:
        return _cancellable

    def report(done: int, of: int, doing: str) -> None:
        # What a thread has run is shielded, so it would not hear of the end by itself.
        from_thread.check_cancelled()
        from_thread.run(context.session.report_progress, done, of or None, doing or None)

    return report


def _cancellable(done: int, of: int, doing: str) -> None:
    silent(done, of, doing)
    from_thread.check_cancelled()


def _beside(context: Context) -> dict[str, str]:
    """Arguments that come beside an address, as one contract has it."""
    said = (context.params or {}).get("arguments")
    return (
        {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in said.items()
        }
        if isinstance(said, dict)
        else {}
    )


def _suggested(engine: Engine, one: Completion, typed: str, caller: Caller) -> list[str]:
    found = one.values
    if one.to_op is not None and one.render is not None:
        found = (*found, *one.render(engine.run(one.to_op(typed, caller))))
    begun = typed.casefold()
    return [value for value in dict.fromkeys(found) if value.casefold().startswith(begun)]


def _fitting(reply: Reply, of: Offered) -> bool:
    """Whether a reply may go out as an object: clients hold it against the schema of the tool.

    They do so with failures too, and show their own complaint in place of what the failure says.
    """
    if reply.data is None or not reply.failed:
        return reply.data is not None
    return reply.data.keys() >= {*of.shown["outputSchema"].get("required", ())}


def _own_error(reply: Reply) -> MCPError:
    """A failure as the contract has it: code, message and data."""
    error: Any = (reply.data or {})["error"]
    return MCPError(error["code"], error["message"], error.get("data"))


def _no_resource(uri: str, context: Context) -> MCPError:
    modern = context.protocol_version >= MODERN
    code = types.INVALID_PARAMS if modern else NO_RESOURCE
    message = "There is no such resource; resources/list and resources/templates/list have all."
    return MCPError(code, message, {"uri": uri})
