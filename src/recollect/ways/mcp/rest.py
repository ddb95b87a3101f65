"""The rest of a conversation over standard input and output, from when the SDK is there."""

from __future__ import annotations

import asyncio
import math
import signal
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from recollect.ways.mcp.message import encoded
from recollect.ways.mcp.server import UNLIMITED, build
from recollect.ways.mcp.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server.lowlevel import Server

    from recollect.contracts.contract import Caller
    from recollect.contracts.listing import Selection
    from recollect.engine import Engine
    from recollect.ways.limits import Limits
    from recollect.ways.mcp.conversation import Conversation
    from recollect.ways.mcp.pipe import Pipe

# How long a client that closed its end, or asked us to end, may wait for what it asked before.
PATIENCE = 10.0


def converse(  # noqa: PLR0913, PLR0917 -- the two ends of a conversation, and what it is about
    pipe: Pipe,
    talk: Conversation,
    kept: Sequence[dict[str, Any]],
    chosen: Selection,
    engine: Engine,
    caller: Callable[[], Caller],
    limits: Limits | None,
) -> None:
    """Go on with a conversation until the client ends it, or a signal does."""
    watcher = Watcher(engine)
    try:
        meter = UNLIMITED if limits is None else lambda _, of, name: limits.take("", of, name)
        server = build(chosen, engine, lambda _: caller(), watcher, meter)
        asyncio.run(_Talk(pipe, talk).hold(server, kept))
    finally:
        watcher.close()


class _Talk:
    """Lines to the SDK's messages and back."""

    def __init__(self, pipe: Pipe, talk: Conversation) -> None:
        self._pipe = pipe
        self._talk = talk
        self._over = asyncio.Event()
        self._heard: MemoryObjectSendStream[SessionMessage | Exception]

    async def hold(self, server: Server[Any], kept: Sequence[dict[str, Any]]) -> None:
        loop = asyncio.get_running_loop()
        self._heard, hearing = anyio.create_memory_object_stream[SessionMessage | Exception](
            math.inf
        )
        for message in kept:
            self._pass_on(message)

        def came(line: bytes | None) -> None:
            loop.call_soon_threadsafe(self._came, line)

        def asked_to_end(*_: object) -> None:
            came(None)
            self._pipe.hurry()

        self._pipe.hand_to(came)
        before = signal.signal(signal.SIGTERM, asked_to_end)
        ending = loop.create_task(self._end())
        try:
            await server.run(hearing, _Answers(self._talk), server.create_initialization_options())
        finally:
            ending.cancel()
            signal.signal(signal.SIGTERM, before)

    def _came(self, line: bytes | None) -> None:
        if line is None:
            self._over.set()
        else:
            for message in self._talk.take(line):
                self._pass_on(message)

    def _pass_on(self, message: dict[str, Any]) -> None:
        try:
            parsed = types.jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValidationError:
            self._talk.refuse(message, "This is no message of the Model Context Protocol.")
        else:
            self._heard.send_nowait(SessionMessage(parsed))

    async def _end(self) -> None:
        """End the conversation once it is over and everything that was asked is answered."""
        await self._over.wait()
        quiet = asyncio.Event()
        self._talk.when_quiet(quiet.set)
        with anyio.move_on_after(PATIENCE):
            await quiet.wait()
        self._heard.close()


class _Answers:
    """Where the SDK writes to."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk

    async def send(self, item: SessionMessage) -> None:
        message = item.message
        try:
            text = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        except (PydanticSerializationError, UnicodeEncodeError):
            # Half of a character, which JSON can only spell as an escape.
            text = encoded(message.model_dump(by_alias=True, exclude_unset=True))
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._talk.answer(message.id, text)
        else:
            self._talk.say(text)

    async def aclose(self) -> None:
        """The pipe is its owner's to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass
