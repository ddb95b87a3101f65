"""Keeps each model's scan file in step with the database, and searches with both.

The file proposes, the database decides: what the scan finds is scored again with the float16
vectors and joined with the record's own row, so that a slot that lags behind can show nothing
that is deleted, closed or somebody else's. Where the file is missing, stale or cut, a search goes
over the database's own vectors until a writer has made the file anew.
"""

from __future__ import annotations

import contextlib
import os
from functools import cache
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.model import Candidate, Kind
from recollect.store.sqlite.queries import READ
from recollect.store.sqlite.scan import OPEN, Filter, NewSlots, Scan, Stale
from recollect.store.sqlite.where import scopes, types
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import float32
    from numpy.typing import NDArray

    from recollect.model import Vector, Where
    from recollect.store.sqlite.read import ModelRow, SqliteReader

_KIND_NUMBERS = {kind: number for number, kind in enumerate(Kind)}
# So many candidates for each hit wanted, and at least so many, go from codes to vectors:
# with these the ten best are the ten best of exact search 99 times in 100 (bench/README.md).
_SPARE = 4
_AT_LEAST = 64
# After so many slots a file is written through to the disk; after a power cut no more than
# these have to be made again.
_UNSYNCED = 512
_ROWS_AT_ONCE = 8_192


class Scans:
    """The scan files of one store in one process."""

    def __init__(self, path: str, store_id: str) -> None:
        self._path = path
        self._store_id = store_id
        self._open: dict[int, tuple[int, Scan]] = {}
        self._opening = Lock()
        # Set by a search that had to do without the file; a writer mends it.
        self.stale = False

    def nearest(
        self, reader: SqliteReader, model: ModelRow, vector: Vector, where: Where, limit: int
    ) -> list[Candidate]:
        """The records that match with the nearest vectors of a model."""
        query = _unit(np.ascontiguousarray(vector, np.float32))
        wanted = max(_AT_LEAST, _SPARE * limit)
        try:
            scan = self._trusted(model)
            found = scan.search(query, model.slots, _filter(reader, where), wanted)
            seqs = [int(seq) for seq in found.seqs]
        except Stale:
            self.stale = True
            seqs = _exact(reader, model, query, where, wanted)
        passing = reader.admitted(seqs, where) if seqs else set()
        vectors = reader.vectors_of(model, [seq for seq in seqs if seq in passing])
        scored = [Candidate(seq, float(_unit(row) @ query)) for seq, row in vectors.items()]
        return sorted(scored, key=lambda c: (-c.score, c.seq))[:limit]

    def append(self, model: ModelRow, slots: NewSlots) -> ModelRow:
        """Write new slots behind the counted ones; answers the row that makes them count."""
        scan = self._trusted(model)
        scan.write(model.slots, slots)
        count = model.slots + len(slots.seqs)
        synced = model.synced
        if count - synced >= _UNSYNCED or not _boot():
            scan.sync()
            synced = count
        return replace(model, slots=count, synced=synced, tail=scan.tail(count), boot=_boot())

    def sound(self, model: ModelRow) -> bool:
        """Whether the file can be trusted as far as the row says."""
        try:
            self._trusted(model)
        except Stale:
            return False
        return True

    def remake(self, model: ModelRow, execute: Any) -> ModelRow:  # noqa: ANN401 -- apsw's method
        """Make the file again from the database, under a new name. Answers the row to keep."""
        new = replace(model, generation=model.generation + 1, boot=_boot())
        scan = Scan.create(self._name(new), model.dimensions, self._identity(new))
        count = 0
        for slots, at in _stored(execute, model):
            scan.write(at, slots)
            # Where the database has no row any more, nothing may be found.
            scan.tighten(range(count, at), dead=True)
            count = at + len(slots.seqs)
        scan.sync()
        tail = scan.tail(count) if count else 0
        self._keep(new, scan)
        self.stale = False
        return replace(new, slots=count, synced=count, tail=tail)

    def hide(self, model: ModelRow, dead: Sequence[int], ends: dict[int, int]) -> None:
        """After the commit: take slots out of the search, or end their validity."""
        with contextlib.suppress(Stale):
            scan = self._trusted(model)
            if dead:
                scan.tighten(dead, dead=True)
            for slot, until in ends.items():
                scan.tighten([slot], valid_until=until)

    def slots(self, model: ModelRow) -> NDArray[np.int64]:
        """Which record each counted slot is of. Raises `Stale`."""
        return self._trusted(model).seqs(model.slots)

    def tidy(self, keep: Sequence[ModelRow]) -> None:
        """Remove the files that no row names any more."""
        names = {os.path.basename(self._name(model)) for model in keep}
        folder, prefix = os.path.split(f"{self._path}-scan-")
        for name in os.listdir(folder or "."):
            if name.startswith(prefix) and name not in names:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))

    def size(self) -> int:
        """How many bytes the files take on the disk."""
        folder, prefix = os.path.split(f"{self._path}-scan-")
        found = (e for e in os.scandir(folder or ".") if e.name.startswith(prefix))
        return sum(entry.stat().st_blocks * 512 for entry in found)

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
            scan = Scan.open(self._name(model), model.dimensions, self._identity(model))
            if model.slots > model.synced and model.boot != _boot():
                scan.close()
                raise Stale(reason="the machine went down before the file was written through")
            self._keep(model, scan)
        if model.slots and scan.tail(model.slots) != model.tail:
            raise Stale(reason="the last slot is not the one that was written")
        return scan

    def _keep(self, model: ModelRow, scan: Scan) -> None:
        with self._opening:
            # A replaced one is closed by its last user; searches in other threads may be on it.
            self._open[model.id] = model.generation, scan

    def _name(self, model: ModelRow) -> str:
        return f"{self._path}-scan-{model.id}-{model.generation}"

    def _identity(self, model: ModelRow) -> bytes:
        said = f"{self._store_id}:{model.id}:{model.generation}"
        return blake2b(said.encode(), digest_size=16).digest()


