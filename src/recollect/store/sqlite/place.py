"""What lies at a store's path: whether it is still what was opened, and what is not its own."""

from __future__ import annotations

import contextlib
import os
from itertools import count

import apsw

from recollect.errors import Unavailable

# Where SQLite notes in a file's header whether it writes a log, and how it says that it does not.
_KIND_OF_JOURNAL = 18
_NO_LOG = b"\x01\x01"


def reserve(path: str) -> bool:
    """Make an empty file for its owner alone where there is none; SQLite's would be for all."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError:
        # It is there already, or opening says why it cannot be made.
        return False
    return True


def remove(path: str) -> None:
    """Remove a file, and what lies beside it by SQLite's hand or ours, if it is there."""
    for name in (path, *_beside(path), f"{path}-lock"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def identity(path: str) -> tuple[int, int] | None:
    """What tells the file at a path from one that is put in its place."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def moved(path: str) -> Unavailable:
    """The error of who has a file open that is not at its path any more."""
    return Unavailable(
        f"{path} was removed, renamed or replaced while it was open. Nothing was changed. Put the"
        " file back, or start this program again to go on with what is there now.",
        path=path,
    )


def foreign_log(path: str) -> bool:
    """Whether a log lies beside a file that has none: that of a store whose place it took.

    A store keeps a log from its first moment on, and a backup never does; so a log beside a backup
    that nobody has opened yet is another's. SQLite would take it in.
    """
    return any(map(os.path.exists, _beside(path))) and _header(path) == _NO_LOG


def put_aside(path: str) -> None:
    """Take such a log out of SQLite's way. Under the write lock only."""
    if not foreign_log(path):
        return
    wal, shared = _beside(path)
    # A process that still has the old store open keeps both.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(shared)
    if os.path.exists(wal) and os.path.getsize(wal):
        aside = next(name for n in count(1) if not os.path.exists(name := f"{wal}-aside-{n}"))
        os.rename(wal, aside)
        # Hardly ever needed, so that no read by id pays for it.
        import logging

        logging.getLogger(__name__).warning(
            "%s is a backup in the place of another store, whose last changes were in a log beside"
            " it. They were not taken in. The log is now %s; remove it if nobody needs it.",
            path,
            aside,
        )
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(wal)


def _beside(path: str) -> tuple[str, str]:
    return f"{path}-wal", f"{path}-shm"


def _header(path: str) -> bytes:
    # By SQLite's own hand: to close a file otherwise gives up the locks of all who have it open.
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    file = apsw.VFSFile("", path, [flags, 0])
    try:
        return file.xRead(len(_NO_LOG), _KIND_OF_JOURNAL)
    finally:
        file.xClose()
