"""The queue at the one door to writing: first come, first served, across processes.

SQLite's own waiting is a loop that starves some writers, and it is not held while another
process checkpoints; docs/adr/0005-sqlite-store.md has the figures.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recollect.errors import Busy

if TYPE_CHECKING:
    from collections.abc import Iterator


class WriteLock:
    """A lock on a file, for threads of one process as well as for processes."""

    def __init__(self, path: str, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._threads = threading.Lock()
        self._file: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises `Busy` when it cannot be had within the patience."""
        if not self._threads.acquire(timeout=self._patience):
            raise Busy(_busy(self._patience))
        try:
            file = self._locked()
            try:
                yield
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Give the file back. The lock must not be held."""
        with self._threads:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _locked(self) -> int:
        if self._file is None:
            self._file = self._opened()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._queue(self._file)
        return self._file

    def _queue(self, file: int) -> None:
        # flock keeps its waiters in order but knows no time-out, so a thread does the waiting;
        # one that comes too late finds nobody and unlocks again.
        granted = threading.Event()
        given_up = threading.Event()
        settled = threading.Lock()

        def wait() -> None:
            fcntl.flock(file, fcntl.LOCK_EX)
            with settled:
                granted.set()
                if given_up.is_set():
                    fcntl.flock(file, fcntl.LOCK_UN)
                    os.close(file)

        threading.Thread(target=wait, name="recollect-write-lock", daemon=True).start()
        if granted.wait(self._patience):
            return
        with settled:
            if granted.is_set():
                return
            given_up.set()
            # The waiting thread closes this one when it wakes; the next writer opens its own.
            self._file = None
        raise Busy(_busy(self._patience))

    def _opened(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _busy(patience: float) -> str:
    return (
        f"Another process has been writing to the store for over {patience:g} seconds. "
        "Nothing was changed; try again, and if it goes on, look for a process that hangs."
    )
