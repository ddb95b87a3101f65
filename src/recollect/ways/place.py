"""Where a process works: the folders that it may read, and the project that they belong to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.config import Config

# Where a repository keeps what it knows of its other work trees.
_WORK_TREES = os.path.join(os.sep, ".git", "worktrees", "")
_LONGEST = 10_000


def roots(config: Config, folder: str | None = None) -> tuple[str, ...]:
    """The folders whose files a call may have read, the working directory first."""
    return (folder or os.getcwd(), *config.roots)


def project(config: Config, folder: str | None = None) -> str:
    """The project that is configured, or else the repository that the working directory is in.

    Outside of any repository there is none.
    """
    if config.project:
        return config.project
    at = os.path.abspath(folder or os.getcwd())
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return ""
        at = above
    return os.path.basename(_repository(at))


def _repository(at: str) -> str:
    """The folder of the repository, which a work tree beside it names in a file."""
    try:
        with open(os.path.join(at, ".git"), encoding="utf-8", errors="replace") as file:
            said = file.read(_LONGEST).removeprefix("gitdir:").strip()
    except OSError:
        # A folder: the repository is here.
        return at
    main, apart, _ = os.path.normpath(os.path.join(at, said)).rpartition(_WORK_TREES)
    return main if apart else at
