"""Where a process works: the folders that it may read, and the project that they belong to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.config import Config


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
    return os.path.basename(at)
