"""Writes a file whole: after a crash, or a loss of power, it is the old one or the new one."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import get_ident


def write(path: str, content: bytes, mode: int | None = None) -> None:
    """Put a file in the place of what is there, and wait until the disk has it.

    Without a mode it keeps the one that it had; a new one is for its owner alone.
    """
    if mode is None:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    made = f"{path}.recollect-{os.getpid()}-{get_ident()}"
    with suppress(FileNotFoundError):
        # Left by a process of that number that was killed.
        os.unlink(made)
    try:
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as new:
            os.fchmod(new.fileno(), mode)
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        os.replace(made, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)
    _settle(os.path.dirname(path) or ".")


def _settle(folder: str) -> None:
    """Have the new name on the disk, too."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
