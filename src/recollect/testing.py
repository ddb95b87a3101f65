"""What tests of Recollect, and of programs that embed it, put in place of time and chance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta

_NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class FixedClock:
    """A clock that stands still until it is set or moved, in either direction.

    >>> from datetime import timedelta
    >>> clock = FixedClock()
    >>> clock.move(timedelta(hours=1))
    >>> clock().isoformat()
    '2026-01-01T01:00:00+00:00'
    """

    def __init__(self, now: datetime = _NEW_YEAR) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time that it shows."""
        return self.now

    def move(self, by: timedelta) -> None:
        """Show a time so much later, or earlier where it is negative."""
        self.now += by


class CountedIds:
    """Ids of the usual shape that count up from one, so that a test can foretell them.

    >>> ids = CountedIds()
    >>> ids(), ids("dec_")
    ('00000000000000000001', 'dec_00000000000000000002')
    """

    def __init__(self) -> None:
        self.given = 0

    def __call__(self, prefix: str = "") -> str:
        """The next id, behind the prefix that its kind carries."""
        self.given += 1
        return f"{prefix}{self.given:020d}"
