"""Times that a question names: "in March", "on 8 May 2023", "two weeks ago", "last Friday".

A record from such a time is the likelier answer. Nothing is left out for being from another time,
since people speak of what was, and are not always right about when.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)}
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3}
# How many days each has.
_UNITS = {"day": 1.0, "week": 7.0, "weekend": 7.0, "month": 30.5, "year": 365.25}
# Who says how long ago something was is right to half a unit, a tenth of the whole, and a day.
_HALF, _ABOUT, _DAY = 0.5, 0.1, 1.0
# Nothing is remembered from further back, and no calendar goes on for ever.
_LONGEST = 365.25 * 200
_FIRST, _FINAL = datetime(1000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)

_number = rf"(?:an? )?(\d{{1,4}}|{'|'.join(_NUMBERS)})(?: of)?"
_ago = re.compile(rf"\b{_number} (day|week|month|year)s? ago\b").finditer
_past = re.compile(rf"\b(?:past|last|previous) {_number} (day|week|month|year)s?\b").finditer
_last = re.compile(r"\b(last|past|previous|this) (weekend|week|month|year)\b").finditer
_weekday = re.compile(rf"\b(?:last|past|this|previous) ({'|'.join(_DAYS)})\b").finditer
_near = re.compile(r"\b(yesterday|last night|today|tonight|this morning)\b").finditer
_year = re.compile(r"\b(?:in|of|since|during|from|until) ((?:19|20)\d\d)\b").finditer
_day = r"\d{1,2}(?:st|nd|rd|th)?"
# "may" and "march" are months only beside something that says so.
_month = re.compile(
    rf"\b(?:(?:in|of|last|this|since|until|by|from|before|after|during|late|early|mid)[ -]|"
    rf"({_day})(?: of)? )?({'|'.join(_MONTHS)})\b(?: ({_day}\b)(?!\d))?(?:,? ((?:19|20)\d\d)\b)?"
).finditer


class Period(Value):
    """A stretch of time, or a month of whatever year."""

    since: datetime | None = None
    until: datetime | None = None
    month: int = 0

    def holds(self, time: datetime) -> bool:
        """Whether a time lies in it."""
        return (
            (self.since is None or self.since <= time)
            and (self.until is None or time < self.until)
            and self.month in {0, time.astimezone(UTC).month}
        )


def named(query: str, now: datetime) -> list[Period]:
    """The times that a question names; what is said to be long ago is counted from now.

    >>> now = datetime(2024, 5, 20, tzinfo=UTC)
    >>> (june,) = named("What did Anna paint in June 2023?", now)
    >>> june.holds(datetime(2023, 6, 9, tzinfo=UTC)), june.holds(datetime(2024, 6, 9, tzinfo=UTC))
    (True, False)
    >>> (then,) = named("Whom did I meet two weeks ago?", now)
    >>> then.holds(datetime(2024, 5, 5, tzinfo=UTC)), then.holds(now)
    (True, False)
    """
    said = query.lower()
    now = min(max(now, _FIRST), _FINAL)
    return [
        *_counted(said, now),
        *_months(said),
        *(_of_year(int(match[1])) for match in _year(said)),
    ]


def _counted(said: str, now: datetime) -> Iterator[Period]:
    """Times that are told by how long ago they were."""
    for match in _ago(said):
        days = _length(match[1], match[2])
        slack = _HALF * _UNITS[match[2]] + _ABOUT * days + _DAY
        yield _between(now, days + slack, days - slack)
    for match in _past(said):
        yield _between(now, _length(match[1], match[2]) + _DAY)
    for match in _last(said):
        yield _between(now, (1 if match[1] == "this" else 2) * _UNITS[match[2]])
    for match in _weekday(said):
        back = (now.weekday() - _DAYS.index(match[1])) % 7 or 7
        yield _between(now, back + _DAY, back - _DAY)
    for match in _near(said):
        yield _between(now, 2 if match[1] in {"yesterday", "last night"} else 1)


def _months(said: str) -> Iterator[Period]:
    for match in _month(said):
        name = match[2]
        alone = match[0] == name
        if alone and name in {"may", "march"}:
            continue
        number = _MONTHS.index(name) + 1
        yield _of_year(int(match[4]), number) if match[4] else Period(month=number)


def _length(number: str, unit: str) -> float:
    many = int(number) if number.isdigit() else _NUMBERS[number]
    return min(many * _UNITS[unit], _LONGEST)


def _between(now: datetime, longest: float, shortest: float = 0.0) -> Period:
    """From so many days ago to so many days ago; what is said now belongs to it."""
    end = now + timedelta(microseconds=1) - timedelta(days=max(shortest, 0.0))
    return Period(now - timedelta(days=longest), end)


def _of_year(year: int, month: int = 0) -> Period:
    first, after = (month, month + 1) if month else (1, 13)
    end = datetime(year + after // 13, (after - 1) % 12 + 1, 1, tzinfo=UTC)
    return Period(datetime(year, first, 1, tzinfo=UTC), end)
