"""Keeps each model's scan file in step with the database, and searches with both.

The file proposes, the database decides: what the scan finds is scored again with the float16
vectors and joined with the record's own row, so that a slot that lags behind can show nothing
that is deleted, closed or somebody else's. Where the file is missing, stale or cut, a search goes
over the database's own vectors until a writer has made the file anew.
"""

from __future__ import annotations

import contextlib
from functools import cache
from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from recollect.errors import Unavailable
from recollect.model import Candidate, Kind
from recollect.store.sqlite import files
from recollect.store.sqlite.queries import READ
from recollect.store.sqlite.rows import stamp
from recollect.store.sqlite.scan import OPEN, Filter, NewSlots, Scan, Stale
from recollect.store.sqlite.where import scopes, types
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from numpy import float32, int64
    from numpy.typing import NDArray

    from recollect.model import Vector, Where
    from recollect.store.sqlite.read import ModelRow, SqliteReader
    from recollect.store.sqlite.rows import Row

    Vectors: TypeAlias = NDArray[float32]

_KIND_NUMBERS = {kind.value: number for number, kind in enumerate(Kind)}
# So many candidates more than are wanted go from codes to vectors: with these, of the ten best of
# exact search 997 in 1,000 are found, whatever the vectors are like.
_SPARE = 22
# Of so many the cosine is that of the vectors. Further down that of the codes will do, which is off
# by two in a thousand: each vector is a page of the database.
_SURE = 32
# After so many slots a file is written through to the disk; after a power cut no more than
# these have to be made again.
_UNSYNCED = 512
# Where there are long texts, so many slots are taken for each record, and again so many more where
# they are of too few.
_OF_LONG = 4
_ROWS_AT_ONCE = 8_192
# A file of which less than half is alive is made again, once that is worth the trouble.
_WORTH_IT = 4_096


