"""Streams that end only when somebody ends them: the client, or a server that is asked to stop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.ways.http.asgi import App, Message, Receive, Scope, Send

_GONE: Message = {"type": "http.disconnect"}


class Streams:
    """The streams that are open, which `end` closes."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Close all of them, and let no new one be opened."""
        self._ended.set()

    async def hold(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream until the client leaves or all streams end; then finish its answer."""
        begun = finished = False

        async def told(message: Message) -> None:
            nonlocal begun, finished
            begun = True
            finished = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        await app(scope, self._until_ended(receive), told)
        if begun and not finished:
            await send({"type": "http.response.body", "body": b""})

    def _until_ended(self, receive: Receive) -> Receive:
        async def heard() -> Message:
            if self._ended.is_set():
                return _GONE
            ended = asyncio.ensure_future(self._ended.wait())
            message = asyncio.ensure_future(receive())
            try:
                await asyncio.wait((ended, message), return_when=asyncio.FIRST_COMPLETED)
            finally:
                ended.cancel()
                if not message.done():
                    message.cancel()
            return message.result() if message.done() and not message.cancelled() else _GONE

        return heard
