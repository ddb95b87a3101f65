"""How a vector becomes small enough to scan: one byte for each dimension.

A fixed rotation comes first. It leaves every cosine as it is and spreads what real embeddings
keep in a few directions over all dimensions, so that one scale fits all vectors.
"""

from __future__ import annotations

from math import isqrt, sqrt
from typing import TYPE_CHECKING

import numpy as np

from recollect.value import Value

if TYPE_CHECKING:
    from numpy import float32, integer
    from numpy.typing import NDArray

    Floats = NDArray[float32]
    Bytes = NDArray[integer]

_SEED = 384
_TOP = 127
# A coordinate of a rotated unit vector is about normal with deviation 1/sqrt(width); what lies
# further out than this many deviations is clipped.
_REACH = 5.0


class Rotation(Value):
    """An orthogonal map that is cheap to keep and to apply.

    It flips signs and then turns the vector, written as a matrix, from both sides. That mixes all
    dimensions as a full matrix does, for a tenth of the work and 1 % of the space.
    """

    signs: Floats
    rows: Floats
    columns: Floats

    def __call__(self, vectors: Floats) -> Floats:
        """The vectors, one a row, turned."""
        count, dims = vectors.shape
        height, breadth = len(self.rows), len(self.columns)
        flipped = np.zeros((count, height * breadth), np.float32)
        np.multiply(vectors, self.signs[:dims], out=flipped[:, :dims])
        # Many small products, since of one large one the BLAS would make a job for all cores, and
        # wait a hundred milliseconds for a core that another process has.
        matrices = flipped.reshape(count, height, breadth)
        turned: Floats = np.matmul(self.rows, matrices @ self.columns)
        return turned.reshape(flipped.shape)


def width(dims: int) -> int:
    """How many bytes of codes a vector takes: its dimensions, rounded up to a multiple of eight.

    >>> width(384), width(100)
    (384, 104)
    """
    return -(-dims // 8) * 8


def rotation(dims: int) -> Rotation:
    """The rotation for vectors of that many dimensions."""
    rng = np.random.default_rng(_SEED)
    height, breadth = _sides(width(dims))
    signs = rng.choice(np.array([-1, 1], np.float32), height * breadth)
    return Rotation(signs, _turn(rng, height), _turn(rng, breadth))


def pack(turn: Rotation) -> bytes:
    """A rotation as bytes, to be kept where all processes read the same one."""
    return b"".join(part.astype("<f4").tobytes() for part in (turn.signs, turn.rows, turn.columns))


def unpack(raw: bytes, dims: int) -> Rotation:
    """The inverse of `pack`."""
    height, breadth = _sides(width(dims))
    numbers = np.frombuffer(raw, "<f4").astype(np.float32)
    signs, rows, columns = np.split(numbers, [height * breadth, height * breadth + height**2])
    return Rotation(signs, rows.reshape(height, height), columns.reshape(breadth, breadth))


def packed_size(dims: int) -> int:
    """How many bytes `pack` gives."""
    height, breadth = _sides(width(dims))
    return 4 * (height * breadth + height**2 + breadth**2)


def quantise(turned: Floats) -> Bytes:
    """One byte for each dimension of rotated vectors, on a scale that is the same for all."""
    scaled = turned * np.float32(scale(turned.shape[1]))
    np.rint(scaled, out=scaled)
    np.clip(scaled, -_TOP, _TOP, out=scaled)
    return scaled.astype(np.int8)


def scale(dims: int) -> float:
    """What a coordinate is multiplied by to become a code."""
    return _TOP * sqrt(dims) / _REACH


def sharpen(turned: Floats) -> tuple[Bytes, float]:
    """The codes of one query, which can afford a scale of its own, and that scale."""
    own = _TOP / max(float(np.abs(turned).max()), 1e-9)
    return np.rint(turned * np.float32(own)).astype(np.int8), own


def _sides(size: int) -> tuple[int, int]:
    """The two factors of a size that are closest to each other."""
    height = next(side for side in range(isqrt(size), 0, -1) if size % side == 0)
    return height, size // height


def _turn(rng: np.random.Generator, size: int) -> Floats:
    """A random orthogonal matrix."""
    return np.linalg.qr(rng.standard_normal((size, size)))[0].astype(np.float32)
