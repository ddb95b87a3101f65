"""A write that is sent again with the same key is not done again: its first answer is given back.

Kept by this process for a day. A server that was started anew does not know them any more.
"""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING

from recollect.value import Value
from recollect.ways.http.rest.failing import wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.ways.http.asgi import Answer

HEADER = "idempotency-key"
LONGEST = 200
_KEPT = 24 * 60 * 60.0
_MOST = 10_000
# Longer answers are not kept twice over.
_LARGEST = 256 * 1024


class _Write(Value):
    """A write that came with a key: what it was, and its answer once there is one."""

    print: bytes
    at: float
    answer: Answer | None = None


class Once:
    """The writes that came with a key. Is asked by one thread alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._writes: dict[tuple[str, str], _Write] = {}

    def begun(self, client: str, key: str, asked: bytes) -> Answer | None:
        """Note that a write begins; answers what it came to, or why it cannot, if it was before."""
        now = self._clock()
        self._forget(now)
        seen = self._writes.get((client, key))
        mark = sha256(asked).digest()
        if seen is None:
            self._writes[client, key] = _Write(mark, now)
            return None
        if seen.print != mark:
            return wrong(422, "key_used", "This Idempotency-Key was sent with another request.")
        if seen.answer is None:
            return wrong(409, "in_progress", "The request with this Idempotency-Key is still done.")
        return seen.answer

    def ended(self, client: str, key: str, answer: Answer) -> None:
        """Note what a write came to. What failed for reasons of ours may be tried again."""
        seen = self._writes.pop((client, key), None)
        if seen is None:
            # Forgotten meanwhile, because there were so many others.
            return
        if answer.status < 429 and len(answer.body) <= _LARGEST:  # noqa: PLR2004 -- HTTP's number
            self._writes[client, key] = _Write(seen.print, seen.at, answer)

    def _forget(self, now: float) -> None:
        while self._writes:
            first = next(iter(self._writes))
            if len(self._writes) < _MOST and now - self._writes[first].at < _KEPT:
                return
            del self._writes[first]
