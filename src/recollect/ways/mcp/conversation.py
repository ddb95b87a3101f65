"""One client's conversation as lines: which requests are open, and which came in one batch.

Answers by itself what is no message. Whatever else a line holds is for others to answer, with
`answer`; those that came in an array go back in one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from recollect.ways.mcp.message import (
    INVALID_REQUEST,
    Malformed,
    checked,
    decoded,
    encoded,
    tolerated,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Id: TypeAlias = str | int

# An answer to this is the end of a stream that the client keeps open.
_ENDLESS = "subscriptions/listen"


class Conversation:
    """What has been asked and not been answered yet."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        # The batch that each open request came in, if it came in one.
        self._open: dict[Id, _Batch | None] = {}
        self._endless: set[Id] = set()
        # Answered before the one who will answer it too.
        self._ahead: set[Id] = set()
        self._quiet: Callable[[], None] | None = None

    @property
    def waiting(self) -> bool:
        """Whether a request that will have an answer by itself does not have it yet."""
        return bool(self._open.keys() - self._endless)

    def when_quiet(self, tell: Callable[[], None]) -> None:
        """Tell once nothing waits any more: now, or after the last answer."""
        self._quiet = tell
        self._told()

    def take(self, line: bytes) -> list[dict[str, Any]]:
        """The messages on a line that somebody has to see to."""
        if not line.strip():
            return []
        try:
            document = decoded(line)
            if isinstance(document, list):
                return self._several(document)
            return [self._one(document, None)]
        except Malformed as wrong:
            self._write(encoded(wrong.answer))
            return []

    def answer(self, id_: Id | None, message: bytes) -> None:
        """Send the answer to a request, unless it was answered ahead."""
        if id_ in self._ahead and id_ not in self._open:
            self._ahead.discard(id_)
            return
        batch = None if id_ is None else self._ended(id_)
        if batch is None:
            self._write(message)
        else:
            batch.said.append(message)
            self._deliver(batch)
        self._told()

    def answer_ahead(self, id_: Id, message: bytes) -> None:
        """Send the answer to a request that will be answered once more; that one is dropped."""
        self.answer(id_, message)
        self._ahead.add(id_)

    def say(self, message: bytes) -> None:
        """Send what answers nothing: a notification, or a request of the server."""
        self._write(message)

    def refuse(self, message: dict[str, Any], why: str) -> None:
        """Answer what the protocol has no place for; a notification has no answer."""
        if "id" in message:
            wrong = Malformed(INVALID_REQUEST, why, message["id"])
            self.answer(message["id"], encoded(wrong.answer))

    def _several(self, documents: list[Any]) -> list[dict[str, Any]]:
        if not documents:
            raise Malformed(INVALID_REQUEST, "An array of messages holds at least one.")
        batch = _Batch()
        found: list[dict[str, Any]] = []
        for document in documents:
            try:
                found.append(self._one(document, batch))
            except Malformed as wrong:
                batch.said.append(encoded(wrong.answer))
        self._deliver(batch)
        return found

    def _one(self, document: object, batch: _Batch | None) -> dict[str, Any]:
        message = tolerated(checked(document))
        method, id_ = message.get("method"), message.get("id")
        if method == "notifications/cancelled":
            self._cancelled(message.get("params", {}).get("requestId"))
        if method is None or id_ is None:
            return message
        if id_ in self._open:
            raise Malformed(INVALID_REQUEST, "A request with this id is still open.", id_)
        self._open[id_] = batch
        if batch is not None:
            batch.waiting += 1
        if method == _ENDLESS:
            self._endless.add(id_)
        return message

    def _cancelled(self, id_: object) -> None:
        """Nobody waits for this answer, and there may be none."""
        if isinstance(id_, str | int) and (batch := self._ended(id_)) is not None:
            self._deliver(batch)
        self._told()

    def _ended(self, id_: Id) -> _Batch | None:
        self._endless.discard(id_)
        batch = self._open.pop(id_, None)
        if batch is not None:
            batch.waiting -= 1
        return batch

    def _told(self) -> None:
        if self._quiet is not None and not self.waiting:
            self._quiet()

    def _deliver(self, batch: _Batch) -> None:
        if batch.said and not batch.waiting:
            self._write(b"[" + b",".join(batch.said) + b"]")


class _Batch:
    """Requests that came in one array: how many are open, and what was answered."""

    def __init__(self) -> None:
        self.waiting = 0
        self.said: list[bytes] = []
