"""Whether what a text names is a piece of code or a file: `Store.append`, `src/app.py`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.model import Kind
from recollect.rules.code import records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.model import Record

# What so many define is a word, and nobody's name.
MOST = 8
_SHORTEST = 3
# Pieces that are called after their files.
_NAMELESS = frozenset(("module", "section", "block"))
_parts = re.compile(r"::|->|[.#]").split


def lookups(names: Iterable[str]) -> list[str]:
    """The keys under which code that these names mean would be found.

    >>> lookups(["store.append", "src/app.py"])
    ['app.py', 'append', 'store.append']
    """
    found = {key for name in names for key in (_last(name), records.basename(name))}
    return sorted(key for key in found if len(key) >= _SHORTEST)


def names(record: Record) -> list[str]:
    """What texts may call a piece or a file, in the form of entities' keys."""
    if record.kind is Kind.SOURCE:
        path = record.source_ref.casefold()
        parts = path.split("/")
        return ["/".join(parts[at:]) for at in range(len(parts))]
    if record.type in _NAMELESS:
        return []
    parts = _parts(record.title.casefold())
    return [".".join(parts[at:]) for at in range(len(parts))]


def fits(record: Record, name: str) -> bool:
    """Whether a name, in the form of an entity's key, means this piece or file."""
    if record.kind is Kind.SOURCE:
        if record.type != records.FILE or "." not in name:
            return False
        path, said = record.source_ref.casefold(), name.removeprefix("./")
        return path == said or path.endswith(f"/{said}") or said.endswith(f"/{path}")
    if "/" in name or len(record.key) < _SHORTEST or record.type in _NAMELESS:
        return False
    wanted = [part.strip("()") for part in _parts(name) if part]
    title = [part for part in _parts(record.title.casefold()) if part]
    return bool(wanted) and title[-len(wanted) :] == wanted


def _last(name: str) -> str:
    parts = [part.strip("()") for part in _parts(name.rpartition("/")[2]) if part]
    return parts[-1] if parts else ""
