"""Vectors of texts seen before, in a small file that all processes share.

Everything in it can be computed again, so nothing here is ever worth failing for: a file that
cannot be used is left out, a damaged one is made anew. The one exception is `forget`.
"""

from __future__ import annotations

import json
import os
from threading import Lock
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

import apsw

from recollect.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T = TypeVar("T")

# "rcve", which marks the file as a cache that may be deleted.
APPLICATION = 0x72637665
VERSION = 1
# About 33 MB with 384 dimensions, and as much again with the codes of short texts' words.
ROWS = 32_768
# A transaction costs as much as 30 of its rows; a crash loses at most this many.
PENDING = 64
# Readers never wait, and a writer that waits for longer than this gives up its entries.
WAIT_MS = 250
# To forget is a promise, so it waits as long as a person would.
FORGET_WAIT_MS = 5_000
_HEADER = 100
_MAGIC = b"SQLite format 3\0"


class DiskCache:
    """A bounded table of vectors by digest, oldest out. Opened when first asked."""

    def __init__(self, path: str, *, rows: int = ROWS, pending: int = PENDING) -> None:
        self.path = path
        self.problem: str | None = None
        self._rows = rows
        self._most_pending = pending
        self._lock = Lock()
        self._open: apsw.Connection | None = None
        self._pending: dict[tuple[bytes, bytes], bytes] = {}
        self._times_forgotten = 0

    def find(self, space: bytes, texts: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors that are known, by digest of the text."""
        arguments = {"space": space, "texts": _hex(texts)}

        def work(db: apsw.Connection) -> dict[bytes, bytes]:
            return {
                text: codes[:-4]
                for text, codes in db.execute(_STATEMENTS["find"], arguments)
                if codes[-4:] == _checksum(codes[:-4])
            }

        return self._try(work, {})

    def keep(self, space: bytes, vectors: Mapping[bytes, bytes]) -> None:
        """Remember vectors, and write them down when enough have come together."""
        with self._lock:
            if self.problem is not None:
                return
            for text, codes in vectors.items():
                self._pending[text, space] = codes
            enough = len(self._pending) >= self._most_pending
        if enough:
            self.flush()

    def flush(self) -> None:
        """Write down what has come together."""
        if self._pending:
            self._try(self._write, None)

    def forget(self, texts: Iterable[bytes]) -> None:
        """Remove the vectors of these texts, of every model and role, and their traces.

        Raises:
            Unavailable: they may still be in the file; the message says how to be rid of them.

        """
        gone = set(texts)
        with self._lock:
            self._pending = {k: v for k, v in self._pending.items() if k[0] not in gone}
        self._must_erase("forget", {"texts": _hex(gone)})

    def forget_all(self) -> None:
        """Remove every vector. Raises `Unavailable` as `forget` does."""
        with self._lock:
            self._pending.clear()
        self._must_erase("forget_all", {})

    def _must_erase(self, statement: str, bound: dict[str, str]) -> None:
        done = self._try(lambda db: self._erase(db, statement, bound), otherwise=False)
        if not done and _is_ours(self.path):
            raise Unavailable(
                f"The vectors of forgotten texts could not be removed from {self.path}. Try again,"
                " or delete that file: it is only a cache.",
                path=self.path,
                problem=self.problem,
            )

    def close(self) -> None:
        """Write down the rest and close the file."""
        self.flush()
        with self._lock:
            self._let_go()

    def _try(self, work: Callable[[apsw.Connection], T], otherwise: T) -> T:
        """Do it if the file allows, and never let the file's troubles reach the caller."""
        with self._lock:
            if self.problem is not None:
                return otherwise
            try:
                return work(self._connection())
            except (apsw.BusyError, apsw.LockedError):
                self._pending.clear()
                return otherwise
            except (apsw.CorruptError, apsw.NotADBError):
                self._discard()
                return otherwise
            except (apsw.Error, OSError) as error:
                self._give_up(f"{self.path} cannot be used as an embedding cache: {error}")
                return otherwise

    def _connection(self) -> apsw.Connection:
        if self._open is None:
            _prepare(self.path)
            if not _may_be_replaced(self.path):
                raise OSError(f"it is a file of another kind; choose another path ({self.path})")
            self._open = _opened(self.path)
            self._times_forgotten = _times_forgotten(self._open)
        return self._open

    def _write(self, db: apsw.Connection) -> None:
        pending, self._pending = self._pending, {}
        with _transaction(db):
            if self._others_forgot(db):
                return
            db.executemany(
                _STATEMENTS["keep"],
                (
                    {"text": text, "space": space, "codes": codes + _checksum(codes)}
                    for (text, space), codes in pending.items()
                ),
            )
            db.execute(_STATEMENTS["trim"], {"rows": self._rows})

    def _others_forgot(self, db: apsw.Connection) -> bool:
        """Whether another process has forgotten something since this one last looked."""
        before, self._times_forgotten = self._times_forgotten, _times_forgotten(db)
        return before != self._times_forgotten

    def _erase(self, db: apsw.Connection, statement: str, bound: dict[str, str]) -> bool:
        db.set_busy_timeout(FORGET_WAIT_MS)
        try:
            with _transaction(db):
                if self._others_forgot(db):
                    self._pending.clear()
                db.execute(_STATEMENTS[statement], bound)
                db.execute(_STATEMENTS["count_forgetting"])
                self._times_forgotten += 1
            # The log still holds the pages as they were.
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            db.set_busy_timeout(WAIT_MS)
        return True

    def _discard(self) -> None:
        """Delete a damaged file; the next use makes it anew."""
        self._let_go()
        for suffix in ("", "-wal", "-shm"):
            try:
                os.unlink(self.path + suffix)  # pathlib costs 3 ms to import
            except FileNotFoundError:
                continue
            except OSError as error:
                self._give_up(f"{self.path} is damaged and cannot be deleted: {error}")

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._pending.clear()
        self._let_go()

    def _let_go(self) -> None:
        if self._open is not None:
            # Forced: after an error there may be nothing left that could be finished in order.
            self._open.close(True)  # noqa: FBT003  # positional in apsw
            self._open = None


def _prepare(path: str) -> None:
    """Make the folder and an empty file that nobody else can read: vectors hint at texts."""
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _header(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEADER)


def _is_ours(path: str) -> bool:
    """Whether the file says that it is a cache of this kind."""
    try:
        header = _header(path)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[68:72] == APPLICATION.to_bytes(4)


def _may_be_replaced(path: str) -> bool:
    """Whether the file is a cache, or holds nothing. A mistyped path must not cost a memory.

    Zeros are what a power cut leaves of a file that was never synchronised.
    """
    return _is_ours(path) or not any(_header(path))


def _opened(path: str) -> apsw.Connection:
    db = apsw.Connection(path)
    try:
        _set_up(db)
    except apsw.Error:
        db.close()
        raise
    return db


def _set_up(db: apsw.Connection) -> None:
    db.set_busy_timeout(WAIT_MS)
    db.pragma("synchronous", "off")
    db.pragma("secure_delete", True)  # noqa: FBT003  # positional in apsw
    if db.pragma("user_version") == 0:
        with _transaction(db):
            _create(db)
    # Only now: in the log, the mark in the header would be hidden from those who look for it.
    db.pragma("journal_mode", "wal")
    version = db.pragma("user_version")
    if version != VERSION:
        raise apsw.CorruptError(f"its version is {version}")


def _create(db: apsw.Connection) -> None:
    """Make the tables, unless another process has done so while this one waited."""
    if db.pragma("user_version") == 0:
        db.pragma("application_id", APPLICATION)
        db.pragma("user_version", VERSION)
        for name in ("create_vector", "create_forgetting", "begin_forgetting"):
            db.execute(_STATEMENTS[name])


def _times_forgotten(db: apsw.Connection) -> int:
    times = db.execute(_STATEMENTS["times_forgotten"]).get
    return int(times)


class _transaction:  # noqa: N801  # reads as a statement
    """All or nothing, with the write lock taken first so that no reading goes stale."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _checksum(codes: bytes) -> bytes:
    return crc32(codes).to_bytes(4)


def _hex(digests: Iterable[bytes]) -> str:
    return json.dumps([digest.hex() for digest in digests])


def _statements() -> dict[str, str]:
    path = os.path.join(os.path.dirname(__file__), "cache.sql")
    with open(path, encoding="utf-8") as file:
        parts = file.read().split("-- name: ")[1:]
    return {name: sql for name, _, sql in (part.partition("\n") for part in parts)}


_STATEMENTS = _statements()
