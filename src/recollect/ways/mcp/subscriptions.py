"""Subscriptions to resources, of both eras: on a connection, and as a request that stays open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ListenHandler, ResourceUpdated

if TYPE_CHECKING:
    from mcp.server.subscriptions import ServerEvent

Context: TypeAlias = ServerRequestContext[Any, Any]
Handler: TypeAlias = Callable[[Context, Any], Awaitable[Any]]
# Have the one behind a request told of changes at an address; answers what ends it.
Follow: TypeAlias = Callable[[Context, str, Callable[[], None]], Awaitable[Callable[[], None]]]


class Subscriptions:
    """Who is subscribed to what."""

    def __init__(self, follow: Follow) -> None:
        self._follow = follow
        # By connection and address: what ends the subscription.
        self._leaving: dict[tuple[int, str], Callable[[], None]] = {}

    def handlers(self) -> dict[str, tuple[type[Any], Handler]]:
        """By method: what it takes, and what answers it."""
        return {
            "resources/subscribe": (types.SubscribeRequestParams, self._subscribe),
            "resources/unsubscribe": (types.UnsubscribeRequestParams, self._unsubscribe),
            "subscriptions/listen": (types.SubscriptionsListenRequestParams, self._listen),
        }

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> dict[str, Any]:
        uri = str(params.uri)
        # The SDK has no other way to what lives as long as the client's connection does.
        connection = context.session._connection  # noqa: SLF001
        loop = asyncio.get_running_loop()
        sending: set[asyncio.Task[None]] = set()

        def send() -> None:
            # A loop holds its tasks only weakly.
            task = loop.create_task(connection.send_resource_updated(uri))
            sending.add(task)
            task.add_done_callback(sending.discard)

        key = (id(connection), uri)
        self._end(key)
        self._leaving[key] = await self._follow(context, uri, lambda: _in(loop, send))
        connection.exit_stack.callback(self._end, key)
        return {}

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> dict[str, Any]:
        self._end((id(context.session._connection), str(params.uri)))  # noqa: SLF001 -- as above
        return {}

    def _end(self, key: tuple[int, str]) -> None:
        leave = self._leaving.pop(key, None)
        if leave is not None:
            leave()

    async def _listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        line, loop = _Line(), asyncio.get_running_loop()
        leaving: list[Callable[[], None]] = []
        try:
            for uri in params.notifications.resource_subscriptions or ():
                tell = line.telling(loop, ResourceUpdated(uri=str(uri)))
                leaving.append(await self._follow(context, str(uri), tell))
            return await ListenHandler(line)(context, params)
        finally:
            for leave in leaving:
                leave()


class _Line:
    """What one listener is told. What comes before it listens waits for it."""

    def __init__(self) -> None:
        self._listener: Callable[[ServerEvent], None] | None = None
        self._waiting: list[ServerEvent] = []

    def telling(self, loop: asyncio.AbstractEventLoop, event: ServerEvent) -> Callable[[], None]:
        """What tells of an event, from any thread."""
        return lambda: _in(loop, lambda: self._tell(event))

    async def publish(self, event: ServerEvent) -> None:
        """Tell, as the SDK names it."""
        self._tell(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Listen, as the SDK names it. One does."""
        self._listener = listener
        for event in self._waiting:
            listener(event)
        return self._waiting.clear

    def _tell(self, event: ServerEvent) -> None:
        if self._listener is None:
            self._waiting.append(event)
        else:
            self._listener(event)


def _in(loop: asyncio.AbstractEventLoop, work: Callable[[], object]) -> None:
    """Have the loop do it, if there still is one."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)
