"""One MCP endpoint over HTTP, for every kind of client.

Who keeps a session, listens, or waits for progress is served by the SDK's transports. Whoever sends
a request, or an array of them, and nothing else that the protocol asks for, is answered with JSON.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from recollect.ways.http.asgi import (
    JSON,
    SAID,
    Answer,
    handed_on,
    header,
    problem,
    said,
    with_headers,
)
from recollect.ways.http.single import answered
from recollect.ways.http.wanted import while_wanted
from recollect.ways.mcp.early import SHAKEN
from recollect.ways.mcp.message import (
    INVALID_REQUEST,
    Malformed,
    checked,
    decoded,
    encoded,
    tolerated,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.lowlevel import Server

    from recollect.ways.http.asgi import Message, Receive, Scope, Send
    from recollect.ways.http.streams import Streams

# What the protocol takes where a client does not say.
_UNSAID = "2025-03-26"
# Requests in one array.
_ONE_OR_SEVERAL = "Send one JSON-RPC message, or an array of them."
_MOST = 100
_BOTH = b"application/json, text/event-stream"
_SESSION, _VERSION = b"mcp-session-id", b"mcp-protocol-version"


class Endpoint:
    """Serves one server at one path."""

    def __init__(self, server: Server[Any], streams: Streams) -> None:
        self._server = server
        self._streams = streams
        self._sessions = StreamableHTTPSessionManager(server)
        self._streaming = StreamableHTTPSessionManager(server, stateless=True)
        self._plain = StreamableHTTPSessionManager(server, stateless=True, json_response=True)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Be ready to serve."""
        async with AsyncExitStack() as stack:
            for manager in (self._sessions, self._streaming, self._plain):
                await stack.enter_async_context(manager.run())
            yield

    async def serve(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer one request, whose body was read."""
        send = _telling(scope, send)
        if scope["method"] != "POST":
            await self._other(scope, receive, send)
            return
        if not _is_json(scope):
            wrong = "Send JSON, and say so: `Content-Type: application/json`."
            await problem(415, "Unsupported media type", wrong).send(send)
            return
        answer = await self._posted(scope, body, receive, send)
        if answer is not None:
            await answer.send(send)

    async def _other(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A stream that a session listens on, or the end of a session."""
        if scope["method"] not in {"GET", "DELETE"} or header(scope, _SESSION) is None:
            wrong = "Send a message of the protocol with POST."
            await problem(405, "Method not allowed", wrong, ("allow", "POST")).send(send)
        elif scope["method"] == "GET":
            # Nothing is kept of what was sent, so who comes again begins anew.
            scope = with_headers(scope, {b"last-event-id": None})
            await self._streams.hold(self._sessions.handle_request, scope, receive, send)
        else:
            await self._sessions.handle_request(scope, handed_on(b"", receive), send)

    async def _posted(
        self, scope: Scope, body: bytes, receive: Receive, send: Send
    ) -> Answer | None:
        """The answer, or None where it was sent already."""
        try:
            document = decoded(body, _ONE_OR_SEVERAL)
            if isinstance(document, list):
                return await self._several(scope, document)
            message = tolerated(checked(document))
        except Malformed as wrong:
            return said(400, wrong.answer)
        if message is not document:
            body = encoded(message)
            scope = with_headers(scope, {b"content-length": str(len(body)).encode()})
        return await self._one(scope, message, handed_on(body, receive), send)

    async def _one(
        self, scope: Scope, message: dict[str, Any], receive: Receive, send: Send
    ) -> Answer | None:
        method = message.get("method")
        version = header(scope, _VERSION)
        if header(scope, _SESSION) is not None or (method == "initialize" and _streams_too(scope)):
            await self._sessions.handle_request(scope, receive, send)
        elif version is not None and version not in SHAKEN:
            await self._modern(scope, message, receive, send)
        elif "id" not in message or method is None:
            return Answer(202)
        elif _wants_progress(message) and _streams_too(scope):
            await self._streaming.handle_request(scope, receive, send)
        else:
            work = answered(self._server, scope, message, version or _UNSAID)
            answer = await while_wanted(work, receive)
            if answer is None:
                return None
            # Whoever has failed because of asking too often hears it from HTTP as well.
            return said(429 if "error" in answer and scope.get(SAID) else 200, answer)
        return None

    async def _modern(
        self, scope: Scope, message: dict[str, Any], receive: Receive, send: Send
    ) -> None:
        """A request of the newest revision, which has no sessions."""
        if message.get("method") == "subscriptions/listen":
            await self._streams.hold(self._streaming.handle_request, scope, receive, send)
        elif _streams_too(scope):
            await self._streaming.handle_request(scope, receive, send)
        else:
            await self._plain.handle_request(with_headers(scope, {b"accept": _BOTH}), receive, send)

    async def _several(self, scope: Scope, documents: list[Any]) -> Answer | None:
        if not 0 < len(documents) <= _MOST:
            raise Malformed(INVALID_REQUEST, f"An array of messages holds from 1 to {_MOST}.")
        answers = []
        for document in documents:
            try:
                message = tolerated(checked(document))
            except Malformed as wrong:
                answers.append(wrong.answer)
                continue
            if "id" in message and "method" in message:
                version = header(scope, _VERSION)
                spoken = version if version in SHAKEN else _UNSAID
                answers.append(await answered(self._server, scope, message, spoken))
        if not answers:
            return Answer(202)
        # One revision of the protocol has arrays; whoever does not speak it gets them named.
        protocol = header(scope, _SESSION) is not None or _streams_too(scope)
        return said(200, answers if protocol else {"results": [_bare(one) for one in answers]})


def _bare(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "jsonrpc"}


def _wants_progress(message: dict[str, Any]) -> bool:
    meta = message.get("params", {}).get("_meta")
    return isinstance(meta, dict) and "progressToken" in meta


def _telling(scope: Scope, send: Send) -> Send:
    """Sends with the headers that came up while a request was answered."""

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start" and scope.get(SAID):
            further = [(name.encode(), value.encode()) for name, value in scope[SAID].items()]
            message = {**message, "headers": [*message["headers"], *further]}
        await send(message)

    return told


def _is_json(scope: Scope) -> bool:
    return (header(scope, b"content-type") or "").partition(";")[0].strip().lower() == JSON


def _streams_too(scope: Scope) -> bool:
    """Whether the client says that it takes streams; everything is no such word."""
    return "text/event-stream" in (header(scope, b"accept") or "").lower()
