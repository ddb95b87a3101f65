"""Reads the named statements out of the .sql files, which is where all SQL lives."""

from __future__ import annotations

import os
import re

_FOLDER = os.path.dirname(__file__)
_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_INCLUDE = re.compile(r"@(\w+)")


def load(file: str) -> dict[str, str]:
    """The statements of one file of queries/ by name, with every @name filled in."""
    with open(os.path.join(_FOLDER, "queries", file), encoding="utf-8") as text:
        _, *parts = _NAME.split(text.read())
    raw = {name: _body(part) for name, part in zip(parts[::2], parts[1::2], strict=True)}
    return {name: _INCLUDE.sub(lambda at: raw[at[1]], body) for name, body in raw.items()}


def migrations() -> list[tuple[int, str]]:
    """Every migration with its version, oldest first."""
    folder = os.path.join(_FOLDER, "migrations")
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sql"):
            with open(os.path.join(folder, name), encoding="utf-8") as text:
                found.append((int(name[:4]), text.read()))
    return found


def _body(part: str) -> str:
    lines = [line for line in part.splitlines() if not line.startswith("--")]
    return "\n".join(lines).strip().rstrip(";")


READ = load("read.sql")
WRITE = load("write.sql")
