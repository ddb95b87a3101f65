"""Handler of reflection: reads what was experienced of late, and writes down what to decide."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.decisions import Reflected, Stand
from recollect.engine.proposals import in_step, propose
from recollect.model import Kind, Where
from recollect.rules import check
from recollect.rules.decide import read
from recollect.rules.propose import read as read_proposal
from recollect.rules.reflect import Evidence, Standing, reflect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recollect.decisions import Draft, Reflect
    from recollect.engine.ports import Ports
    from recollect.model import Record
    from recollect.store import Reader

# So long lies between two passes of a server.
EVERY = timedelta(hours=1)
_AT_ONCE = 500
_MOST = 20_000
_EPISODIC = ("episodic",)
_GOOD = 0.5


def run(ports: Ports, op: Reflect) -> Reflected:
    """Look back, and propose."""
    check.positive("days", op.days, 36_500)
    check.positive("support", op.support, 1_000)
    now = ports.clock()
    since = now - timedelta(days=op.days)
    with ports.store.reading() as reader:
        evidence = [*_memories(reader, op, since), *_seen(reader, op, since)]
        standing = list(_standing(reader, op.tenant))
        said = reflect(evidence, standing, op.support)
        fresh = [one for one in said.drafts if not _proposed(reader, op.tenant, one)]
    made = []
    if fresh:
        with ports.store.writing() as tx:
            # Another process may have proposed the same meanwhile.
            wanted = [one for one in fresh if not _proposed(tx, op.tenant, one)]
            made = [read_proposal(propose(ports, tx, one), one.evidence) for one in wanted]
    in_step(ports, op.tenant)
    return Reflected(
        tuple(made),
        len(evidence),
        said.known,
        len(said.drafts) - len(made),
    )


class Passes:
    """The background passes of a server: now and then, and only after something has changed."""

    def __init__(self, ports: Ports, tenant: str) -> None:
        self._ports = ports
        self._tenant = tenant
        self._due = ports.clock()
        self._seen = 0

    def step(self) -> int:
        """Reflect for every tenant, if it is time, and answer how much was proposed."""
        from recollect.decisions import Reflect as Asked

        now = self._ports.clock()
        if now < self._due:
            return 0
        self._due = now + EVERY
        with self._ports.store.reading() as reader:
            keys = reader.keys()
            tenants = {self._tenant, *(key.tenant for key in keys)}
            last = reader.last_event()
        if last == self._seen:
            return 0
        self._seen = last
        return sum(len(run(self._ports, Asked(one)).proposals) for one in sorted(tenants))


def _memories(reader: Reader, op: Reflect, since: datetime) -> list[Evidence]:
    where = Where(op.tenant, kinds=(Kind.MEMORY,), types=_EPISODIC, since=since)
    records = _pages(reader, where)
    senses = reader.senses([one.seq for one in records])
    return [
        Evidence(
            one.id,
            one.text,
            senses[one.seq].vector,
            one.session or one.id,
            one.scope,
            codes=senses[one.seq].codes,
            at=f"{one.event_time:%Y-%m-%d}",
        )
        for one in records
        if one.seq in senses and not one.superseded_by
    ]


def _seen(reader: Reader, op: Reflect, since: datetime) -> list[Evidence]:
    """Lessons of outcomes, and what signals said."""
    where = Where(op.tenant, kinds=(Kind.OUTCOME, Kind.SIGNAL), since=since)
    records = [one for one in _pages(reader, where) if not one.superseded_by]
    senses = reader.senses([one.seq for one in records])
    decided = reader.records({one.key for one in records})
    found = []
    for one in records:
        decision = decided.get(one.key)
        if decision is None or one.seq not in senses:
            continue
        bad = one.status in {"failure", "negative"}
        target = read(decision).target or decision.type
        text = _lessons(one)
        sense = senses[one.seq]
        found.append(
            Evidence(
                one.id,
                text,
                sense.vector,
                one.id,
                one.scope,
                target,
                one.key,
                bad,
                sense.codes,
                one.kind.value,
                f"{one.event_time:%Y-%m-%d}",
            )
        )
    return found


def _lessons(one: Record) -> str:
    lessons = json.loads(one.facts).get("lessons", ())
    return lessons[0] if lessons else one.text


def _standing(reader: Reader, tenant: str) -> Iterator[Standing]:
    where = Where(tenant, kinds=(Kind.DECISION,), statuses=(Stand.ACTIVE.value,))
    records = _pages(reader, where)
    senses = reader.senses([one.seq for one in records])
    for one in records:
        if one.seq in senses:
            sense = senses[one.seq]
            decision = read(one)
            text = f"{decision.statement}. {one.text}" if one.title else decision.statement
            target = decision.target or one.type
            yield Standing(one.id, text, sense.vector, target, one.type, sense.codes)


def _proposed(reader: Reader, tenant: str, draft: Draft) -> bool:
    """Whether the same evidence was put forward before, whatever became of it."""
    where = Where(tenant, kinds=(Kind.PROPOSAL,))
    edges = reader.edges(draft.evidence, "outgoing", ["evidence_for"])
    proposals = [
        one for one in reader.records({edge.dst for edge in edges}).values() if where.admits(one)
    ]
    for one in proposals:
        same = one.title == draft.title or (
            draft.supersedes and read_proposal(one).supersedes == draft.supersedes
        )
        had = {edge.src for edge in edges if edge.dst == one.id}
        # Half as much again as before is news, even after a rejection.
        if same or len(draft.evidence) < len(had) * (1 + _GOOD):
            return True
    return False


def _pages(reader: Reader, where: Where) -> list[Record]:
    found: list[Record] = []
    while len(found) < _MOST and (some := reader.page(where, _AT_ONCE, len(found))):
        found += some
    return found[::-1]
