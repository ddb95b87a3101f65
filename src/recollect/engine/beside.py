"""Runs work in a thread of its own beside what the caller does meanwhile.

The model and the disk are waited for without the interpreter's lock, so that what needs neither
can be done in that time.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

# More calls at once than this wait for each other, as they would for the cores.
_AT_ONCE = 8


class Beside:
    """A few threads, begun when they are first needed. No work may wait for other such work."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: ThreadPoolExecutor | None = None

    def __call__(self, work: Callable[[], T]) -> Callable[[], T]:
        """Begin the work; what is answered waits for it, and answers or raises what it does."""
        return self._pool().submit(work).result

    def close(self) -> None:
        """Wait for what is under way."""
        if self._threads is not None:
            self._threads.shutdown()

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                from concurrent.futures import ThreadPoolExecutor

                self._threads = ThreadPoolExecutor(_AT_ONCE, "recollect-beside")
            return self._threads
