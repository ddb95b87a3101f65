"""A repository of two branches that have few files in common."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from recollect.model import Kind, Where

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.engine import Engine

AUTHOR = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "gc.auto=0")
FOLDERS = 100


def made(root: Path, many: int) -> Path:
    """A repository whose branch `next` changes, adds and takes out so many files of `main`."""
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    for name, folder, number in (("main", "old", 1), ("next", "fresh", 2)):
        if number > 1:
            _git(root, "checkout", "-q", "-b", name)
            _git(root, "rm", "-q", "-r", "old0", "old50")
        for at in range(many):
            place = root / (f"{folder}{at % FOLDERS}" if at % 5 == 0 else f"kept{at % FOLDERS}")
            place.mkdir(exist_ok=True)
            (place / f"m{at}.py").write_text(f"def job_{at}():\n    return {number}\n")
        _git(root, "add", "-A")
        _git(root, "commit", "-q", "-m", name)
    switch(root, "main")
    return root


def switch(root: Path, name: str) -> None:
    _git(root, "checkout", "-q", name)


def written(root: Path) -> dict[str, str]:
    """What the files say."""
    return {
        file.relative_to(root).as_posix(): file.read_text().rstrip() for file in root.rglob("*.py")
    }


def indexed(engine: Engine) -> dict[str, str]:
    """What the index has of each file."""
    with engine.ports.store.reading() as reader:
        found = reader.page(Where(kinds=(Kind.CODE,)), 1_000_000)
    return {one.source_ref: one.text for one in found}


def _git(root: Path, *arguments: str) -> None:
    command = ["git", *AUTHOR, *arguments]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    assert not done.returncode, done.stderr
