"""The embedded store: one SQLite file, any number of processes, nothing to run beside it."""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import apsw

from recollect.errors import Unavailable
from recollect.store.sqlite.connection import (
    check_path,
    connect,
    current,
    prepare,
    translated,
    writable,
)
from recollect.store.sqlite.lock import WriteLock
from recollect.store.sqlite.queries import READ
from recollect.store.sqlite.read import SqliteReader
from recollect.store.sqlite.rows import Interned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recollect.model import Problem
    from recollect.store.sqlite.scans import Scans
    from recollect.store.sqlite.write import SqliteWriter

# How long a writer waits for its turn before it gives up, in seconds.
PATIENCE = 30.0


class SqliteStore:
    """A `Store` in one file. Open it with `open`; any thread may use it."""

    def __init__(self, path: str, durability: str, patience: float) -> None:
        self.path = path
        self._durability = durability
        self._lock = WriteLock(f"{path}-lock", patience)
        self._idle: list[tuple[apsw.Connection, Interned]] = []
        self._pool = Lock()
        self._writer: tuple[apsw.Connection, Interned] | None = None
        self._scans: Scans | None = None
        self.read_only = False

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
        store = cls(os.fspath(path), durability, patience)
        with translated(store.path):
            check_path(store.path)
            store.read_only = not writable(store.path)
            connection = connect(store.path, durability, read_only=store.read_only)
            try:
                if not current(connection, store.path):
                    store._prepare(connection)
            except BaseException:
                connection.close()
                raise
            store._idle.append((connection, Interned(connection)))
        return store

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        """See `Store`."""
        with translated(self.path):
            with self._pool:
                pair = self._idle.pop() if self._idle else None
            connection, interned = pair or self._connected()
            try:
                connection.execute("BEGIN")
                connection.execute(READ["snapshot"]).fetchall()
                yield SqliteReader(connection, interned, self._scan_files)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                with self._pool:
                    self._idle.append((connection, interned))
        if self._scans is not None and self._scans.stale and not self.read_only:
            self.mend()

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        """See `Store`."""
        from recollect.store.sqlite.write import SqliteWriter

        if self.read_only:
            raise Unavailable(f"{self.path} cannot be written. Give write permission to it.")
        with translated(self.path), self._lock.held():
            connection, interned = self._writer = self._writer or self._connected()
            connection.execute("BEGIN IMMEDIATE")
            writer = SqliteWriter(connection, interned, self._scan_files)
            try:
                if writer.outdated():
                    writer.mend()
                yield writer
                connection.execute("COMMIT")
            except BaseException:
                # What was interned in this transaction is not there any more.
                self._writer = connection, Interned(connection)
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            writer.committed()
            if writer.forgot:
                self._empty_log(connection)

    def mend(self) -> None:
        """Make scan files again that were lost, cut or left behind."""
        with self.writing() as writer:
            writer.mend()
        with self.reading() as reader:
            self._scan_files().tidy([model for model in (reader.serving(), reader.coming()) if model])

    def verify(self) -> list[Problem]:
        """See `Store`."""
        from recollect.store.sqlite.verify import problems

        # FTS5 checks itself against what a connection remembers of the index, which may be of
        # an earlier snapshot; a new connection remembers nothing.
        with self._pool:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()
        with self.reading() as reader:
            return problems(reader, self._scan_files)

    def size(self) -> int:
        """See `Store`."""
        files = [self.path, f"{self.path}-wal"]
        return sum(os.path.getsize(file) for file in files if os.path.exists(file)) + (
            self._scan_files().size()
        )

    def close(self) -> None:
        """See `Store`."""
        with self._pool:
            pairs = [*self._idle, *([self._writer] if self._writer else [])]
            self._idle.clear()
            self._writer = None
        # The last one to close checkpoints, which must not meet another process's checkpoint.
        with contextlib.ExitStack() as stack:
            if not self.read_only:
                stack.enter_context(self._lock.held())
            for connection, _ in pairs:
                connection.close()
        self._lock.close()
        if self._scans is not None:
            self._scans.close()

    def _scan_files(self) -> Scans:
        """The scan files; NumPy loads with the first search or write of a vector."""
        if self._scans is None:
            from recollect.store.sqlite.scans import Scans

            with self._pool:
                self._scans = self._scans or Scans(self.path, self._id())
        return self._scans

    def _prepare(self, connection: apsw.Connection) -> None:
        if self.read_only:
            raise Unavailable(
                f"{self.path} is empty or of an older format, and cannot be written to bring it "
                "up to date. Give write permission to it"
            )
        with self._lock.held():
            prepare(connection)

    def _id(self) -> str:
        connection, _ = self._connected()
        try:
            return str(connection.execute(READ["meta"], {"key": "id"}).get)
        finally:
            connection.close()

    def _connected(self) -> tuple[apsw.Connection, Interned]:
        connection = connect(self.path, self._durability, read_only=self.read_only)
        return connection, Interned(connection)

    def _empty_log(self, connection: apsw.Connection) -> None:
        """Take deleted text out of the log too. Where a reader is in the way, closing does it."""
        connection.set_busy_timeout(0)
        with contextlib.suppress(apsw.BusyError):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.set_busy_timeout(10_000)
