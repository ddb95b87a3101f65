"""The queue at the one door to writing: first come, first served, across processes.

SQLite's own waiting is a loop that starves some writers, and it is not held while another
process checkpoints; docs/adr/0005-sqlite-store.md has the figures.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from recollect.errors import Busy, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator


class WriteLock:
    """A lock on a file beside the database, for threads of one process as well as for processes."""

    def __init__(self, database: str, patience: float) -> None:
        self._database = database
        self._patience = patience
        self._threads = threading.Lock()
        self._file: int | None = None

    @contextmanager
    def held(self, patience: float | None = None) -> Iterator[None]:
        """Hold the lock. Raises `Busy` when it cannot be had within the patience."""
        patience = self._patience if patience is None else patience
        if not self._threads.acquire(timeout=patience):
            raise _busy(patience)
        try:
            file = self._locked(patience)
            try:
                yield
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Give the file back. A thread that still holds the lock goes on holding it."""
        if self._threads.acquire(blocking=False):
            try:
                if self._file is not None:
                    os.close(self._file)
                    self._file = None
            finally:
                self._threads.release()

    def _locked(self, patience: float) -> int:
        if self._file is None:
            self._file = self._opened()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._queue(self._file, patience)
        return self._file

    def _queue(self, file: int, patience: float) -> None:
        """Stand in line. Raises `Busy` when the turn does not come."""
        turn = _Turn(file)
        came = False
        try:
            came = turn.came_within(patience)
        finally:
            # Also when a signal ends the waiting: nobody may come to hold the lock unawares.
            if not came:
                came = not turn.give_up()
                self._file = file if came else None
        if not came:
            raise _busy(patience)

    def _opened(self) -> int:
        path = f"{self._database}-lock"
        try:
            # Whoever may write the database has to be able to lock it.
            mode = 0o666
            with suppress(FileNotFoundError):
                mode &= os.stat(self._database).st_mode
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
        except OSError as error:
            raise Unavailable(
                f"{path} cannot be opened: {error.strerror}. Nothing was changed; give write "
                "permission to it and its folder, or make room on the disk."
            ) from error


class _Turn:
    """One place in the line. `flock` keeps its waiters in order but knows no time-out.

    So a thread does the waiting; where it comes too late it finds nobody, and unlocks again.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._granted = threading.Event()
        self._given_up = False
        self._settled = threading.Lock()
        threading.Thread(target=self._wait, name="recollect-write-lock", daemon=True).start()

    def came_within(self, patience: float) -> bool:
        """Whether the lock was got in time."""
        return self._granted.wait(patience)

    def give_up(self) -> bool:
        """Leave the line, and the file to the thread; False where the lock has just been got."""
        with self._settled:
            self._given_up = not self._granted.is_set()
            return self._given_up

    def _wait(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        with self._settled:
            if self._given_up:
                # Closing unlocks as well.
                os.close(self._file)
            else:
                self._granted.set()


def _busy(patience: float) -> Busy:
    return Busy(
        f"Another process has been writing to the store for over {patience:g} seconds. "
        "Nothing was changed; try again, and if it goes on, look for a process that hangs."
    )
