"""Handlers of tidying up: what should be looked at, and doing something about it as one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.named import Names
from recollect.engine.ports import BATCH
from recollect.engine.reads import LONGEST_PAGE, mine
from recollect.engine.writes import as_kept, keep, recorded
from recollect.errors import InvalidRequest
from recollect.model import Entry, Plan
from recollect.ops import Finding, Remember, Reviewed, Tidied
from recollect.rules import plan
from recollect.rules.analyse import passage
from recollect.rules.redact import Policy
from recollect.rules.review import (
    CONFLICT,
    DUPLICATE,
    FINDINGS,
    SECRET,
    WAITING,
    alone,
    ordered,
    said,
    settled,
    together,
    wanted,
)
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Record, Where
    from recollect.ops import Review, Tidy
    from recollect.rules.review import Found
    from recollect.store import Reader, Writer

# The newest so many are looked at; more take longer than a person waits.
_MOST = 10_000
_NEIGHBOURS = 5
_MOST_AT_ONCE = 10_000


def review(ports: Ports, op: Review) -> Reviewed:
    """Look at what is true now, record by record and beside what is nearest."""
    for name in ("stale_days", "unused_days"):
        if not getattr(op, name) >= 0:
            raise InvalidRequest(f"{name} is {getattr(op, name)}; give a number from 0 up")
    if unknown := [one for one in op.only if one not in FINDINGS]:
        raise InvalidRequest(
            f"There is no finding {unknown[0]!r}; choose of: {', '.join(FINDINGS)}.", field="only"
        )
    now, sorts = ports.clock(), wanted(op.only)
    where = replace(asked.where(op.where), at=now)
    with ports.store.reading() as reader:
        records = {record.id: record for record in _newest(reader, where)}
        seen = ports.accesses.seen(records.values())
        found = [
            one
            for record in seen
            for one in alone(record, now, stale_days=op.stale_days, unused_days=op.unused_days)
            if one.what in sorts
        ]
        if {CONFLICT, DUPLICATE} & {*sorts}:
            pairs = (one for one in _pairs(reader, records, where) if one[0].what in sorts)
            found += settled(pairs)
        total = reader.count(where)
    return Reviewed(
        tuple(
            Finding(one.what, records[one.id], one.why, records.get(one.other))
            for one in ordered(found, records)
        ),
        len(records),
        total,
    )


def tidy(ports: Ports, op: Tidy) -> Tidied:
    """Do what can be done: end, accept, and put a redacted copy in a secret's place."""
    asked.natural("number of findings", len(op.findings) + len(op.accept), _MOST_AT_ONCE)
    now = ports.clock()
    batch = ports.new_id(BATCH)
    done = _Done(ports, op, now, plan.detail(batch=batch, by="review"))
    with ports.store.writing() as tx:
        done.end(tx)
        done.accept(tx)
        done.redact(tx)
    ports.semantics.forget(done.texts)
    changed = done.ended or done.accepted
    return Tidied(
        batch if changed else "",
        tuple(done.ended),
        tuple(done.accepted),
        tuple(done.redacted),
        tuple(done.passed),
    )


