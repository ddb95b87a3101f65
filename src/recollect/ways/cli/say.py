"""Lines as they go out: nothing stored steers the terminal, which shows what it can of the rest."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from recollect.rules.unseen import CONTROLS, LINES, MARKS, TURNING
from recollect.ways.cli.line import BAD, WARNING, Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.terminal import Look

# Stored text must not steer the terminal that shows it, so control characters are spelled out.
# So must not those that turn the direction of what follows, or end a line without looking it.
# Inside JSON this is how they are written anyway.
_VISIBLE = {c: f"\\u{c:04x}" for c in (*CONTROLS, *TURNING, *MARKS[:1], *LINES)}


def harmless(text: str) -> str:
    """A text whose control characters are spelled out."""
    return text.translate(_VISIBLE)


def fitting(lines: Iterable[Shown], stream: TextIO) -> Iterator[str]:
    """Lines as a stream shows them: as they are, or as wide and as colourful as its terminal is."""
    seen = _look(stream)
    for one in lines:
        if seen is None or not isinstance(one, Line):
            yield harmless(str(one))
            continue
        from recollect.ways.cli.terminal import painted

        parts = tuple((harmless(text), what) for text, what in one.parts)
        yield from painted(Line(parts, one.hang, one.cut), seen)


def note(said: str) -> None:
    """Tell a person something beside the answer."""
    _beside(said, WARNING)


def complain(said: str) -> None:
    """Tell a person that something was not done."""
    _beside(said, BAD)


def _beside(said: str, what: str) -> None:
    seen, name = _look(sys.stderr), "recollect:"
    if seen is not None:
        from recollect.ways.cli.terminal import marked

        name = marked(name, what, seen)
    print(f"{name} {harmless(said)}", file=sys.stderr)


def _look(stream: TextIO) -> Look | None:
    # Asked first, so that no program waits for what only people see.
    if not stream.isatty():
        return None
    from recollect.ways.cli.terminal import look

    return look(stream)
