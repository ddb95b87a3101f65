"""How the C library keeps what many threads have given back: in few places, so that it is used."""

from __future__ import annotations

import ctypes

# As glibc's malloc.h has it. Other libraries have no such places, or no such word for them.
_M_ARENA_MAX = -8
# Usually it makes up to eight for each processor, and each keeps what was ever needed at once: a
# server that had served 32 clients for half a minute held 380 MB in place of 266, and went on
# growing. With two it served as many of them.
FEW = 2


def keep_together(library: object = None) -> bool:
    """Have memory come from few places from now on; answers whether that can be said here."""
    try:
        said = (library or ctypes.CDLL(None)).mallopt(_M_ARENA_MAX, FEW)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return False
    return bool(said)
