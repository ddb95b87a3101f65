"""Streams that end only when somebody ends them: the client, or a server that is asked to stop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from recollect.ways.http.asgi import App, Message, Receive, Scope, Send

# Under this a request's head has what asks whether its sender may still be here.
ALLOWED = "recollect.allowed"
# Seconds between two times of asking.
PAUSE = 5.0
_GONE: Message = {"type": "http.disconnect"}


class Streams:
    """The streams that are open, which `end` closes."""

    def __init__(self, pause: float = PAUSE) -> None:
        self._ended = asyncio.Event()
        self._pause = pause

    def end(self) -> None:
        """Close all of them, and let no new one be opened."""
        self._ended.set()

    async def hold(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream until the client leaves, may not stay, or all streams end.

        Its answer is finished then.
        """
        begun = finished = False
        over = asyncio.Event()

        async def told(message: Message) -> None:
            nonlocal begun, finished
            begun = True
            finished = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        watching = asyncio.create_task(self._watch(scope, over))
        try:
            await app(scope, _until(over, receive), told)
        finally:
            watching.cancel()
        if begun and not finished:
            await send({"type": "http.response.body", "body": b""})

    async def _watch(self, scope: Scope, over: asyncio.Event) -> None:
        """Say that a stream is over: all are, or the key that opened it opens nothing any more."""
        allowed: Callable[[], Awaitable[bool]] = scope.get(ALLOWED, _always)
        while not self._ended.is_set() and await allowed():
            with anyio.move_on_after(self._pause):
                await self._ended.wait()
        over.set()


async def _always() -> bool:
    return True


def _until(over: asyncio.Event, receive: Receive) -> Receive:
    """What a client sends, until it is over: then it counts as gone."""

    async def heard() -> Message:
        if over.is_set():
            return _GONE
        ended = asyncio.ensure_future(over.wait())
        message = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((ended, message), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            if not message.done():
                message.cancel()
        return message.result() if message.done() and not message.cancelled() else _GONE

    return heard
