"""What git knows of a file or of some of its lines, where there is git and a repository."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE = 10
_FORMAT = "--format=%h%x1f%cs%x1f%an%x1f%s"


class Commit(Value):
    """One commit."""

    id: str
    day: str
    author: str
    subject: str


def commits(root: str, path: str, lines: tuple[int, int] | None, most: int) -> tuple[Commit, ...]:
    """The commits that changed a file, or these lines of it, newest first; none without git."""
    log = ["git", "-C", root, "log", "-n", str(most), _FORMAT]
    found: Sequence[str] = []
    if lines is not None:
        found = _told([*log, "-s", "-L", f"{lines[0]},{lines[1]}:{path}"])
    return tuple(map(_commit, found or _told([*log, "--", path])))


def _told(command: Sequence[str]) -> Sequence[str]:
    try:
        done = subprocess.run(  # noqa: S603 -- our own words, and a path behind a colon or --
            command, capture_output=True, check=True, timeout=_PATIENCE, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in done.stdout.decode(errors="replace").split("\n") if "\x1f" in line]


def _commit(line: str) -> Commit:
    id_, day, author, subject = line.split("\x1f", 3)
    return Commit(id_, day, author, subject)