class Scans:
    """The scan files of one store in one process."""

    def __init__(self, path: str, store_id: str) -> None:
        self._path = path
        self._store_id = store_id
        self._open: dict[int, tuple[int, Scan]] = {}
        self._opening = Lock()
        # Set by a search that had to do without the file; a writer mends it.
        self.stale = False

    def approach(
        self, reader: SqliteReader, model: ModelRow, where: Where, limit: int
    ) -> Callable[[Vector], Callable[[], list[Candidate]]]:
        """Finds the records that match with the nearest vectors of a model.

        The scan itself asks nothing of the database, so it may run in a thread of its own.
        """
        wanted = limit + _SPARE
        what = _filter(reader, where)

        def search(vector: Vector) -> Callable[[], list[Candidate]]:
            query = _unit(np.ascontiguousarray(vector, np.float32))
            found: dict[int, float] | None = None
            with contextlib.suppress(Stale):
                found = self._scanned(model, query, what, wanted)
            return lambda: self._decided(reader, model, query, found, where, limit)

        return search

    def _decided(  # noqa: PLR0913, PLR0917 -- what was asked, and what was found
        self,
        reader: SqliteReader,
        model: ModelRow,
        query: Vector,
        found: dict[int, float] | None,
        where: Where,
        limit: int,
    ) -> list[Candidate]:
        """What of the codes' proposals the database has, by its own vectors."""
        if found is None:
            self.stale = True
            found = _exact(reader, model, query, where, limit + _SPARE)
        cosines, seqs = found, list(found)
        passing = reader.admitted(seqs, where) if seqs else set()
        near = [seq for seq in seqs if seq in passing]
        cosines |= reader.cosines(model, near[:_SURE], query)
        scored = [Candidate(seq, cosines[seq]) for seq in near]
        return sorted(scored, key=lambda c: (-c.score, c.seq))[:limit]

    def _scanned(
        self, model: ModelRow, query: Vectors, what: Filter, wanted: int
    ) -> dict[int, float]:
        """By record, best first, the cosine of the best of its slots, as far as codes can tell."""
        scan = self._trusted(model)
        slots = wanted if not model.parts else _OF_LONG * wanted
        while True:
            found = scan.search(query, model.slots, what, slots)
            # The better slots of a record come first, so from the end they come last.
            pairs = zip(found.seqs[::-1].tolist(), found.cosines[::-1].tolist(), strict=True)
            best = dict(pairs)
            seqs = dict.fromkeys(found.seqs.tolist())
            if not model.parts or len(seqs) >= wanted or len(found.seqs) < slots:
                return {seq: best[seq] for seq in seqs}
            slots *= _OF_LONG

    def append(self, model: ModelRow, rows: Sequence[Row], mark: int) -> ModelRow:
        """Write new slots behind the counted ones; answers the row that makes them count."""
        scan = self._trusted(model)
        scan.mark(began=mark)
        if not rows:
            return replace(model, mark=mark)
        made = _slots(rows, model.dimensions)
        scan.write(model.slots, made)
        count = model.slots + len(made.seqs)
        synced = model.synced
        if count - synced >= _UNSYNCED or not _boot():
            scan.sync()
            synced = count
        return replace(model, slots=count, synced=synced, mark=mark, boot=_boot())

    def usable(self, model: ModelRow) -> bool:
        """Whether a writer may go on with the file, and need not make it again."""
        if model.slots > max(_WORTH_IT, 2 * (model.held + model.parts)):
            return False
        try:
            return model.mark in self._trusted(model).marks()
        except Stale:
            return False

    def unfinished(self, model: ModelRow) -> bool:
        """Whether a writer committed and died before it took replaced slots out."""
        return model.slots > 0 and self._trusted(model).marks()[1] != model.mark

    def repair(self, model: ModelRow, held: dict[int, int], event: int) -> None:
        """Do what a writer that died after its commit has left undone."""
        scan = self._trusted(model)
        slots = scan.slots(model.slots, event=0)
        known = np.array(sorted(held), np.int64)
        ghosts = np.isin(scan.records(slots, model.slots), known, invert=True)
        scan.erase(slots[ghosts].tolist())
        _hide(scan, model, None, held, event)
        scan.sync()
        scan.mark(finished=model.mark)

    def remake(self, reader: SqliteReader, model: ModelRow, mark: int) -> ModelRow:
        """Make the file again from the database, under a new name. Answers the row to keep."""
        new = replace(model, generation=model.generation + 1, mark=mark, boot=_boot())
        mode = files.mode(self._path)
        scan = Scan.create(self._name(new), model.dimensions, self._identity(new), mode)
        scan.mark(began=mark)
        count = 0
        for rows in _stored(reader, model):
            made = _slots(rows, model.dimensions)
            scan.write(count, made)
            count += len(made.seqs)
        scan.sync()
        self._keep(new, scan)
        return replace(new, slots=count, synced=count)

    def finish(
        self,
        model: ModelRow,
        replaced: Sequence[int],
        kept: dict[int, int],
        erased: Sequence[int],
        event: int,
    ) -> None:
        """After the commit: take out what was replaced, leave nothing of what was deleted.

        Of a record that is `kept` so many of the newest slots stay, which this transaction wrote.
        """
        # The transaction is committed, so that nothing may fail any more; what is not marked as
        # finished the next writer does.
        with contextlib.suppress(Unavailable):
            scan = self._trusted(model)
            if erased:
                # Slots too that had gone before: their codes are still there.
                everyone = np.array(erased, np.int64)
                scan.erase(scan.slots(model.slots, everyone, event=0).tolist())
                scan.sync()
            if replaced:
                _hide(scan, model, np.array(replaced, np.int64), kept, event)
            scan.mark(finished=model.mark)

    def alive(self, model: ModelRow) -> NDArray[int64]:
        """Of which record each slot is that has not gone. Raises `Stale`."""
        scan = self._trusted(model)
        return scan.records(scan.slots(model.slots), model.slots)

    def tidy(self, keep: Iterable[ModelRow]) -> None:
        """Remove the files that no row names any more. Under the write lock only."""
        files.tidy(self._path, {self._name(model) for model in keep})

    def close(self) -> None:
        """Let go of the files."""
        with self._opening:
            for _, scan in self._open.values():
                scan.close()
            self._open.clear()

    def _trusted(self, model: ModelRow) -> Scan:
        """The open file of a model. Raises `Stale` when it is not what the row says."""
        with self._opening:
            generation, scan = self._open.get(model.id, (-1, None))
        if scan is None or generation != model.generation:
            scan = self._opened(model)
            self._keep(model, scan)
        if not scan.reaches(model.slots):
            raise Stale(reason="the file is too short")
        return scan

    def _opened(self, model: ModelRow) -> Scan:
        scan = Scan.open(self._name(model), model.dimensions, self._identity(model))
        if model.slots > model.synced and model.boot != _boot():
            reason = "the machine went down before the file was written through"
        elif model.mark not in scan.marks():
            # As after an older copy of the database was put back, or, which comes to the same
            # and is soon over, when this snapshot is older than the newest.
            reason = "the file and the database are of different times"
        else:
            return scan
        scan.close()
        raise Stale(reason=reason)

    def _keep(self, model: ModelRow, scan: Scan) -> None:
        with self._opening:
            # A replaced one is closed by its last user; searches in other threads may be on it.
            self._open[model.id] = model.generation, scan

    def _name(self, model: ModelRow) -> str:
        return files.name(self._path, model.id, model.generation)

    def _identity(self, model: ModelRow) -> bytes:
        said = f"{self._store_id}:{model.id}:{model.generation}"
        return blake2b(said.encode(), digest_size=16).digest()


