"""Copies a store that is in use to a new file, and looks whether the copy is sound."""

from __future__ import annotations

import contextlib
import os

import apsw

from recollect.errors import Conflict, Damaged
from recollect.ops import Backed
from recollect.store.sqlite import SqliteStore, files, place
from recollect.store.sqlite import connection as door


def copied(source: apsw.Connection, name: str, path: str) -> Backed:
    """Copy what the connection's file holds now to a new one, which is not kept if unsound."""
    _reserve(path)
    try:
        with door.translated(name):
            _copy(source, path)
        return _checked(path)
    except BaseException:
        place.remove(path)
        raise
    finally:
        # The copy is one file; whoever writes to it first makes these anew.
        files.tidy(path, set())
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}-lock")


def _reserve(path: str) -> None:
    """Make an empty file that only its owner may read, where nothing is yet."""
    door.check_path(path)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Conflict(f"{path} is there already. Name another file, or remove it.") from None


def _copy(source: apsw.Connection, path: str) -> None:
    target = apsw.Connection(path)
    try:
        # In one step, which is one snapshot: writers are not held up by it, nor it by them.
        with target.backup("main", source, "main") as work:
            work.step(-1)
    finally:
        target.close()


def _checked(path: str) -> Backed:
    copy = SqliteStore.open(path)
    try:
        copy.mend()
        if found := copy.verify():
            raise Damaged(
                f"The copy is not sound ({found[0].what}), and was not kept. Look at the store"
                " with `recollect verify`."
            )
        with copy.reading() as reader:
            held = reader.total(), reader.last_event()
    finally:
        copy.close()
    _end_log(path)
    return Backed(*held, os.path.getsize(path))


def _end_log(path: str) -> None:
    """Let the file say that it has no log, by which that of another store is told beside it."""
    connection = apsw.Connection(path)
    try:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    finally:
        connection.close()
