"""Opens the file: new, older, sound, newer or damaged; and puts SQLite's failures in our words."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import apsw

from recollect.errors import Busy, Conflict, Damaged, InvalidRequest, TooNew, Unavailable
from recollect.store.sqlite.queries import READ, migrations

if TYPE_CHECKING:
    from collections.abc import Iterator

# "Rclt", so that `file` and we ourselves tell a store from any other SQLite file.
APPLICATION_ID = 0x52636C74
_SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL"}
# 16 MB of pages for each connection: what a search of 100k records touches again and again.
_CACHE_KIB = 16_384
# Enough for 10,000 records and the pages of the indexes that they touch, which else are written to
# the log and read again in the middle of a transaction.
_WIDE_KIB = 65_536
# Writers queue at our own lock; this covers what SQLite locks beside it, as at recovery.
BUSY_MS = 10_000
_FULL = "The disk is full. Nothing was changed; free some space."


def _refused(path: str) -> Unavailable:
    """What the disk has against it. What lies beside the file grows even when it is only read."""
    with suppress(OSError):
        if not os.statvfs(os.path.dirname(os.path.abspath(path))).f_bavail:
            return Unavailable(_FULL)
    return Unavailable(
        f"The disk refused to read or write {path}. Nothing was changed; check the disk."
    )


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what SQLite raises into what a caller can act on. The file is never replaced."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Damaged(
            f"{path} is damaged or not a store. It was left as it is; restore a backup, "
            "or choose another file.",
            path=path,
        ) from error
    except apsw.FullError as error:
        raise Unavailable(_FULL) from error
    except apsw.ReadOnlyError as error:
        raise Unavailable(f"{path} cannot be written. Give write permission to it.") from error
    except apsw.CantOpenError as error:
        raise Unavailable(f"{path} cannot be opened. Check the folder and permissions.") from error
    except apsw.IOError as error:
        raise _refused(path) from error
    except (apsw.ConstraintError, apsw.AbortError) as error:
        raise _contradiction(error) from error
    except apsw.TooBigError as error:
        raise InvalidRequest("A value is too large for the store. Make it smaller.") from error
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            "A text holds half of a character (a lone surrogate), which cannot be stored. "
            "Nothing was changed; take it out, or decode the text again."
        ) from error


def connect(path: str, durability: str, *, read_only: bool = False) -> apsw.Connection:
    """A connection with our settings. Raises `InvalidRequest` for an unknown durability."""
    if durability not in _SYNCHRONOUS:
        raise InvalidRequest(f"durability is 'full' or 'normal', not {durability!r}.")
    if read_only:
        connection = _read_only(path)
    else:
        connection = apsw.Connection(path, statementcachesize=200)
        connection.set_busy_timeout(BUSY_MS)
        connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
        # Only macOS tells a drive's cache from the drive; elsewhere these change nothing.
        connection.execute("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1").fetchall()
    # A statement that answers holds up those after it until its answer is taken.
    connection.execute(
        f"PRAGMA foreign_keys = 1; PRAGMA secure_delete = 1; PRAGMA cache_size = -{_CACHE_KIB}"
    ).fetchall()
    return connection


def widen(connection: apsw.Connection) -> None:
    """Give a transaction that writes thousands of records the room that it takes."""
    connection.execute(f"PRAGMA cache_size = -{_WIDE_KIB}").fetchall()


def narrow(connection: apsw.Connection) -> None:
    """Take that room back, and what is in it."""
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA shrink_memory").fetchall()


def _read_only(path: str) -> apsw.Connection:
    """A connection that changes nothing, not even the files beside the database."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(BUSY_MS)
    try:
        connection.execute("PRAGMA schema_version").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # SQLite's shared memory is neither there nor to be made, so that nobody has the file open.
        connection.close()
        if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
            raise Unavailable(
                f"{path} was not closed, and cannot be written to take in its log. Give write "
                "permission to its folder, or have its owner open it once."
            ) from None
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(f"file:{_escaped(path)}?immutable=1", flags=flags)
    return connection


def current(connection: apsw.Connection, path: str, *, read_only: bool = False) -> bool:
    """Whether the file is of our format. Raises for what is not ours or newer."""
    newest = migrations()[-1][0]
    # As it was at one moment: another process may just be making it.
    with connection:
        version, application = _stamp(connection)
        if version != newest or application != APPLICATION_ID:
            _refuse_foreign(connection, path, version, application, newest)
            return False
    # A backup has no log until somebody writes to it.
    return read_only or connection.pragma("journal_mode") == "wal"


def prepare(connection: apsw.Connection, path: str) -> None:
    """Make a new file, or bring an older one up to date. Under the write lock only."""
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        version, _ = _stamp(connection)
        for number, script in migrations():
            if number > version:
                connection.execute(script).fetchall()
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except apsw.SQLError as error:
        connection.execute("ROLLBACK")
        raise Damaged(
            f"{path} is not what its version says, so it could not be brought up to date ({error})."
            " It was left as it is; restore a backup, or choose another file.",
            path=path,
        ) from error
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def check_path(path: str) -> None:
    """Refuse early what SQLite would refuse less clearly."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise Unavailable(f"The folder {folder} does not exist. Create it, or choose another file.")
    if os.path.isdir(path):
        raise Unavailable(f"{path} is a folder. Name a file in it.")


def writable(path: str) -> bool:
    """Whether this user may write the file and, for SQLite's own files, its folder."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.access(path if os.path.exists(path) else folder, os.W_OK) and os.access(
        folder, os.W_OK
    )


def _stamp(connection: apsw.Connection) -> tuple[int, int]:
    return connection.pragma("user_version"), connection.pragma("application_id")


def _refuse_foreign(
    connection: apsw.Connection, path: str, version: int, application: int, newest: int
) -> None:
    tables = connection.execute(READ["tables"]).get
    if application != APPLICATION_ID and (tables or version or application):
        raise Damaged(
            f"{path} is a database of another program. It was left as it is; choose another file.",
            path=path,
        )
    if version > newest:
        raise TooNew(
            f"{path} has format {version}, and this Recollect knows formats up to {newest}. "
            "It was left as it is; upgrade Recollect to open it.",
            path=path,
        )


def _contradiction(error: apsw.Error) -> Conflict | InvalidRequest:
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_CHECK:
        return InvalidRequest(
            f"A value is out of its range ({error}). Nothing was changed; correct it.",
        )
    return Conflict(
        f"The change contradicts what is stored ({error}). Nothing was changed; read again."
    )


def _escaped(path: str) -> str:
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
