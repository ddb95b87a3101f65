"""The end of the file in which a program keeps a conversation."""

from __future__ import annotations

import os
import stat

# So many bytes of it hold a turn, and what was put into the conversation before.
_TAIL = 512 * 1024


def tail(path: str) -> str:
    """The end of a transcript, whole lines only; empty where there is none to be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            return ""
        content = os.pread(handle, _TAIL, max(0, state.st_size - _TAIL))
    except OSError:
        return ""
    finally:
        os.close(handle)
    if state.st_size > _TAIL:
        content = content.partition(b"\n")[2]
    return content.decode(errors="replace")
