"""A store that could not be opened: whatever is asked of it tries again, and says why not.

A server that a client has started answers so, call by call, in place of being gone: what is wrong
is read where the model sees it, and once it is mended nobody has to start anything again.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING

from recollect.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from recollect.model import Problem
    from recollect.ops import Backed
    from recollect.store import Reader, Store, Writer


log = logging.getLogger(__name__)


class BarredStore:
    """Each door opens the store first, or raises what `open_` raises."""

    def __init__(self, open_: Callable[[], Store]) -> None:
        self._open = open_
        self._opened: Store | None = None
        self._opening = Lock()
        self._said = ""

    def _store(self) -> Store:
        with self._opening:
            if self._opened is None:
                try:
                    self._opened = self._open()
                except Unavailable as error:
                    self._tell(str(error))
                    raise
            return self._opened

    def _tell(self, why: str) -> None:
        # Callers hear no path; whoever keeps the machine reads it here, once.
        if why != self._said:
            self._said = why
            log.error("%s", why)

    def reading(self) -> AbstractContextManager[Reader]:
        """A snapshot, if the store can be opened by now."""
        return self._store().reading()

    def writing(self) -> AbstractContextManager[Writer]:
        """A transaction, if the store can be opened by now."""
        return self._store().writing()

    def verify(self) -> list[Problem]:
        """Check what can be opened by now."""
        return self._store().verify()

    def backup(self, path: str) -> Backed:
        """Copy what can be opened by now."""
        return self._store().backup(path)

    def size(self) -> int:
        """The size of what can be opened by now."""
        return self._store().size()

    def close(self) -> None:
        """Close it, if it was ever opened."""
        if self._opened is not None:
            self._opened.close()
