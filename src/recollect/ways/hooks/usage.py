"""What hooks put before models, counted: a line for each time, beside the store.

A line holds a time, an event, a session, a number of tokens and ids, and nothing of what was said.
It is appended in one write, so that any number of processes may do so at once without a lock.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect.value import Value
from recollect.ways.hooks.event import START

if TYPE_CHECKING:
    from collections.abc import Iterator

# Half of the file is dropped when it is larger: tens of thousands of lines are months of use.
_LARGEST = 4 * 1024 * 1024
# So many bytes of it hold what was done in the last hours.
_LATELY = 128 * 1024


class Use(Value):
    """One time that something was put before a model."""

    at: datetime
    event: str
    session: str
    tokens: int
    # Which memories were shown.
    ids: tuple[str, ...]


def path(store: str) -> str:
    """The file of a store."""
    return f"{store}-usage"


def note(store: str, use: Use) -> None:
    """Write one use down. A full or read-only disk is no reason to hold anybody up."""
    said = [use.at.isoformat(timespec="seconds"), use.event, use.session, use.tokens, use.ids]
    try:
        handle = os.open(path(store), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return
    try:
        os.write(handle, json.dumps(said).encode() + b"\n")
        if os.fstat(handle).st_size > _LARGEST:
            _halve(path(store))
    except OSError:
        pass
    finally:
        os.close(handle)


def told(store: str, session: str) -> set[str]:
    """The ids of what was put before the model since the session began, or was shortened."""
    ids: set[str] = set()
    for use in uses(store, _LATELY) if session else ():
        if use.session == session:
            ids = {*use.ids} if use.event == START else ids | {*use.ids}
    return ids


def uses(store: str, most: int = _LARGEST) -> Iterator[Use]:
    """What was written down last, oldest first; a line that cannot be read is left out."""
    try:
        with open(path(store), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            at, event, session, tokens, ids = json.loads(line)
            yield Use(
                datetime.fromisoformat(at).astimezone(UTC),
                str(event),
                str(session),
                int(tokens),
                tuple(map(str, ids)),
            )
        except (ValueError, TypeError):
            continue


def _halve(name: str) -> None:
    """Keep the newer half: what two processes do at once here loses some lines and no more."""
    with open(name, "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(content[len(content) // 2 :].partition(b"\n")[2])
        file.truncate()
