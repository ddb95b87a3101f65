"""The scan file: what a search by meaning runs over, beside the database and derived from it.

All processes share it through the page cache. A slot holds one vector as codes, and what filters
look at. The database says how many slots count; whatever lies behind them is rubbish that a writer
left when it died, and is overwritten. A slot never changes: a record that does gets a new one. Only
`gone` is written later, the number of the ledger's entry that took the slot out, so that a reader
whose snapshot is older still finds it. NumPy loads with this module.
"""

from __future__ import annotations

import errno
import os
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import simsimd

from recollect.errors import Unavailable
from recollect.store.sqlite import codes
from recollect.store.sqlite.layout import (
    BLOCK,
    Layout,
    Mapped,
    Stale,
    check,
    header,
)
from recollect.store.sqlite.sift import Filter, conditions, smallest
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self, TypeAlias

    from numpy import float32, int32, int64, uint8, uint16
    from numpy.typing import NDArray

    from recollect.store.sqlite.layout import Rows
    from recollect.store.sqlite.sift import Mask, Slots, Test

    Floats: TypeAlias = NDArray[float32]

__all__ = ["ALIVE", "OPEN", "Filter", "Found", "NewSlots", "Scan", "Stale"]

# The end of a validity that has none.
OPEN = 2**63 - 1
# When a slot went that has not gone.
ALIVE = 2**32 - 1
# Below this share of the slots, fetching each is cheaper than running over all.
_FEW = 0.1
# macOS has no fdatasync.
_flush = getattr(os, "fdatasync", os.fsync)


class NewSlots(Value):
    """The columns of slots to be written; vectors are unit vectors."""

    seqs: NDArray[int64]
    scopes: NDArray[int32]
    kinds: NDArray[uint8]
    types: NDArray[uint16]
    valid_from: NDArray[int64]
    valid_until: NDArray[int64]
    vectors: NDArray[float32]


class Found(Value):
    """What a search found, best first; the cosines are those of the codes."""

    slots: NDArray[int64]
    seqs: NDArray[int64]
    cosines: NDArray[float32]


