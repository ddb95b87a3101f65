"""TOML: read, and a table put in or taken out as lines, with everything else as it was.

Every change is proved: the new text is read again, and has to say what was meant and nothing else.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

from recollect.rules.edit import Unclear, at, merged, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recollect.rules.edit import Path

_header = re.compile(r"[ \t]*\[\[?([^\[\]]*)\]\]?[ \t]*(?:#.*)?$").match
_bare = re.compile(r"[A-Za-z0-9_-]+").fullmatch


def read(text: str) -> object:
    """What a text says."""
    try:
        # A line may end as on any system, or the last one not at all.
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Unclear(f"it is not TOML: {error}") from None


def put(text: str, path: Path, value: object) -> str:
    r"""The text with a table at a path: in its place where there is one, else at the end.

    >>> put("a = 1\n", ("t", "x"), {"b": "c"})
    'a = 1\n\n[t.x]\nb = "c"\n'
    """
    document = read(text)
    if at(document, path) == value:
        return text
    if not isinstance(value, dict):
        raise Unclear("only a table can be put into TOML")
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = ends.join(_table(path, value)) + ends
    meant = merged(document, path, value)
    if at(document, path) is None:
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else ends
        full = text if not text or text.endswith("\n") else text + ends
        return _proved([f"{full}{gap}{lines}"], meant)
    return _proved((text[:start] + lines + text[end:] for start, end in _places(text, path)), meant)


def take(text: str, path: Path) -> str:
    r"""The text without the table at a path.

    >>> take('a = 1\n\n[t.x]\nb = "c"\n', ("t", "x"))
    'a = 1\n'
    """
    document = read(text)
    if at(document, path) is None:
        return text
    meant = without(document, path)
    # The tables above it go as well where they were only its name.
    alike = [meant]
    for depth in range(len(path) - 1, 0, -1):
        if at(meant, path[:depth]) == {}:
            meant = without(meant, path[:depth])
            alike.append(meant)
    made = (_without(text, start, end) for start, end in _places(text, path))
    return _proved(made, *alike)


def _without(text: str, start: int, end: int) -> str:
    before, after = text[:start], text[end:]
    return before + after if after.strip() else _unspaced(before)


def _unspaced(text: str) -> str:
    """Without the empty line that stood between this and what followed."""
    for ends in ("\r\n", "\n"):
        if text.endswith(ends * 2):
            return text.removesuffix(ends)
    return text


def _places(text: str, path: Path) -> Iterator[tuple[int, int]]:
    """Where a table may stand, with the tables in it that follow at once.

    What looks like its header may be a line of a text, so the first place need not be the one.
    """
    start: int | None = None
    for place, name in (*_headers(text), (len(text), ())):
        inside = name[: len(path)] == tuple(path)
        if start is None and inside:
            start = place
        elif start is not None and not inside:
            yield start, _before_comments(text, start, place)
            start = None


def _before_comments(text: str, start: int, end: int) -> int:
    """What stands right before the next header belongs to that."""
    lines = text[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        end -= len(lines.pop())
    return end


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where each table's header stands, and the table's name."""
    place = 0
    for line in text.splitlines(keepends=True):
        found = _header(line.rstrip("\r\n"))
        if found and (name := _name(found[1])):
            yield place, name
        place += len(line)


def _name(dotted: str) -> tuple[str, ...]:
    try:
        found = tomllib.loads(f"{dotted} = 1")
    except tomllib.TOMLDecodeError:
        # A line of an array that only looks like a header.
        return ()
    names: list[str] = []
    inner: object = found
    while isinstance(inner, dict):
        ((name, inner),) = inner.items()
        names.append(name)
    return tuple(names)


def _table(path: Path, value: dict[str, object]) -> Iterator[str]:
    yield f"[{'.'.join(map(_key, path))}]"
    for name, one in value.items():
        if not isinstance(one, dict):
            yield f"{_key(name)} = {json.dumps(one, ensure_ascii=False)}"
    for name, one in value.items():
        if isinstance(one, dict):
            yield ""
            yield from _table((*path, name), one)


def _key(name: str) -> str:
    return name if _bare(name) else json.dumps(name, ensure_ascii=False)


def _proved(several: Iterable[str], *meant: object) -> str:
    """The first of several texts that says one of the things that are meant."""
    for made in several:
        try:
            if read(made) in meant:
                return made
        except Unclear:
            continue
    raise Unclear("it cannot be changed without changing something else")
