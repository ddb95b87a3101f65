"""What is kept aside for when the store cannot be reached: captures that wait, and calibrations.

A capture is acknowledged once it is on the disk, and is replayed once: its id is given when it is
captured, and the ledger knows every id that ever was. Files are small, so each is read whole.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.errors import Away, Unavailable
from recollect.model import micros, moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Record

_MINUTE = 60_000_000
_CAPTURES, _CALIBRATIONS = "captures.jsonl", "calibrations.json"


def away(ports: Ports, error: Unavailable) -> bool:
    """Whether the store is away and there is a place to do without: no slow, no broken one."""
    return ports.governance.aside is not None and type(error) in {Unavailable, Away}


def wait(ports: Ports, record: Record) -> None:
    """Have a capture wait for the store, on the disk before this returns.

    Raises:
        Unavailable: it cannot be written here either.
    """
    # Loads JSON, which reading a record by id has no use for.
    from recollect.store import states

    line = states.dump(record).encode() + b"\n"
    with _opened(ports, _CAPTURES) as file:
        end = os.lseek(file, 0, os.SEEK_END)
        # What a crash cut off was never acknowledged, and must not swallow what follows it.
        if end and os.pread(file, 1, end - 1) != b"\n":
            line = b"\n" + line
        os.write(file, line)
        os.fsync(file)


def waiting(ports: Ports) -> bool:
    """Whether a capture waits; costs one look at a folder."""
    folder = ports.governance.aside
    if folder is None:
        return False
    try:
        return os.stat(os.path.join(folder, _CAPTURES)).st_size > 0
    except OSError:
        return False


def replay(ports: Ports) -> int:
    """Record what waits, each capture once, and answer how many that were.

    Raises:
        Unavailable: the store is still away; what is left goes on waiting.
    """
    from recollect.engine.deciding import keep

    done = 0
    with _opened(ports, _CAPTURES) as file:
        for record in _captures(file):
            with ports.store.writing() as tx:
                # It may have been recorded before a crash, and even been forgotten since.
                if tx.records([record.id]) or tx.events_of(record.id):
                    continue
                keep(ports, tx, record, None, tx.serving_model(), (), ports.clock())
            done += 1
        os.ftruncate(file, 0)
        os.fsync(file)
    return done


def copy(ports: Ports, key: str, said: dict[str, Any]) -> None:
    """Keep a copy of a calibration. Where that fails, the copy before it is as good."""
    if ports.governance.aside is None:
        return
    import json

    now = ports.clock()
    try:
        with _opened(ports, _CALIBRATIONS) as file:
            known = _copies(file)
            had = known.get(key, {"at": 0, "said": None})
            # Of what is the same as before, a new copy once a minute is fresh enough.
            if had["said"] == said and micros(now) - had["at"] < _MINUTE:
                return
            known[key] = {"at": micros(now), "said": said}
            text = json.dumps(known, ensure_ascii=False).encode()
            os.pwrite(file, text, 0)
            os.ftruncate(file, len(text))
    except Unavailable:
        return


def copied(ports: Ports, key: str) -> tuple[dict[str, Any], datetime] | None:
    """The last copy of a calibration, and when it was made."""
    if ports.governance.aside is None:
        return None
    with _opened(ports, _CALIBRATIONS) as file:
        found = _copies(file).get(key)
    return None if found is None else (found["said"], moment(found["at"]))


@contextmanager
def _opened(ports: Ports, name: str) -> Iterator[int]:
    """One of the files, for this process and thread alone."""
    folder = ports.governance.aside or ""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        file = os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _no_place(folder, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    except OSError as error:
        raise _no_place(folder, error) from error
    finally:
        os.close(file)


def _no_place(folder: str, error: OSError) -> Unavailable:
    return Unavailable(
        f"The store is away, and {folder} cannot be written either ({error.strerror}). Nothing was"
        " recorded; try again later.",
        path=folder,
    )


def _read(file: int) -> bytes:
    size = os.fstat(file).st_size
    return os.pread(file, size, 0)


def _captures(file: int) -> Iterator[Record]:
    from recollect.store import states

    for line in _read(file).split(b"\n"):
        try:
            yield states.load(line.decode())
        except (ValueError, KeyError, TypeError):
            # The end of a file, or what a crash cut off.
            continue


def _copies(file: int) -> dict[str, Any]:
    import json

    try:
        found = json.loads(_read(file) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