class Scan:
    """One open scan file. Any thread may search; one at a time, under the store's lock, write."""

    def __init__(self, file: int, dims: int, turn: codes.Rotation) -> None:
        self.dims = dims
        self._file = file
        self._turn = turn
        self._layout = Layout(dims)
        self._scale = codes.scale(codes.width(dims))
        self._map: Mapped | None = None

    @classmethod
    def create(cls, path: str | Path, dims: int, generation: bytes, mode: int = 0o600) -> Self:
        """A new file in place of any old one. Who still has that open keeps it."""
        draft = Path(f"{path}.new")
        try:
            draft.touch(0o600)
            draft.chmod(mode)
            draft.write_bytes(header(dims, generation))
            draft.replace(path)
        except OSError as error:
            raise _not_written(error) from error
        return cls.open(path, dims, generation)

    @classmethod
    def open(cls, path: str | Path, dims: int, generation: bytes) -> Self:
        """Raises `Stale` when there is no such file, or not the one that the database knows."""
        try:
            file = _open(path)
        except OSError as error:
            raise Stale(reason=str(error)) from error
        try:
            turn = check(os.pread(file, Layout(dims).start, 0), dims, generation)
        except Stale:
            os.close(file)
            raise
        return cls(file, dims, turn)

    def write(self, at: int, slots: NewSlots) -> None:
        """Fill slots from number `at` on, whatever a writer that died has left there."""
        columns = self._columns(slots)
        count = at + len(slots.seqs)
        try:
            self._grow(count)
            for name, values in columns.items():
                self._fill(name, at, values)
        except OSError as error:
            raise _not_written(error) from error

    def wrong(self, at: int, slots: NewSlots) -> NDArray[int64]:
        """Which of the slots from `at` on do not hold what `write` would put there."""
        stop = at + len(slots.seqs)
        mapped, columns = self._mapped(stop), self._columns(slots)
        found = {
            name: np.concatenate([values[:0], *mapped.rows(name, at, stop)])
            for name, values in columns.items()
        }
        # A processor, or a batch of another size, may round the last digit of a code otherwise.
        bad = (np.abs(found["codes"].astype(np.int16) - columns.pop("codes")) > 1).any(axis=1)
        for name, values in columns.items():
            bad |= found[name] != values
        return at + np.flatnonzero(bad)

    def _columns(self, slots: NewSlots) -> dict[str, Rows]:
        return {
            "codes": codes.quantise(self._turn(slots.vectors)),
            "seq": slots.seqs,
            "scope": slots.scopes,
            "kind": slots.kinds,
            "type": slots.types,
            "valid_from": slots.valid_from,
            "valid_until": slots.valid_until,
            "gone": np.full(len(slots.seqs), ALIVE, np.uint32),
        }

    def _grow(self, count: int) -> None:
        size = self._layout.size(count)
        # What is not written takes no space: a file of ten slots is as small as its pages.
        if os.fstat(self._file).st_size < size:
            os.ftruncate(self._file, size)

    def _fill(self, name: str, at: int, values: Rows) -> None:
        values = np.ascontiguousarray(values, self._layout.places[name].dtype)
        done = 0
        while done < len(values):
            part = values[done : done + BLOCK - (at + done) % BLOCK]
            _put(self._file, part.data.cast("B"), self._layout.offset(name, at + done))
            done += len(part)

    def sync(self) -> None:
        """Come back when everything written is on the disk."""
        try:
            _flush(self._file)
        except OSError as error:
            raise _not_written(error) from error

    def hide(self, slots: Iterable[int], event: int) -> None:
        """Let slots be found only by readers whose snapshot is from before an event."""
        gone = np.uint32(event).tobytes()
        try:
            for slot in slots:
                os.pwrite(self._file, gone, self._layout.offset("gone", slot))
        except OSError as error:
            raise _not_written(error) from error

    def erase(self, slots: Iterable[int]) -> None:
        """Leave nothing in slots, not even for readers of older snapshots."""
        try:
            for slot in slots:
                for name, place in self._layout.places.items():
                    os.pwrite(self._file, bytes(place.stride), self._layout.offset(name, slot))
        except OSError as error:
            raise _not_written(error) from error

    def marks(self) -> tuple[int, int]:
        """What the last writer began, and what was last finished."""
        began, finished = np.frombuffer(os.pread(self._file, 16, self._layout.marks), np.int64)
        return int(began), int(finished)

    def mark(self, *, began: int | None = None, finished: int | None = None) -> None:
        """Note, before the commit and after all that follows it, which transaction it is."""
        try:
            for place, number in enumerate((began, finished)):
                if number is not None:
                    raw = np.int64(number).tobytes()
                    os.pwrite(self._file, raw, self._layout.marks + 8 * place)
        except OSError as error:
            raise _not_written(error) from error

    def slots(
        self, count: int, seqs: NDArray[int64] | None = None, event: int = ALIVE - 1
    ) -> NDArray[int64]:
        """The slots that have not gone up to an event, of these records or of all."""
        choice = _choose(self._mapped(count), count, Filter(event=event, only=seqs))
        if choice.slots is not None:
            return choice.slots
        return np.arange(count) if choice.mask is None else np.flatnonzero(choice.mask)

    def records(self, slots: NDArray[int64], count: int) -> NDArray[int64]:
        """The record of each of some slots."""
        return self._mapped(count).take("seq", slots).astype(np.int64)

    def search(self, query: NDArray[float32], count: int, what: Filter, k: int) -> Found:
        """The `k` nearest of the first `count` slots, as far as codes can tell."""
        mapped = self._mapped(count)
        code, scale = codes.sharpen(self._turn(query.reshape(1, -1)))
        # The kernel's product of codes grows with nearness, so the query looks the other way.
        slots, products = _choose(mapped, count, what).nearest(-code, k)
        order = np.argsort(products, kind="stable")
        slots, cosines = slots[order], products[order] / np.float32(-scale * self._scale)
        return Found(slots, mapped.take("seq", slots).astype(np.int64), cosines)

    def reaches(self, count: int) -> bool:
        """Whether the file is long enough for so many slots."""
        return os.fstat(self._file).st_size >= self._layout.size(count)

    def seqs(self, count: int) -> NDArray[int64]:
        """The record of each slot."""
        parts = list(self._mapped(count).rows("seq", 0, count))
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def close(self) -> None:
        """Let go of the file. Searches that are under way still end well."""
        file, self._file, self._map = self._file, -1, None
        if file >= 0:
            os.close(file)

    # A file that was made anew is dropped while other threads may still search the old one.
    __del__ = close

    def _mapped(self, count: int) -> Mapped:
        """The file's columns. Raises `Stale` where touching them would be a bus error."""
        mapped = self._map
        if not self.reaches(count):
            raise Stale(count=count)
        if mapped is None or mapped.count < count:
            mapped = self._map = Mapped(self._layout, mmap(self._file, 0, access=ACCESS_READ))
        return mapped


