"""Which records a limit of age or of number would have gone. It says so, and deletes nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class Aged(Value):
    """What a limit looks at: a record's id, its project, and since when it is kept."""

    id: str
    project: str
    since: datetime


class Surplus(Value):
    """What is beyond a limit, oldest first, and how many are beyond each of them."""

    ids: tuple[str, ...]
    by_age: int
    by_count: int


def surplus(
    records: Sequence[Aged],
    now: datetime,
    max_age_days: float | None = None,
    max_for_each_project: int | None = None,
) -> Surplus:
    """What is older than so many days, or not among so many newest of its project.

    What is beyond both limits counts for both, and is named once.
    """
    oldest_first = sorted(records, key=lambda one: (one.since, one.id))
    aged = _aged(oldest_first, now, max_age_days)
    spare = _spare(oldest_first, max_for_each_project)
    ids = tuple(one.id for one in oldest_first if one.id in aged or one.id in spare)
    return Surplus(ids, len(aged), len(spare))


def _aged(records: Sequence[Aged], now: datetime, most: float | None) -> set[str]:
    if most is None:
        return set()
    try:
        since = now - timedelta(days=most)
    except OverflowError:
        # Before there were dates: nothing is as old as that.
        return set()
    return {one.id for one in records if one.since < since}


def _spare(records: Sequence[Aged], most: int | None) -> set[str]:
    if most is None:
        return set()
    kept: dict[str, int] = {}
    spare = set()
    for one in reversed(records):
        kept[one.project] = kept.get(one.project, 0) + 1
        if kept[one.project] > most:
            spare.add(one.id)
    return spare
