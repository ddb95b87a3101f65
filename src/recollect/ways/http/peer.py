"""Whose program is at the other end of a connection within this machine."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The columns of a line of Linux's tables of connections.
_OF, _TO, _UID = 1, 2, 7


def same_user(peer: tuple[str, int], here: tuple[str, int]) -> bool:
    """Whether a connection was made by whoever runs this process.

    Only Linux tells. Elsewhere the answer is no, and who calls needs a key.
    """
    wanted = {(_spelled(*peer), _spelled(*here))} | {
        (_spelled(*_mapped(peer)), _spelled(*_mapped(here)))
    }
    return any((of, to) in wanted and uid == os.getuid() for of, to, uid in _connections())


def _connections() -> Iterator[tuple[str, str, int]]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                next(file, None)
                for line in file:
                    column = line.split()
                    yield column[_OF], column[_TO], int(column[_UID])
        except OSError:
            continue


def _spelled(host: str, port: int) -> str:
    """An address as the tables have it: in words of four bytes, in this machine's order."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    packed = socket.inet_pton(family, host.partition("%")[0])
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    shown = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{shown}:{port:04X}"


def _mapped(address: tuple[str, int]) -> tuple[str, int]:
    """An address of the older kind as the newer kind has it."""
    host, port = address
    return (host if ":" in host else f"::ffff:{host}"), port