class _Done:
    """What came of the findings, in one transaction."""

    def __init__(self, ports: Ports, op: Tidy, now: datetime, detail: str) -> None:
        self._ports = ports
        self._op = op
        self._now = now
        self._detail = detail
        self.ended: list[str] = []
        self.accepted: list[str] = []
        self.redacted: list[str] = []
        self.passed: list[str] = []
        self.texts: list[str] = []

    def end(self, tx: Writer) -> None:
        """Close what goes, in favour of what stays where there is such a one."""
        goes = [one for one in self._op.findings if one.what not in {SECRET, WAITING}]
        known = self._current(tx, [one.record for one in goes])
        others = mine(tx, [one.other.id for one in goes if one.other], self._op.tenant)
        for one in goes:
            record = known.get(one.record.id)
            lost = one.other is not None and one.other.id not in others
            if record is None or record.id in self.ended or lost:
                self.passed.append(one.record.id)
                continue
            self._close(tx, record, others[one.other.id] if one.other else None)
            self.ended.append(record.id)

    def accept(self, tx: Writer) -> None:
        """Keep candidates as what somebody has looked at."""
        known = mine(tx, self._op.accept, self._op.tenant)
        for id_ in dict.fromkeys(self._op.accept):
            record = known.get(id_)
            if record is None or record.status != WAITING:
                self.passed.append(id_)
                continue
            after = plan.changed(record, self._now, status="", confidence=1.0)
            self._apply(tx, Plan("accept", self._op.author, self._now, update=(Entry(after),)))
            self.accepted.append(id_)

    def redact(self, tx: Writer) -> None:
        """Put a copy without the secret in a record's place, and delete that with its history."""
        found = [one.record for one in self._op.findings if one.what == SECRET]
        known = self._current(tx, [record for record in found if record.id not in self.ended])
        for record in known.values():
            copy, kinds = as_kept(_copied(record), Policy.REDACT)
            if not kinds:
                self.passed.append(record.id)
                continue
            self.texts += [passage(state) for state in (*tx.versions(record.id), record)]
            new = recorded(copy, self._ports.new_id(""), self._now)
            keep(self._ports, tx, [(copy, new)], {}, self._ports.semantics.target(tx))
            names = Names(self._ports, tx, self._op.author, self._now)
            gone = (record.id, *names.orphaned([record.id]))
            # Not of the batch: what held a secret does not come back.
            tx.apply(Plan("forget", self._op.author, self._now, forget=gone))
            self.redacted.append(new.id)

    def _current(self, tx: Writer, records: Sequence[Record]) -> dict[str, Record]:
        """Those that are as they were when they were looked at, and true still."""
        known = mine(tx, [record.id for record in records], self._op.tenant)
        return {
            record.id: known[record.id]
            for record in records
            if record.id in known
            and known[record.id].version == record.version
            and known[record.id].valid_at(self._now)
        }

    def _close(self, tx: Writer, record: Record, stays: Record | None) -> None:
        now, author = self._now, self._op.author
        if stays is None:
            update = (Entry(plan.closed(record, now, now)),)
            self._apply(tx, Plan("invalidate", author, now, update=update))
        else:
            entry, edge = plan.superseded(record, stays, now, now)
            self._apply(tx, Plan("supersede", author, now, update=(entry,), link=(edge,)))

    def _apply(self, tx: Writer, step: Plan) -> None:
        tx.apply(replace(step, detail=self._detail))


def _newest(reader: Reader, where: Where) -> Iterator[Record]:
    for offset in range(0, _MOST, LONGEST_PAGE):
        records = reader.page(where, LONGEST_PAGE, offset)
        yield from records
        if len(records) < LONGEST_PAGE:
            return


def _pairs(
    reader: Reader, records: dict[str, Record], where: Where
) -> Iterator[tuple[Found, float]]:
    """Each record beside those nearest to it of the same scope, the newer one judged once."""
    by_seq = {record.seq: record for record in records.values()}
    seqs = sorted(by_seq)
    for at in range(0, len(seqs), LONGEST_PAGE):
        vectors = reader.vectors(seqs[at : at + LONGEST_PAGE])
        for seq, vector in vectors.items():
            near = reader.nearest(vector, where, _NEIGHBOURS + 1)
            others = ((by_seq[one.seq], one.score) for one in near if one.seq in by_seq)
            yield from together(by_seq[seq], _older(by_seq[seq], others))
        lacking = [seq for seq in seqs[at : at + LONGEST_PAGE] if seq not in vectors]
        yield from _by_text(by_seq, lacking)


def _older(
    record: Record, others: Iterable[tuple[Record, float]]
) -> Iterator[tuple[Record, float | None]]:
    for old, cosine in others:
        if old.seq < record.seq and old.scope == record.scope and old.type == record.type:
            yield old, cosine


def _by_text(by_seq: dict[int, Record], lacking: Sequence[int]) -> Iterator[tuple[Found, float]]:
    """Without vectors only what says the same in the same words is found."""
    first: dict[tuple[object, str], Record] = {}
    for seq in lacking:
        record = by_seq[seq]
        old = first.setdefault((record.scope, said(record.text)), record)
        if old is not record:
            yield from together(record, [(old, None)])


def _copied(record: Record) -> Remember:
    names = ("text", "scope", "author", "type", "title", "event_time", "valid_from", "valid_until")
    more = ("confidence", "importance", "source", "source_ref", "session", "speaker", "metadata")
    said = {name: getattr(record, name) for name in (*names, *more, "status")}
    return Remember(**said, once=False, similar=0)
