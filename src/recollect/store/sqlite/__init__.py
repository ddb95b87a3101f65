"""The embedded store: one SQLite file, any number of processes, nothing to run beside it."""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import apsw

from recollect.errors import Unavailable
from recollect.store.sqlite import connection as door
from recollect.store.sqlite import files, place
from recollect.store.sqlite.lock import WriteLock
from recollect.store.sqlite.queries import READ
from recollect.store.sqlite.read import SqliteReader
from recollect.store.sqlite.rows import Interned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recollect.model import Problem
    from recollect.ops import Backed
    from recollect.store.sqlite.scans import Scans
    from recollect.store.sqlite.write import SqliteWriter

# How long a writer waits for its turn before it gives up, in seconds.
PATIENCE = 30.0


class SqliteStore:
    """A `Store` in one file. Open it with `open`; any thread of one process may use it.

    A process that was forked has to open the file again, as SQLite's locks and the write lock are
    the parent's; every call on the parent's store says so.
    """

    def __init__(self, path: str, durability: str, patience: float) -> None:
        self.path = path
        self.read_only = not door.writable(path)
        self._durability = durability
        self._lock = WriteLock(path, patience)
        self._idle: list[tuple[apsw.Connection, Interned]] = []
        self._pool = Lock()
        self._writer: tuple[apsw.Connection, Interned] | None = None
        self._scans: Scans | None = None
        self._process = os.getpid()
        self._place: tuple[int, int] | None = None
        self._made = False

    @classmethod
    def open(
        cls, path: str | Path, *, durability: str = "full", patience: float = PATIENCE
    ) -> SqliteStore:
        """Open a store, making a new one where there is no file.

        Raises:
            Damaged: the file is not a sound store; it is left as it is.
            TooNew: a newer Recollect wrote it.
            Unavailable: the folder is missing, or may not be read.
        """
        name = os.path.abspath(path)
        door.check_path(name)
        store = cls(name, durability, patience)
        store._made = place.reserve(name)
        with door.translated(name):
            store._put_aside()
            connection, interned = store._connected()
            # Only now: on layered file systems a file becomes another one when it is opened.
            store._place = place.identity(name)
            try:
                if not door.current(connection, name, read_only=store.read_only):
                    store._prepare(connection)
            except BaseException:
                connection.close()
                raise
            store._idle.append((connection, interned))
        return store

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        """See `Store`."""
        self._check_process()
        with door.translated(self.path):
            with self._pool:
                pair = self._idle.pop() if self._idle else None
            connection, interned = pair or self._connected()
            try:
                connection.execute("BEGIN")
                interned.as_of(connection.execute(READ["snapshot"]).get)
                yield SqliteReader(connection, interned, self._scan_files)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                with self._pool:
                    self._idle.append((connection, interned))
        if self._scans is not None and self._scans.stale and not self.read_only:
            # The answer was right without the file, so nothing here may spoil it.
            with contextlib.suppress(Unavailable):
                self._mend(patience=0)

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        """See `Store`."""
        with self._transaction(None) as writer:
            yield writer

    def mend(self) -> None:
        """Make scan files again that were lost, cut or left behind, and remove unneeded ones."""
        self._mend(patience=None)

    def verify(self) -> list[Problem]:
        """See `Store`."""
        from recollect.store.sqlite.verify import problems

        # FTS5 checks itself against what a connection remembers of the index, which may be of
        # an earlier snapshot; a new connection remembers nothing.
        with self._pool:
            idle, self._idle = self._idle, []
        self._close(idle)
        with self.reading() as reader:
            return problems(reader, self._scan_files)

    def backup(self, path: str) -> Backed:
        """See `Store`."""
        from recollect.store.sqlite.backup import copied

        self._check_process()
        connection, _ = self._connected()
        try:
            return copied(connection, self.path, os.path.abspath(path))
        finally:
            connection.close()

    def size(self) -> int:
        """See `Store`."""
        return files.size(self.path)

    def close(self) -> None:
        """See `Store`."""
        if os.getpid() != self._process:
            # Closing a file would give up locks that the parent holds.
            return
        with self._pool:
            pairs = [*self._idle, *([self._writer] if self._writer else [])]
            self._idle.clear()
            self._writer = None
        self._close(pairs)
        self._lock.close()
        if self._scans is not None:
            self._scans.close()

    def withdraw(self) -> None:
        """Close the store, and remove it where this opened it anew and nobody wrote to it since."""
        if self._made:
            with self._transaction(None) as writer:
                if not writer.last_event():
                    # Whoever has opened it meanwhile is refused to write from here on.
                    place.remove(self.path)
        self.close()

    def _close(self, pairs: list[tuple[apsw.Connection, Interned]]) -> None:
        with contextlib.ExitStack() as stack:
            if pairs and not self.read_only:
                # The last one to close checkpoints, which must not meet another's. Where a
                # writer is stuck, the log stays, which the next one to open takes care of.
                with contextlib.suppress(Unavailable):
                    stack.enter_context(self._lock.held())
            for connection, _ in pairs:
                connection.close()

    @contextmanager
    def _transaction(self, patience: float | None) -> Iterator[SqliteWriter]:
        from recollect.store.sqlite.write import SqliteWriter

        self._check_process()
        if self.read_only:
            raise Unavailable(f"{self.path} cannot be written. Give write permission to it.")
        with door.translated(self.path), self._lock.held(patience):
            self._check_place()
            connection, interned = self._writer = self._writer or self._connected()
            writer = SqliteWriter(connection, interned, self._scan_files)
            connection.execute("BEGIN IMMEDIATE")
            try:
                interned.as_of(connection.execute(READ["snapshot"]).get)
                if writer.outdated():
                    writer.mend()
                yield writer
                writer.complete()
                connection.execute("COMMIT")
            except BaseException:
                # What was interned in this transaction is not there any more.
                self._writer = connection, Interned(connection)
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                if writer.wide:
                    door.narrow(connection)
            writer.committed()
            if writer.forgot:
                _empty_log(connection)

    def _mend(self, patience: float | None) -> None:
        with self._transaction(patience) as writer:
            writer.mend()
        self._scan_files().stale = False

    def _scan_files(self) -> Scans:
        """The scan files; NumPy loads with the first search or write of a vector."""
        if self._scans is None:
            self._scans = self._loaded_scans()
        return self._scans

    def _loaded_scans(self) -> Scans:
        from recollect.store.sqlite.scans import Scans

        made = Scans(self.path, self._id())
        with self._pool:
            # Another thread may have been faster.
            return self._scans or made

    def _prepare(self, connection: apsw.Connection) -> None:
        if self.read_only:
            raise Unavailable(
                f"{self.path} is empty or of an older format, and cannot be written to bring it "
                "up to date. Give write permission to it."
            )
        with self._lock.held():
            door.prepare(connection, self.path)

    def _put_aside(self) -> None:
        if not place.foreign_log(self.path):
            return
        if self.read_only:
            raise Unavailable(
                f"{self.path} is a backup in the place of another store, and that one's log is"
                " still beside it. Give write permission to it, or have its owner open it once."
            )
        with self._lock.held():
            place.put_aside(self.path)

    def _id(self) -> str:
        connection, _ = self._connected()
        try:
            return str(connection.execute(READ["meta"], {"key": "id"}).get)
        finally:
            connection.close()

    def _connected(self) -> tuple[apsw.Connection, Interned]:
        connection = door.connect(self.path, self._durability, read_only=self.read_only)
        try:
            self._check_place()
        except BaseException:
            connection.close()
            raise
        return connection, Interned(connection)

    def _check_place(self) -> None:
        """Refuse what would be kept in a file that nobody finds any more."""
        if self._place is not None and place.identity(self.path) != self._place:
            raise place.moved(self.path)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise Unavailable(
                f"{self.path} was opened before this process was forked. Open it again here."
            )


def _empty_log(connection: apsw.Connection) -> None:
    """Take deleted text out of the log too. Where a reader is in the way, a later one does it."""
    connection.set_busy_timeout(0)
    with contextlib.suppress(apsw.BusyError):
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.set_busy_timeout(door.BUSY_MS)
