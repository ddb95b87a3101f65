"""Which folders this process is indexing: each once at a time."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_running: set[tuple[int, str]] = set()
_changed = Condition()
# A run that was ended has said so a moment before it has let go; so many seconds are that moment.
_MOMENT = 1.0


def running() -> bool:
    """Whether anything is being indexed."""
    return bool(_running)


@contextmanager
def claimed(store: object, root: str) -> Iterator[bool]:
    """Have a folder of a store for oneself, if nobody has it."""
    key = (id(store), root)
    with _changed:
        free = _changed.wait_for(lambda: key not in _running, _MOMENT)
        _running.add(key)
    try:
        yield free
    finally:
        if free:
            with _changed:
                _running.discard(key)
                _changed.notify_all()
