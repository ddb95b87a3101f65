"""Which scan files lie beside a database, known without loading what searches them."""

from __future__ import annotations

import contextlib
import os


def name(path: str, model: int, generation: int) -> str:
    """Where the scan file of a model lies."""
    return f"{path}-scan-{model}-{generation}"


def tidy(path: str, keep: set[str]) -> None:
    """Remove every scan file but those to be kept."""
    for file in _found(path):
        if file not in keep:
            # Somebody else's file, or one that is gone already, is in nobody's way.
            with contextlib.suppress(OSError):
                os.unlink(file)


def mode(path: str) -> int:
    """Who may read and write the database, and so what lies beside it."""
    return os.stat(path).st_mode & 0o666


def size(path: str) -> int:
    """How many bytes the store takes on the disk, with all that lies beside it."""
    total = 0
    for file in (path, f"{path}-wal", *_found(path)):
        with contextlib.suppress(FileNotFoundError):
            # A scan file has holes, which take no space.
            total += os.stat(file).st_blocks * 512
    return total


def _found(path: str) -> list[str]:
    folder, prefix = os.path.split(f"{path}-scan-")
    return [os.path.join(folder, n) for n in os.listdir(folder or ".") if n.startswith(prefix)]
