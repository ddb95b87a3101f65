"""Puts the collection of garbage off while thousands of objects are made that all stay."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Fewer are made before the collector would have looked at all that there is.
_MANY = 250


@contextmanager
def lasting(objects: int) -> Iterator[None]:
    """Collect nothing within, where that many records are made.

    Looking through them again and again for what is let go takes a sixth of the time of a large
    write, and finds nothing. Who had put it off before is left alone.
    """
    put_off = objects >= _MANY and gc.isenabled()
    if put_off:
        gc.disable()
    try:
        yield
    finally:
        if put_off:
            gc.enable()
