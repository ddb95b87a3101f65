"""Checks that the file is sound, and that all that is derived agrees with the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from recollect.model import Problem
from recollect.store import ledger
from recollect.store.sqlite.queries import load
from recollect.store.sqlite.scan import Stale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recollect.model import Event
    from recollect.store.sqlite.read import ModelRow, SqliteReader
    from recollect.store.sqlite.scans import Scans

_AT_ONCE = 1_000
_RESTORE = (
    "Restore a backup into a new store; without one, what `recollect export` can still read of"
    " this one."
)
_REMADE = (
    "Nothing is lost: `recollect export` the store, and `recollect restore` that into a new one,"
    " which makes it again from the records."
)
_RESCANNED = (
    "Nothing is lost: remove the files beside the store whose names go on with -scan-, while"
    " nothing has it open. The next search makes them again."
)


def problems(reader: SqliteReader, scans: Callable[[], Scans]) -> list[Problem]:
    """Everything that is wrong; an empty list where nothing is."""
    queries = load("verify.sql")
    try:
        found = list(_file(reader, queries))
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return [Problem(f"The file is damaged: {error}.", "file", _RESTORE)]
    if found:
        return found
    found += _ledger(reader)
    found += _records(reader)
    found += _derived(reader, queries)
    for model in (reader.serving(), reader.coming()):
        if model is not None:
            found += _vectors(reader, scans(), model)
    return found


def _file(reader: SqliteReader, queries: dict[str, str]) -> Iterator[Problem]:
    for (line,) in reader.execute(queries["whole_file"]):
        if line != "ok":
            yield Problem(f"SQLite finds the file damaged: {line}.", "file", _RESTORE)
    for table, *_ in reader.execute(queries["broken_references"]):
        yield Problem(f"A row of {table} names a row that is not there.", table, _RESTORE)


def _ledger(reader: SqliteReader) -> Iterator[Problem]:
    broken = ledger.check(_events(reader))
    if broken is not None:
        yield broken


def _events(reader: SqliteReader) -> Iterator[Event]:
    after = 0
    while page := reader.events(after, _AT_ONCE):
        yield from page
        after = page[-1].seq


def _records(reader: SqliteReader) -> Iterator[Problem]:
    """Whether each record, and each version of it, is what the ledger sealed."""
    for seq, salt in reader.salts():
        record = reader.rows([seq])[seq]
        history = [*reader.versions(record.id), record] if record.version > 1 else [record]
        problem = ledger.vouched(history, salt, reader.events_of(record.id))
        if problem is not None:
            yield problem


def _derived(reader: SqliteReader, queries: dict[str, str]) -> Iterator[Problem]:
    checks = (
        ("unindexed", "A record is missing from the word index.", _REMADE),
        ("unindexed_code", "The index of code and the records disagree.", _REMADE),
        ("indexed_ghosts", "The word index holds words of a record that is gone.", _REMADE),
        ("vector_ghosts", "A vector is of a record or model that is gone.", _REMADE),
        ("part_ghosts", "Vectors of passages are of a record that is gone.", _REMADE),
        ("vectorless", "A record neither has a vector nor waits for one.", _REMADE),
        ("circles", "A record took, through others, its own place.", _RESTORE),
    )
    for name, what, advice in checks:
        for (which,) in reader.execute(queries[name]):
            yield Problem(what, f"record {which}", advice)
    for documents, counted, length, added in reader.execute(queries["sums"]):
        if (documents, length) != (counted, added):
            yield Problem("The sums that BM25 uses are off.", "word index", _REMADE)
    for name, held, counted in reader.execute(queries["vector_counts"]):
        if held != counted:
            yield Problem("The count of the vectors is off.", name, _REMADE)


def _vectors(reader: SqliteReader, scans: Scans, model: ModelRow) -> Iterator[Problem]:
    if not model.slots:
        return
    try:
        found = set(scans.alive(model).tolist())
    except Stale:
        # The next search or write of a vector makes it again; until then searches do without.
        return
    for seq in set(reader.held(model)) - found:
        yield Problem("A record's codes are missing from the scan file.", f"#{seq}", _RESCANNED)
