"""What others may put in place of time and chance in their tests."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from recollect.testing import CountedIds, FixedClock


def test_the_clock_stands_still():
    clock = FixedClock()
    assert clock() == clock()
    assert clock().tzinfo is UTC


def test_the_clock_is_moved_both_ways_and_set():
    clock = FixedClock(datetime(2026, 2, 1, tzinfo=UTC))
    clock.move(timedelta(days=1))
    assert clock() == datetime(2026, 2, 2, tzinfo=UTC)
    clock.move(timedelta(days=-2))
    assert clock() == datetime(2026, 1, 31, tzinfo=UTC)
    clock.now = datetime(2030, 1, 1, tzinfo=UTC)
    assert clock() == datetime(2030, 1, 1, tzinfo=UTC)


def test_ids_have_the_usual_shape_and_sort_as_they_were_given():
    ids = CountedIds()
    given = [ids() for _ in range(12)]
    assert all(re.fullmatch("[a-z0-9]{20}", id_) for id_ in given)
    assert given == sorted(set(given))


def test_a_kinds_prefix_goes_in_front():
    assert CountedIds()("sk_") == "sk_" + "0" * 19 + "1"
