"""What a file is cut into."""

from __future__ import annotations

from recollect.value import Value


class Piece(Value):
    """A part of a file that stands for itself: a function, a class, a section."""

    # function, method, class, struct, ..., module for what is outside of all, section, block
    type: str
    name: str
    # With the names of what it is in: `Stack.push`.
    qualified: str
    # Its lines, from one, the last included.
    start: int
    end: int
    # What is shown: its lines, for a later part of a long one under the header of the whole.
    text: str
    # The comment over it.
    doc: str = ""
    # The names that it calls, each once.
    calls: tuple[str, ...] = ()
    # Which part of a long one this is, from one; 0 where it is whole.
    part: int = 0


class Cut(Value):
    """A file as pieces, and what it imports."""

    language: str
    pieces: tuple[Piece, ...]
    imports: tuple[str, ...] = ()
    # Whether there is a grammar for it that could not be had.
    unparsed: bool = False
