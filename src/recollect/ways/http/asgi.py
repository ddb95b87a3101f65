"""What passes between the server and its parts: one request, read whole, and its answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping

    Scope: TypeAlias = MutableMapping[str, Any]
    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON = "application/json"
# Under this a request's head has the headers that its answer is to have, of whoever answers it.
SAID = "recollect.said"


class Answer(Value):
    """A whole answer."""

    status: int
    body: bytes = b""
    type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()

    async def send(self, send: Send, *, bare: bool = False) -> None:
        """Send it; where that is wanted, as bare as the answer to a HEAD is."""
        shown = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in (
                *((("content-type", self.type),) if self.body else ()),
                ("content-length", str(len(self.body))),
                ("x-content-type-options", "nosniff"),
                *self.headers,
            )
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": shown})
        await send({"type": "http.response.body", "body": b"" if bare else self.body})


def said(
    status: int, document: Mapping[str, object] | list[Any], *headers: tuple[str, str]
) -> Answer:
    """An answer of one JSON document."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # Half of a character, which JSON can only spell as an escape.
    return Answer(status, text.encode("utf-8", "backslashreplace"), headers=headers)


def problem(status: int, title: str, detail: str, *headers: tuple[str, str]) -> Answer:
    """A failure as RFC 9457 has it."""
    document = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Answer(
        status,
        json.dumps(document, ensure_ascii=False).encode(),
        "application/problem+json",
        headers,
    )


def header(scope: Scope, name: bytes) -> str | None:
    """The value of a header; of several of one name the first."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def headers(scope: Scope, name: bytes) -> list[str]:
    """All values of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def with_headers(scope: Scope, changed: Mapping[bytes, bytes | None]) -> Scope:
    """The same request with some headers changed, or left out."""
    kept: Iterable[tuple[bytes, bytes]] = (
        (key, value) for key, value in scope["headers"] if key not in changed
    )
    given = ((key, value) for key, value in changed.items() if value is not None)
    return {**scope, "headers": [*kept, *given]}


def handed_on(body: bytes, receive: Receive) -> Receive:
    """Hands on a body that was read, and then whatever else comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
