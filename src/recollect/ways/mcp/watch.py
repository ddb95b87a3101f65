"""Follows what answers say: whoever asked is told when one has changed, whichever process did it.

Knows nothing of a protocol. What is followed is a function that reads, and one that tells.
"""

from __future__ import annotations

import logging
from hashlib import blake2b
from threading import Condition, Thread
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest, RecollectError

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.engine import Engine

log = logging.getLogger(__name__)

# Seconds between two looks at the ledger. A look takes some tens of microseconds, and who follows
# something hears of a change within one second, reading it again included.
PAUSE = 0.2
# So many readings after each change are still done in time.
MOST = 1000


class _Followed:
    """One answer that somebody follows."""

    def __init__(self, read: Callable[[], str], tell: Callable[[], None]) -> None:
        self._read = read
        self._tell = tell
        self._seen = self._digest()

    def look(self) -> None:
        """Read again, and tell if it says something else than the last time."""
        now = self._digest()
        if now != self._seen:
            self._seen = now
            self._tell()

    def _digest(self) -> bytes:
        return blake2b(self._read().encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Watcher:
    """One thread that follows the ledger, and only while somebody follows something."""

    def __init__(self, engine: Engine, *, pause: float = PAUSE) -> None:
        self._store = engine.ports.store
        self._pause = pause
        self._changed = Condition()
        self._followed: set[_Followed] = set()
        self._thread: Thread | None = None
        self._last = 0

    def follow(self, read: Callable[[], str], tell: Callable[[], None]) -> Callable[[], None]:
        """Read now, tell whenever that reads differently, and answer what ends it.

        Raises:
            InvalidRequest: too much is followed already.
        """
        if len(self._followed) >= MOST:
            raise InvalidRequest(
                f"{MOST} addresses are followed already; unsubscribe from some of them first."
            )
        # The number before the text: what changes between the two is read once too often rather
        # than never.
        last = self._last_event()
        one = _Followed(read, tell)
        with self._changed:
            self._last = last if not self._followed else min(self._last, last)
            self._followed.add(one)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="recollect-watch", daemon=True)
                self._thread.start()
        return lambda: self._leave(one)

    def close(self) -> None:
        """End all following, and wait for a look that is under way."""
        with self._changed:
            self._followed.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _leave(self, one: _Followed) -> None:
        with self._changed:
            self._followed.discard(one)
            if not self._followed:
                self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._followed, self._pause)
                if not self._followed:
                    self._thread = None
                    return
            try:
                self._look()
            except RecollectError as error:
                # The next round tries again; calls report it themselves.
                log.warning("following changes: %s", error)

    def _look(self) -> None:
        last = self._last_event()
        with self._changed:
            if last == self._last:
                return
            self._last = last
            followed = list(self._followed)
        for one in followed:
            one.look()

    def _last_event(self) -> int:
        with self._store.reading() as reader:
            return reader.last_event()