class _Choice(Value):
    """The slots that a search may find: some by number, or else all that a mask lets through."""

    mapped: Mapped
    count: int
    size: int
    slots: Slots | None = None
    mask: Mask | None = None

    def test(self, name: str, holds: Test) -> Mask:
        """Where something holds in a column."""
        if self.slots is None:
            return self.mapped.test(name, self.count, holds)
        return holds(self.mapped.take(name, self.slots))

    def narrowed(self, passed: Mask) -> _Choice:
        """Those that passed as well, as numbers where they are few."""
        if self.slots is not None:
            slots = self.slots[passed]
            return _Choice(self.mapped, self.count, len(slots), slots)
        mask = passed if self.mask is None else passed & self.mask
        size = int(np.count_nonzero(mask))
        if size < self.count * _FEW:
            return _Choice(self.mapped, self.count, size, np.flatnonzero(mask))
        return _Choice(self.mapped, self.count, size, mask=None if size == self.count else mask)

    def nearest(self, code: Rows, k: int) -> tuple[Slots, Floats]:
        """Those nearest to a code, in order of number, and how far each is."""
        products = self._products(code)
        best = smallest(products, min(k, self.size), self.mask)
        return (best if self.slots is None else self.slots[best]), products[best]

    def _products(self, code: Rows) -> Floats:
        if self.slots is None:
            return _products(code, self._scanned(), self.count)
        return _products(code, self.mapped.at("codes", self.slots), len(self.slots))

    def _scanned(self) -> Iterator[Rows | int]:
        """The codes of all slots; of a block that the mask hides, only how many they are."""
        start = 0
        for rows in self.mapped.rows("codes", 0, self.count):
            stop = start + len(rows)
            hidden = self.mask is not None and not self.mask[start:stop].any()
            yield len(rows) if hidden else rows
            start = stop


def _choose(mapped: Mapped, count: int, what: Filter) -> _Choice:
    """The slots that pass a filter: as numbers where they are few, else as a mask or as all."""
    choice = _Choice(mapped, count, count)
    for name, holds in conditions(what):
        choice = choice.narrowed(choice.test(name, holds))
    return choice


def _products(code: Rows, parts: Iterable[Rows | int], count: int) -> Floats:
    """The product of each row with a code."""
    numbers = np.zeros(count, np.float32)
    start = 0
    for rows in parts:
        if isinstance(rows, int):
            start += rows
            continue
        # The kernel's own `out` argument is of no use: given it, it returns None without
        # counting the reference, which ends Python 3.11 after some ten thousand calls.
        found = simsimd.cdist(code, rows, "inner", out_dtype="float32")
        numbers[start : start + len(rows)] = np.asarray(found)[0]
        start += len(rows)
    return numbers


def _open(path: str | Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        # A store may be readable only; then so is this file.
        if error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _put(file: int, left: memoryview, place: int) -> None:
    """Write all of it: a disk that is nearly full takes a part first."""
    while left:
        done = os.pwrite(file, left, place)
        left, place = left[done:], place + done


def _not_written(error: OSError) -> Unavailable:
    return Unavailable(
        f"The scan file could not be written: {error.strerror}. Nothing was changed; "
        "see to the disk and try again.",
        errno=error.errno,
    )
