"""Which slots may be found, and which few of many numbers are the smallest.

Both answer in a fraction of the time that NumPy's own `isin` and `argpartition` take, because a
search asks for little: usually one scope, and a hundred out of a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from numpy import float32, int32, int64
    from numpy.typing import NDArray

    Slots: TypeAlias = NDArray[int64]
    Mask: TypeAlias = NDArray[np.bool_]
    Column: TypeAlias = NDArray[np.integer]
    Test: TypeAlias = Callable[[Column], Mask]

# Comparing with each of so few values is cheaper than looking all of them up in a table.
_HANDFUL = 4
# How many of the numbers are sorted in order to guess a limit for all of them.
_SAMPLE = 8_192


class Filter(Value):
    """What may be found; `None` means any."""

    scopes: NDArray[int32] | None = None
    kinds: tuple[int, ...] | None = None
    types: tuple[int, ...] | None = None
    # Only what is valid at that time, in microseconds.
    at: int | None = None
    # The numbers of the only records that may be found.
    only: NDArray[int64] | None = None
    # The number of the ledger's last entry in the reader's snapshot.
    event: int = 2**32 - 2


def conditions(what: Filter) -> Iterator[tuple[str, Test]]:
    """The columns to look at, likeliest to sort out much first, and what must hold in each."""
    sets = (("seq", what.only), ("scope", what.scopes), ("kind", what.kinds), ("type", what.types))
    for name, allowed in sets:
        if allowed is not None:
            yield name, _among(np.asarray(allowed))
    event = np.uint32(what.event)
    yield "gone", lambda gone: gone > event
    if (at := what.at) is not None:
        yield "valid_until", lambda until: until > at
        yield "valid_from", lambda since: since <= at


def smallest(numbers: NDArray[float32], count: int, mask: Mask | None = None) -> Slots:
    """Where the smallest numbers are, in order of place; the mask says which of them count."""
    if mask is None and count < len(numbers) < _SAMPLE:
        return np.sort(np.argpartition(numbers, count - 1)[:count])
    near = _under(numbers, _guess(numbers, count, mask), mask)
    if len(near) < count:
        near = np.arange(len(numbers)) if mask is None else np.flatnonzero(mask)
    if len(near) <= count:
        return near
    return near[np.sort(np.argpartition(numbers[near], count - 1)[:count])]


def _among(allowed: Column) -> Test:
    """Whether a number, never negative, is among those allowed."""
    if len(allowed) <= _HANDFUL:
        return lambda values: _equals_any(values, allowed.tolist())
    table = np.zeros(int(allowed.max()) + 2, np.bool_)
    table[allowed] = True
    # What is larger than all allowed numbers is clipped to the last place, which stays False.
    return lambda values: table.take(values, mode="clip")


def _equals_any(values: Column, allowed: Sequence[int]) -> Mask:
    found = np.zeros(values.shape, np.bool_)
    for one in allowed:
        found |= values == one
    return found


def _guess(numbers: NDArray[float32], count: int, mask: Mask | None) -> float:
    """A limit under which there are probably enough numbers, but not many more."""
    step = len(numbers) // _SAMPLE
    if step <= 1 or count * 8 > len(numbers):
        return np.inf
    sample = numbers[::step] if mask is None else numbers[::step][mask[::step]]
    # Twice the share, and some more since a small sample is a rough one.
    place = 2 * count // step + 8
    return float(np.partition(sample, place)[place]) if place < len(sample) else np.inf


def _under(numbers: NDArray[float32], limit: float, mask: Mask | None) -> Slots:
    near = numbers <= np.float32(limit)
    return np.flatnonzero(near if mask is None else near & mask)
