"""What a benchmark answers, and how it takes time."""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from recollect.value import Value, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")


class Target(Value):
    """A bound on one of a figure's numbers: `value`, `p99` or `ratio`."""

    of: str
    at_most: float | None = None
    at_least: float | None = None

    def met(self, number: float) -> bool:
        low = self.at_least is None or number >= self.at_least
        return low and (self.at_most is None or number <= self.at_most)


class Figure(Value):
    """One line of the table."""

    benchmark: str
    what: str
    value: float
    unit: str
    records: int | None = None
    p99: float | None = None
    # The physical limit measured in the same run, and value / limit.
    limit: float | None = None
    limit_is: str = ""
    ratio: float | None = None
    targets: tuple[Target, ...] = ()
    rounds: int = 1
    note: str = ""
    detail: Mapping[str, object] = {}
    # The load average when this was measured.
    load: float = 0.0


class Plan(Value):
    """What was asked for on the command line."""

    sizes: tuple[int, ...]
    quick: bool = False
    stages: bool = False
    # How long something is done that is done for a while.
    seconds: float = 60

    def rounds(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def largest(self) -> int:
        """The size for benchmarks that are run on one: 100,000 where that is asked for."""
        return max(size for size in self.sizes if size <= max(100_000, min(self.sizes)))


def milliseconds(work: Callable[..., object], *arguments: object) -> float:
    begun = perf_counter()
    work(*arguments)
    return (perf_counter() - begun) * 1e3


def percentile(times: Sequence[float], share: float) -> float:
    """The smallest time that this share of the times does not exceed.

    >>> percentile([4, 1, 3, 2], 0.5), percentile([4, 1, 3, 2], 0.99)
    (2, 4)
    """
    ordered = sorted(times)
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)]


def p50(times: Sequence[float]) -> float:
    return percentile(times, 0.50)


def timed(  # noqa: PLR0913 -- one line of a table
    benchmark: str,
    what: str,
    times: Sequence[float],
    *,
    records: int | None = None,
    limit: float | None = None,
    limit_is: str = "",
    targets: tuple[Target, ...] = (),
    note: str = "",
    detail: Mapping[str, object] | None = None,
) -> Figure:
    """A figure from times in milliseconds."""
    value = p50(times)
    return Figure(
        benchmark,
        what,
        round(value, 3),
        "ms",
        records,
        round(percentile(times, 0.99), 3),
        None if limit is None else round(limit, 3),
        limit_is,
        None if limit is None else round(value / limit, 3),
        targets,
        len(times),
        note,
        detail or {},
        load(),
    )


def load() -> float:
    return round(os.getloadavg()[0], 2)


def verdict(figure: Figure) -> bool | None:
    """Whether the targets are met; None where there are none."""
    numbers = {"value": figure.value, "p99": figure.p99, "ratio": figure.ratio}
    judged = [t.met(number) for t in figure.targets if (number := numbers[t.of]) is not None]
    return all(judged) if judged else None


def as_json(value: Value) -> dict[str, object]:
    """Without what is as it is by default."""
    found: dict[str, object] = {}
    for field in fields(value):
        given = getattr(value, field)
        if field in type(value)._defaults and given == type(value)._defaults[field]:  # noqa: SLF001
            continue
        found[field] = [as_json(v) for v in given] if isinstance(given, tuple) else given
    return found
