"""When records were last returned: kept here at once, written down together, so no read waits."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from recollect.model import micros
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recollect.model import Record
    from recollect.store import Store


class Accesses:
    """What this process has returned and not written down yet, by record number."""

    def __init__(self) -> None:
        self._pending: dict[int, datetime] = {}
        self._lock = Lock()

    @property
    def pending(self) -> bool:
        """Whether there is something to write down."""
        return bool(self._pending)

    def note(self, records: Iterable[Record], at: datetime) -> None:
        """Remember that these are returned now. A clock that was set back takes nothing back."""
        with self._lock:
            self._pending.update(
                (record.seq, at) for record in records if at >= (record.accessed_at or at)
            )

    def seen(self, records: Iterable[Record]) -> list[Record]:
        """The records, each with the last time that it was returned."""
        return [self._seen(record) for record in records]

    def flush(self, store: Store) -> int:
        """Write down what is pending, and answer of how many records that was."""
        with self._lock:
            taken = dict(self._pending)
        if not taken:
            return 0
        with store.writing() as tx:
            for at, seqs in _by_time(taken).items():
                tx.touch(seqs, micros(at))
        with self._lock:
            # What was returned again meanwhile is pending still.
            for seq, at in taken.items():
                if self._pending.get(seq) == at:
                    del self._pending[seq]
        return len(taken)

    def clear(self) -> None:
        """Forget all of it: numbers are given anew where everything was deleted."""
        with self._lock:
            self._pending.clear()

    def _seen(self, record: Record) -> Record:
        at = self._pending.get(record.seq)
        # A record younger than the access has come to the number of one that was deleted.
        if at is None or at < max(record.created_at, record.accessed_at or record.created_at):
            return record
        return replace(record, accessed_at=at)


def _by_time(pending: dict[int, datetime]) -> dict[datetime, Sequence[int]]:
    times: dict[datetime, list[int]] = {}
    for seq, at in pending.items():
        times.setdefault(at, []).append(seq)
    return {at: times[at] for at in sorted(times)}