def halves(vectors: Vectors) -> Iterator[memoryview]:
    """Each vector as the float16 bytes that the database keeps."""
    raw = vectors.astype(np.float16).data.cast("B")
    size = vectors.shape[1] * 2
    return (raw[at : at + size] for at in range(0, len(raw), size))


def short(number: int) -> int:
    """A type's number as the scan file holds it. Two may share one; the database can tell them."""
    return number & 0xFFFF


def _hide(
    scan: Scan, model: ModelRow, seqs: NDArray[int64] | None, kept: dict[int, int], event: int
) -> None:
    """Take all slots of these records out, but for so many of the newest of those that are kept."""
    slots = scan.slots(model.slots, seqs)
    owners = scan.records(slots, model.slots)
    left = dict(kept)
    hidden: list[int] = []
    for slot, seq in zip(slots[::-1].tolist(), owners[::-1].tolist(), strict=True):
        if left.get(seq, 0) > 0:
            left[seq] -= 1
        else:
            hidden.append(slot)
    scan.hide(hidden, event)


def _slots(rows: Sequence[Row], dims: int) -> NewSlots:
    """The scan file's columns of some rows; one with several vectors takes as many slots."""
    size = 2 * dims
    rows = [
        row if len(row[-1]) == size else (*row[:-1], row[-1][at : at + size])
        for row in rows
        for at in range(0, len(row[-1]), size)
    ]
    seqs, scope_ids, kinds, type_ids, starts, ends, vectors = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(vectors), np.float16).reshape(len(rows), dims)
    return NewSlots(
        seqs=np.array(seqs, np.int64),
        scopes=np.array(scope_ids, np.int32),
        kinds=np.array([_KIND_NUMBERS[kind] for kind in kinds], np.uint8),
        types=np.array([short(number) for number in type_ids], np.uint16),
        valid_from=np.array(starts, np.int64),
        valid_until=np.array([OPEN if end is None else end for end in ends], np.int64),
        vectors=_unit(matrix.astype(np.float32)),
    )


def _unit(vectors: Vectors) -> Vectors:
    """The same directions with length one, in which a product is a cosine."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    lengths[lengths == 0] = 1
    units: Vectors = vectors / lengths
    return units


def _filter(reader: SqliteReader, where: Where) -> Filter:
    """What the mapped columns can tell; the rest goes by number."""
    fitting = scopes(where, reader.interned)
    sorts = None if where.untyped else types(where, reader.interned)
    only = None
    beyond = where.statuses or where.session is not None or where.since or where.until
    if beyond or (where.types and where.untyped):
        only = np.array(reader.seqs(where), np.int64)
    return Filter(
        # The scan's numbers are never negative, and no scope has number 0.
        scopes=None if fitting is None else np.array(fitting, np.int32).clip(0),
        kinds=tuple(_KIND_NUMBERS[kind] for kind in where.kinds) or None,
        types=None if sorts is None else tuple(short(number) for number in sorts),
        at=stamp(where.at),
        only=only,
        event=reader.last_event(),
    )


def _exact(
    reader: SqliteReader, model: ModelRow, query: Vector, where: Where, wanted: int
) -> dict[int, float]:
    """The nearest by the database's own vectors: slower by far, and right without the file."""
    allowed = set(reader.seqs(where))
    scored: list[tuple[float, int]] = []
    for rows in _stored(reader, model):
        slots = _slots(rows, model.dimensions)
        scored += zip((-(slots.vectors @ query)).tolist(), slots.seqs.tolist(), strict=True)
    best: dict[int, float] = {}
    for away, seq in sorted(scored):
        if seq in allowed and len(best) < wanted:
            best.setdefault(seq, -away)
    return best


def _stored(reader: SqliteReader, model: ModelRow) -> Iterator[list[Row]]:
    """The database's rows, so many at a time."""
    rows = iter(reader.execute(READ["scan_rows"], {"model": model.id}))
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        yield part


@cache
def _boot() -> str:
    """What tells one run of the machine from the next; empty where nothing does."""
    with (
        contextlib.suppress(OSError),
        open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file,
    ):
        return file.read().strip()
    return ""
