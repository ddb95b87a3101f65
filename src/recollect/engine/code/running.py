"""Which folders this process is indexing: each once at a time."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_running: set[tuple[int, str]] = set()
_lock = Lock()


def running() -> bool:
    """Whether anything is being indexed."""
    return bool(_running)


@contextmanager
def claimed(store: object, root: str) -> Iterator[bool]:
    """Have a folder of a store for oneself, if nobody has it."""
    key = (id(store), root)
    with _lock:
        free = key not in _running
        _running.add(key)
    try:
        yield free
    finally:
        if free:
            with _lock:
                _running.discard(key)
