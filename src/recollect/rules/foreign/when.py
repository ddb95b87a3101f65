"""Times as other programs write them: ISO 8601, seconds or milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime

from recollect.model import moment

_MICROS = 1_000_000
# Seconds of the year 5138; what is greater is milliseconds.
_LARGEST_SECONDS = 100_000_000_000
_LARGEST = _LARGEST_SECONDS * 1_000


def when(value: object) -> datetime | None:
    """The time that a value says, in UTC; None where it says none.

    >>> when("2026-02-12T10:30:00+02:00").isoformat()
    '2026-02-12T08:30:00+00:00'
    >>> when(1770892200).isoformat() == when("1770892200000").isoformat()
    True
    >>> when("2026-02-12").isoformat(), when("soon"), when(None)
    ('2026-02-12T00:00:00+00:00', None, None)
    """
    match value:
        case bool():
            return None
        case int() | float():
            return _stamped(float(value))
        case datetime():
            return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case str():
            return _said(value.strip())
    return None


def _said(text: str) -> datetime | None:
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) > len("20260212"):
        return _stamped(float(text))
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _stamped(number: float) -> datetime | None:
    if not 0 < number < _LARGEST:
        return None
    seconds = number if number < _LARGEST_SECONDS else number / 1_000
    try:
        return moment(round(seconds * _MICROS))
    except OverflowError:
        return None
