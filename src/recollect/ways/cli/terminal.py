"""What a terminal makes of lines: colours where it has them, and lines no wider than it is.

Knows nothing of what is said. Text comes in with its control characters spelled out already; the
only ones that go out are the colours from here.
"""

from __future__ import annotations

import os
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TextIO
from unicodedata import category, east_asian_width

from recollect.config import terminal
from recollect.value import Value
from recollect.ways.cli.line import BAD, FAINT, GOOD, HEAD, NAME, WARNING, Line

if TYPE_CHECKING:
    from collections.abc import Iterator

# The eight colours that every terminal has, in shades that its owner has chosen.
_COLOURS = {HEAD: "1", NAME: "1", FAINT: "2", GOOD: "32", BAD: "31", WARNING: "33"}
_PLAIN = "\x1b[0m"
# Narrower than this, nothing is aligned any more.
_NARROWEST = 20
_USUAL = 80
# Narrower than this, what comes last on a line would be cut to nothing.
_WIDE_ENOUGH = 60
_JOINER = 0x200D


class Look(Value):
    """What a terminal can show."""

    width: int
    colours: bool


def look(stream: TextIO) -> Look | None:
    """What can be shown on a stream; None where no terminal is behind it."""
    if not stream.isatty():
        return None
    said = terminal()
    columns = said.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        width = int(columns)
    else:
        try:
            width = os.get_terminal_size(stream.fileno()).columns or _USUAL
        except OSError:
            width = _USUAL
    # https://no-color.org: set to anything at all.
    colours = not said.get("NO_COLOR") and said.get("TERM", "dumb") != "dumb"
    return Look(max(width, _NARROWEST), colours)


def painted(line: Line, seen: Look) -> Iterator[str]:
    """The line as so many lines of the terminal as it takes."""
    words = [(word, what) for text, what in line.parts for word in _words(text)]
    if line.cut and seen.width >= _WIDE_ENOUGH:
        yield _coloured(_cut(words, seen.width), seen)
        return
    hang = line.hang if line.hang < seen.width // 2 else 0
    row: list[tuple[str, str]] = []
    used = 0
    for word, what in words:
        size = cells(word)
        if used + size > seen.width and used > hang:
            yield _coloured(_trimmed(row), seen)
            row, used = [(" " * hang, "")], hang
            if word.isspace():
                continue
        for piece in _pieces(word, seen.width - hang):
            if used + cells(piece) > seen.width and used > hang:
                yield _coloured(_trimmed(row), seen)
                row, used = [(" " * hang, "")], hang
            row.append((piece, what))
            used += cells(piece)
    yield _coloured(_trimmed(row), seen)


def marked(text: str, what: str, seen: Look | None) -> str:
    """A text that stands for itself, in its colour."""
    return _coloured([(text, what)], seen) if seen else text


def cells(text: str) -> int:
    """How wide a text is on a terminal.

    >>> cells("kettle"), cells("薬缶"), cells("e\u0301")
    (6, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = 0
    joined = False
    for sign in text:
        if not joined:
            wide += _cells(sign)
        # What follows a joiner is drawn into the sign before it.
        joined = ord(sign) == _JOINER
    return wide


def fitted(text: str, width: int) -> str:
    """A text that is no wider; what is left out is shown to be.

    >>> fitted("one two three", 8), fitted("薬缶は台所", 6)
    ('one two…', '薬缶…')
    """
    if cells(text) <= width:
        return text
    kept = ""
    for sign in text:
        if cells(kept + sign) >= width:
            break
        kept += sign
    return f"{kept.rstrip()}…"


def _cells(sign: str) -> int:
    if category(sign) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(sign) in {"W", "F"} else 1


def _words(text: str) -> Iterator[str]:
    """A text in pieces that lines may end between: words, spaces, and each wide sign."""
    kept = ""
    for sign in text.expandtabs(4):
        wide = not sign.isascii() and east_asian_width(sign) in {"W", "F"}
        if kept and (wide or sign.isspace() != kept[-1].isspace()):
            yield kept
            kept = ""
        kept += sign
        if wide:
            yield kept
            kept = ""
    if kept:
        yield kept


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word that no line is wide enough for goes on in the next."""
    start = used = 0
    joined = False
    for place, sign in enumerate(word if cells(word) > width else ""):
        size = 0 if joined else _cells(sign)
        if used + size > width and place > start:
            yield word[start:place]
            start, used = place, 0
        used += size
        joined = ord(sign) == _JOINER
    yield word[start:]


def _cut(words: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    if sum(cells(word) for word, _ in words) <= width:
        return words
    row: list[tuple[str, str]] = []
    left = width
    for word, what in words:
        # A sign is kept for the dots, of which one has to come.
        if cells(word) >= left:
            row.append((fitted(f"{word} ", left), what))
            break
        row.append((word, what))
        left -= cells(word)
    return row


def _trimmed(row: list[tuple[str, str]]) -> list[tuple[str, str]]:
    while row and row[-1][0].isspace():
        row = row[:-1]
    return row


def _coloured(row: list[tuple[str, str]], seen: Look) -> str:
    if not seen.colours:
        return "".join(text for text, _ in row)
    alike = (
        (what, "".join(text for text, _ in some)) for what, some in groupby(row, itemgetter(1))
    )
    return "".join(
        f"\x1b[{_COLOURS[what]}m{text}{_PLAIN}" if what else text for what, text in alike
    )
