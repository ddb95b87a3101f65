"""Reads what is given on the command line: times, numbers, and text from standard input."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.ways.cli.say import fitting

if TYPE_CHECKING:
    from recollect.ways.cli.line import Shown

_AGES = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def text(value: str) -> str:
    """A text, as it is."""
    return value


def whole(value: str) -> int:
    """A whole number.

    >>> whole("12")
    12
    """
    try:
        return int(value)
    except ValueError:
        raise ArgumentTypeError(f"{value!r} is not a whole number") from None


def number(value: str) -> float:
    """A number.

    >>> number("0.5")
    0.5
    """
    try:
        return float(value)
    except ValueError:
        raise ArgumentTypeError(f"{value!r} is not a number") from None


def time(value: str) -> datetime:
    """A point in time: a date, a date and time (UTC unless it says otherwise), or how long ago.

    >>> time("2026-02-12").isoformat()
    '2026-02-12T00:00:00+00:00'
    >>> time("2026-02-12T10:30+02:00").isoformat()
    '2026-02-12T08:30:00+00:00'
    """
    try:
        count, unit = value[:-1], value[-1:]
        if unit in _AGES and count.isdecimal():
            return datetime.now(UTC) - timedelta(**{_AGES[unit]: int(count)})
        given = datetime.fromisoformat(value)
        return given.replace(tzinfo=given.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(
            f"{value!r} is not a time; give one such as 2026-02-12, 2026-02-12T10:30Z, or 7d for"
            " seven days ago (m, h, d, w)"
        ) from None


def words(given: list[str]) -> str:
    """The words of a text that may be given without quotes; `-` reads standard input."""
    return standard_input() if given == ["-"] else " ".join(given)


def standard_input() -> str:
    """All of standard input, without the line end at its end."""
    given = sys.stdin.buffer.read()
    try:
        return given.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"What is on standard input is not UTF-8 (byte {error.start + 1}); convert it first,"
            " for example with `iconv`."
        ) from None


def confirmed(word: str, *question: Shown) -> bool:
    """Whether the person at the terminal answers the question with the word.

    Raises:
        InvalidRequest: there is no terminal, so no one who could answer.
    """
    if not sys.stdin.isatty():
        raise InvalidRequest(
            "There is no terminal to ask on, so nothing was changed. Add --yes to do it unasked."
        )
    *before, last = fitting(question, sys.stderr)
    asked = f"{last} Type {word!r} to go on: ".lstrip()
    print(*before, asked, sep="\n", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == word
