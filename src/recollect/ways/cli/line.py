"""A line for people, in parts that say what they are; how that looks, a terminal decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.value import Value, replace

if TYPE_CHECKING:
    from typing import TypeAlias

# What a part may be. Text that nothing is said of is "".
HEAD, NAME, FAINT, GOOD, BAD, WARNING = "head", "name", "faint", "good", "bad", "warning"


class Line(Value):
    """One line. Where there is no terminal, it is its text and nothing else."""

    # Each with what it is.
    parts: tuple[tuple[str, str], ...]
    # How deep the rest goes on when it is too long for one line of the terminal.
    hang: int = 0
    # Whether the rest is left out there instead.
    cut: bool = False

    def __str__(self) -> str:
        return "".join(text for text, _ in self.parts)

    def __add__(self, more: str | Line) -> Line:
        return replace(self, parts=(*self.parts, *_parts(more)))

    def __radd__(self, before: str) -> Line:
        return replace(self, parts=(*_parts(before), *self.parts), hang=self.hang + len(before))


Shown: TypeAlias = "str | Line"


def line(*pieces: str | Line | tuple[str, str], hang: int = 0, cut: bool = False) -> Line:
    """Make a line of texts, of texts with what they are, and of other lines.

    >>> str(line("1. ", ("abc", FAINT), "  said"))
    '1. abc  said'
    """
    parts = [part for piece in pieces for part in _parts(piece)]
    return Line(tuple(parts), hang, cut)


def _parts(piece: str | Line | tuple[str, str]) -> tuple[tuple[str, str], ...]:
    if isinstance(piece, Line):
        return piece.parts
    return ((piece, ""),) if isinstance(piece, str) else (piece,)
