"""Where things lie in a scan file: a header, then blocks of equal size, column after column.

Each column of a block is contiguous, so that a SIMD kernel runs over it where it lies, and a
block never moves when the file grows.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from recollect.errors import Unavailable
from recollect.store.sqlite import codes
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap
    from typing import TypeAlias

    from numpy.typing import NDArray

    from recollect.store.sqlite.sift import Column, Mask, Slots, Test

    Rows: TypeAlias = NDArray[np.integer]

# 6.9 MB at 384 dimensions. Twice as many slots save nothing that can be measured.
BLOCK = 16_384
_MAGIC = b"RecolScn"
_VERSION = 2
# In the machine's own byte order, like all columns: a file from another order has no such version.
_HEADER = struct.Struct("=8sIII16sI")
# The largest page of the systems that this runs on.
_PAGE = 16_384


class Stale(Unavailable):
    """The scan file is not the one that the database knows. Rebuild it from the database."""

    code = "stale"


class Place(Value):
    """Where a column lies in a block."""

    offset: int
    dtype: np.dtype[np.integer]
    # How many numbers it holds for a slot: one, or as many as a vector takes.
    breadth: int

    @property
    def stride(self) -> int:
        """How many bytes a slot takes."""
        return self.breadth * self.dtype.itemsize


class Layout:
    """The places of everything, which follow from the number of dimensions."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self.marks = _HEADER.size + codes.packed_size(dims)
        self.start = -(-(self.marks + 16) // _PAGE) * _PAGE
        self.places: dict[str, Place] = {}
        self.block_bytes = 0
        self._add("codes", np.int8, codes.width(dims))
        for name in ("seq", "valid_from", "valid_until"):
            self._add(name, np.int64)
        self._add("scope", np.int32)
        self._add("gone", np.uint32)
        self._add("type", np.uint16)
        self._add("kind", np.uint8)

    def _add(self, name: str, type_: type[np.integer], breadth: int = 1) -> None:
        place = self.places[name] = Place(self.block_bytes, np.dtype(type_), breadth)
        self.block_bytes += BLOCK * place.stride

    def size(self, count: int) -> int:
        """How long a file is that holds so many slots."""
        return self.start + -(-count // BLOCK) * self.block_bytes

    def offset(self, name: str, slot: int) -> int:
        """Where in the file a column keeps a slot."""
        block, row = divmod(slot, BLOCK)
        place = self.places[name]
        return self.start + block * self.block_bytes + place.offset + row * place.stride


class Mapped:
    """The columns of a mapped file, as arrays that lie where the file does."""

    def __init__(self, layout: Layout, buffer: mmap) -> None:
        blocks = (len(buffer) - layout.start) // layout.block_bytes
        self.count = blocks * BLOCK
        self._columns = {
            name: _column(buffer, blocks, layout.start + place.offset, layout.block_bytes, place)
            for name, place in layout.places.items()
        }

    def rows(self, name: str, start: int, stop: int) -> Iterator[Rows]:
        """A column from one slot up to another, a block at a time."""
        column = self._columns[name]
        while start < stop:
            block, row = divmod(start, BLOCK)
            end = min(BLOCK, row + stop - start)
            yield column[block, row:end]
            start += end - row

    def at(self, name: str, slots: Slots) -> Iterator[Rows]:
        """A column at some slots, in ascending order, a block at a time.

        For wide columns that is several times as fast as NumPy's indexing by two arrays.
        """
        column = self._columns[name]
        ends = np.searchsorted(slots, np.arange(0, self.count + BLOCK, BLOCK))
        for block, (start, stop) in enumerate(pairwise(ends.tolist())):
            if start < stop:
                yield column[block].take(slots[start:stop] - block * BLOCK, axis=0)

    def take(self, name: str, slots: Slots) -> Column:
        """A narrow column at some slots, in any order."""
        return self._columns[name][slots // BLOCK, slots % BLOCK]

    def test(self, name: str, count: int, holds: Test) -> Mask:
        """Where something holds, in the first so many slots."""
        blocks, rest = divmod(count, BLOCK)
        found = np.empty(count, np.bool_)
        column: Column = self._columns[name]
        found[: blocks * BLOCK] = holds(column[:blocks]).reshape(-1)
        if rest:
            found[blocks * BLOCK :] = holds(column[blocks, :rest])
        return found


def _column(buffer: mmap, blocks: int, start: int, block_bytes: int, place: Place) -> Rows:
    """One column of all blocks, where it lies in the file."""
    wide = 2 + (place.breadth > 1)
    shape = (blocks, BLOCK, place.breadth)[:wide]
    if not blocks:
        return np.empty(shape, place.dtype)
    strides = (block_bytes, place.stride, place.dtype.itemsize)[:wide]
    return np.ndarray(shape, place.dtype, buffer, start, strides)


def header(dims: int, generation: bytes) -> bytes:
    """What a new file begins with."""
    turn = codes.pack(codes.rotation(dims))
    head = _HEADER.pack(_MAGIC, _VERSION, dims, BLOCK, generation, crc32(turn)) + turn
    return head.ljust(Layout(dims).start, b"\0")


def check(raw: bytes, dims: int, generation: bytes) -> codes.Rotation:
    """The rotation that a file begins with. Raises `Stale` when it is not the file expected."""
    turn = raw[_HEADER.size : _HEADER.size + codes.packed_size(dims)]
    head = _HEADER.pack(_MAGIC, _VERSION, dims, BLOCK, generation, crc32(turn))
    if len(raw) < Layout(dims).start or not raw.startswith(head):
        raise Stale(dims=dims)
    return codes.unpack(turn, dims)
