"""What a request must be before anything is done about it: for us, from no foreign page, whole.

Stands before every route. Hands on the request with its body read.
"""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING

import anyio

from recollect.ways.http.address import allowed_names, is_literal, name_in
from recollect.ways.http.asgi import handed_on, header, headers, problem

if TYPE_CHECKING:
    from recollect.ways.http.address import Address
    from recollect.ways.http.asgi import Answer, App, Message, Receive, Scope, Send

TOO_LARGE = 413
# As the SDK has it.
LARGEST_BODY = 4 * 1024 * 1024
# Seconds within which a body has to be there.
PATIENCE = 10.0
# So much more of a body that is too large is taken in and dropped: a client that is cut off while
# it sends never reads why.
LARGEST_REST = 64 * 1024 * 1024


class Guard:
    """Turns away what comes by a wrong name, from a foreign page, too large or too slowly."""

    def __init__(
        self, app: App, at: Address, names: tuple[str, ...] = (), patience: float = PATIENCE
    ) -> None:
        self._app = app
        self._loopback = at.loopback
        self._names = allowed_names(at, names)
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See to one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wrong = self._wrong(scope)
        if wrong is None:
            body = await self._body(scope, receive)
            if isinstance(body, bytes):
                await self._served(scope, handed_on(body, receive), send)
                return
            wrong = body
        if wrong is not None:
            if wrong.status == TOO_LARGE and header(scope, b"expect") is None:
                await self._rest(receive)
            await wrong.send(send)

    async def _rest(self, receive: Receive) -> None:
        """Take in what the client still sends, up to some end."""
        left, more = LARGEST_REST, True
        with anyio.move_on_after(self._patience):
            while more and left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                more = message.get("more_body", False)

    async def _served(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what may be. What a server that ends has no time for is told that it has none."""
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, told)
        except CancelledError:
            if begun:
                raise
            await _ending().send(send)

    def _wrong(self, scope: Scope) -> Answer | None:
        hosts = headers(scope, b"host")
        if len(hosts) != 1 or not self._known(name_in(hosts[0])):
            return problem(
                421,
                "Misdirected request",
                "This server does not go by that name. Call it by its address, or add the name to"
                " RECOLLECT_HTTP_HOSTS.",
            )
        origins = headers(scope, b"origin")
        if len(origins) > 1 or not all(self._own(origin) for origin in origins):
            return problem(
                403,
                "Foreign origin",
                "A page of another origin may not call this server.",
            )
        return _wrong_body(scope)

    def _known(self, name: str | None) -> bool:
        if name is None:
            return False
        # A number cannot be pointed elsewhere, and whoever serves others has many addresses.
        return name in self._names or (not self._loopback and is_literal(name))

    def _own(self, origin: str) -> bool:
        scheme, _, authority = origin.partition("://")
        return scheme in {"http", "https"} and self._known(name_in(authority))

    async def _body(self, scope: Scope, receive: Receive) -> bytes | Answer | None:
        """The body, or what is wrong with it, or None where the client is gone."""
        length, parts = header(scope, b"content-length"), header(scope, b"transfer-encoding")
        if length in {None, "0"} and parts is None:
            return b""
        read = bytearray()
        with anyio.move_on_after(self._patience):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                read += message.get("body", b"")
                if len(read) > LARGEST_BODY:
                    return _too_large()
                if not message.get("more_body", False):
                    return bytes(read)
        return problem(
            408,
            "Too slow",
            f"The body was not there within {self._patience:g} seconds. Send it at once.",
            ("connection", "close"),
        )


def _wrong_body(scope: Scope) -> Answer | None:
    """What is wrong with a body as far as its head says."""
    length = header(scope, b"content-length")
    if length is not None and header(scope, b"transfer-encoding") is not None:
        # A proxy before this server may have seen another end of it, and another request behind.
        return problem(
            400,
            "Two lengths",
            "The body has a Content-Length and comes in chunks. Send it in one of both ways.",
            ("connection", "close"),
        )
    if (header(scope, b"content-encoding") or "identity").strip().lower() != "identity":
        return problem(415, "Unsupported encoding", "Send the body as it is, not compressed.")
    if length is not None and length.isdigit() and int(length) > LARGEST_BODY:
        return _too_large()
    return None


def _ending() -> Answer:
    return problem(
        503,
        "Ending",
        "The server ends and had no time left for this. What was written is whole; ask again, and"
        " work that was under way goes on where it stopped.",
        ("connection", "close"),
        ("retry-after", "5"),
    )


def _too_large() -> Answer:
    return problem(
        TOO_LARGE,
        "Too large",
        f"A request may have {LARGEST_BODY:,} bytes. Send less at once.",
        ("connection", "close"),
    )
