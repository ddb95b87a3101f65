"""Times that a question names, and which records are from them."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.period import Period, named

NOW = datetime(2024, 5, 20, 12, tzinfo=UTC)


def day(year, month, day_):
    return datetime(year, month, day_, 9, tzinfo=UTC)


def holds(query, *times):
    return [any(period.holds(time) for period in named(query, NOW)) for time in times]


def test_a_month_is_that_of_its_year_or_of_any():
    said = [day(2022, 3, 9), day(2023, 3, 9), day(2023, 4, 9)]
    assert holds("What did Anna say in March?", *said) == [True, True, False]
    assert holds("What did Anna say in March 2023?", *said) == [False, True, False]
    for query in (
        "on March 9, 2023",
        "on 9 March, 2023",
        "the 9th of March 2023",
        "March 9th 2023",
    ):
        assert holds(query, *said) == [False, True, False]


def test_may_and_march_are_verbs_where_nothing_says_otherwise():
    assert named("What may I do to march with them?", NOW) == []
    for query in ("last May", "in May", "early may", "8 May", "8th of may", "May 8"):
        assert holds(query, day(2023, 5, 8), day(2023, 4, 8)) == [True, False]


def test_a_year_needs_a_word_before_it():
    assert holds("Where did I live in 2022?", day(2022, 12, 31), day(2023, 1, 1)) == [True, False]
    assert named("Who has the 2022 model?", NOW) == []


def test_what_is_long_ago_is_counted_from_now():
    week, month, year = day(2024, 5, 13), day(2024, 4, 20), day(2023, 5, 20)
    assert holds("a week ago", week, month, year) == [True, False, False]
    assert holds("one month ago", week, month, year) == [False, True, False]
    assert holds("1 year ago", week, month, year) == [False, False, True]
    assert holds("a couple of weeks ago", day(2024, 5, 6), day(2024, 5, 19)) == [True, False]
    assert holds("a few days ago", day(2024, 5, 17), day(2024, 5, 20)) == [True, False]


def test_a_stretch_of_time_ends_now():
    for query in ("in the past two weeks", "over the last 14 days", "last week", "this month"):
        assert holds(query, day(2024, 5, 10), NOW, day(2024, 6, 1)) == [True, True, False]
    assert holds("this week", day(2024, 5, 14), day(2024, 5, 12)) == [True, False]
    assert holds("yesterday", day(2024, 5, 19), day(2024, 5, 10)) == [True, False]
    assert holds("today", day(2024, 5, 20), day(2024, 5, 18)) == [True, False]


def test_a_day_of_the_week_is_the_last_one():
    assert holds("last Friday", day(2024, 5, 17), day(2024, 5, 10)) == [True, False]
    # Today is a Monday.
    assert holds("last Monday", day(2024, 5, 13), NOW) == [True, False]


def test_no_question_names_a_time_by_chance():
    for query in ("Who is Anna?", "How long does it last?", "a weekly meeting", "5 years old", ""):
        assert named(query, NOW) == []


@given(st.integers(0, 9999), st.sampled_from(["day", "weeks", "month", "years"]), st.datetimes())
def test_every_number_of_units_is_a_time(number, unit, now):
    now = now.replace(tzinfo=UTC)
    for query in (f"{number} {unit} ago", f"last {number} {unit}"):
        (period,) = named(query, now)
        assert period.since is not None
        assert period.until is not None
        assert period.since < period.until


def test_a_period_without_bounds_holds_every_time():
    assert Period().holds(NOW)
