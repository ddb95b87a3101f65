"""What any program could do: FTS5's own BM25 over windows of forty lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import apsw

from bench.code.corpus import windows

if TYPE_CHECKING:
    from pathlib import Path


class Place(NamedTuple):
    """Lines of a file."""

    path: str
    start: int
    end: int


class Windows:
    """An index of windows."""

    def __init__(self, folder: Path, pattern: str = "*.py") -> None:
        self._places: list[Place] = []
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE windows USING fts5 (text)")
        with self._db:
            for path, start, end, text in windows(folder, pattern):
                self._places.append(Place(path, start, end))
                self._db.execute(
                    "INSERT INTO windows (rowid, text) VALUES (?, ?)", (len(self._places), text)
                )

    def search(self, query: str, most: int) -> list[Place]:
        """The best windows that hold any word of the query."""
        words = dict.fromkeys(re.findall(r"\w+", query))
        if not words:
            return []
        found = self._db.execute(
            "SELECT rowid FROM windows WHERE windows MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), most),
        )
        return [self._places[number - 1] for (number,) in found]