def new_slots(rows: Sequence[tuple[int, int, str, int, int, int | None]], vectors: Any) -> NewSlots:  # noqa: ANN401 -- an array or rows of one
    """Slots from (seq, scope, kind, type, valid_from, valid_until) and a vector each."""
    seqs, scope_ids, kinds, type_ids, starts, ends = zip(*rows, strict=True)
    return NewSlots(
        seqs=np.array(seqs, np.int64),
        scopes=np.array(scope_ids, np.int32),
        kinds=np.array([_KIND_NUMBERS[Kind(kind)] for kind in kinds], np.uint8),
        types=np.array([short(number) for number in type_ids], np.uint16),
        valid_from=np.array(starts, np.int64),
        valid_until=np.array([OPEN if end is None else end for end in ends], np.int64),
        vectors=_unit(np.ascontiguousarray(vectors, np.float32)),
    )


def _unit(vectors: NDArray[float32]) -> NDArray[float32]:
    """The same directions with length one, in which a product is a cosine."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def halves(vectors: NDArray[float32]) -> list[bytes]:
    """Each vector as the float16 bytes that the database keeps."""
    return [row.tobytes() for row in vectors.astype(np.float16)]


def _filter(reader: SqliteReader, where: Where) -> Filter:
    """What the mapped columns can tell; the rest goes by number."""
    # The scan's numbers are never negative, and no scope has number 0.
    fitting = scopes(where, reader.interned)
    sorts = types(where, reader.interned)
    only = None
    if where.statuses or where.session is not None or where.since or where.until:
        only = np.array(reader.seqs(where) or [0], np.int64)
        only.sort()
    from recollect.store.sqlite.rows import stamp

    return Filter(
        scopes=None if fitting is None else np.array([max(0, number) for number in fitting], np.int32),
        kinds=tuple(_KIND_NUMBERS[kind] for kind in where.kinds) or None,
        types=None if sorts is None else tuple(short(number) for number in sorts),
        at=stamp(where.at),
        only=only,
    )


def short(number: int) -> int:
    """A type's number as the scan file holds it. Two may share one; the database tells them apart.
    """
    return number & 0xFFFF


def _exact(
    reader: SqliteReader, model: ModelRow, query: NDArray[float32], where: Where, wanted: int
) -> list[int]:
    """The nearest by the database's own vectors: slower by far, and right without the file."""
    allowed = set(reader.seqs(where))
    scored: list[tuple[float, int]] = []
    for slots, _ in _stored(reader.execute, model):
        cosines = slots.vectors @ query
        scored += zip((-cosines).tolist(), slots.seqs.tolist(), strict=True)
    return [seq for _, seq in sorted(scored) if seq in allowed][:wanted]


def _stored(execute: Any, model: ModelRow) -> Iterator[tuple[NewSlots, int]]:  # noqa: ANN401 -- apsw's method
    """The database's rows in runs of neighbouring slots, each with where it starts."""
    run: list[tuple[Any, ...]] = []
    for row in execute(READ["scan_rows"], {"model": model.id, "from_slot": 0}):
        if run and (row[0] != run[-1][0] + 1 or len(run) == _ROWS_AT_ONCE):
            yield _run(run)
            run = []
        run.append(row)
    if run:
        yield _run(run)


def _run(run: Sequence[tuple[Any, ...]]) -> tuple[NewSlots, int]:
    vectors = np.stack([np.frombuffer(row[7], np.float16) for row in run]).astype(np.float32)
    return new_slots([row[1:7] for row in run], vectors), int(run[0][0])


@cache
def _boot() -> str:
    """What tells one run of the machine from the next; empty where nothing does."""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()
    return ""

