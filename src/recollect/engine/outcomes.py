"""Handlers of what came of decisions: outcomes, signals, and how far each has come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.decisions.measured import (
    ListedDecisions,
    Recorded,
    Shown,
    Signalled,
    Sums,
    Updated,
    Whole,
)
from recollect.engine import asked
from recollect.engine.calibrations import prior, summed, sums_of
from recollect.engine.deciding import each_of
from recollect.engine.near import outcomes
from recollect.engine.near import sense as sense_of
from recollect.engine.ports import prefix_of
from recollect.engine.reads import existing
from recollect.engine.writes import embedded, guarded, still
from recollect.errors import InvalidRequest
from recollect.model import Edge, Entry, Kind, Link, Plan, Record, Where, micros
from recollect.rules import check, plan
from recollect.rules.beta import Beta
from recollect.rules.calibrate import WEIGHTS, estimate
from recollect.rules.decide import SINCE, changed, read, stage_of, written
from recollect.value import replace

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from recollect.decisions.measured import (
        GetDecision,
        ListDecisions,
        RecordOutcome,
        RecordSignal,
        UpdateDecision,
    )
    from recollect.engine.ports import Ports
    from recollect.model import Author
    from recollect.store import Reader

STATUSES = ("success", "partial", "failure")
VALENCES = ("positive", "negative", "neutral")
_LONGEST_PAGE = 1_000
_AT_ONCE = 200


def record_outcome(ports: Ports, op: RecordOutcome) -> Recorded:
    """Say what came of a decision."""
    from recollect.engine.mining import News, learn, look, taught

    op = _kept(ports, op)
    now = ports.clock()
    with ports.store.reading() as reader:
        (decision,) = existing(reader, (op.decision,), op.tenant, (Kind.DECISION,))
        model = ports.semantics.target(reader)
    new = _outcome(ports, op, decision, now)
    sense = embedded(ports, model, [new]).get(new.id)
    with ports.store.reading() as reader:
        if reader.serving_model() != model:
            sense = None
        seen = look(ports, reader, [new], taught(ports, reader, new, sense, decision))
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        if tx.serving_model() != model:
            sense = None
        (decision,) = existing(tx, (op.decision,), op.tenant, (Kind.DECISION,))
        old = outcomes(tx, op.tenant, [op.decision]).get(op.decision)
        where = Where(op.tenant, decision.scope.user or None)
        before = sums_of(tx, new.type, where)
        ended = [] if old is None else [plan.superseded(old, new, now, now)]
        links = (Edge(new.id, Link.OUTCOME_OF, decision.id, now, now), *(e for _, e in ended))
        tx.apply(
            Plan(
                "outcome",
                op.author,
                now,
                insert=(Entry(new, *(sense or ())),),
                update=tuple(entry for entry, _ in ended),
                link=links,
                detail=plan.detail(of=decision.id, status=op.status),
            )
        )
        before_this = None if old is None else old.confidence
        news = News(decision.id, before_this, new.confidence, micros(now))
        learned = learn(ports, tx, seen, now, news)
        made = tx.records([new.id])[new.id]
    # What was said of it before does not count any more.
    left = _without(before, old, new.type)
    stated = left.stated + (decision.confidence or 0.0)
    after = Sums(left.outcomes + 1, left.score + new.confidence, stated, micros(now))
    whole = Whole(read(decision), stage_of(decision, made), made)
    was = summed(new.type, before, prior(ports), interval=False)
    now_is = summed(new.type, after, prior(ports))
    return Recorded(made, whole, was, now_is, old.id if old else "", tuple(learned))


def record_signal(ports: Ports, op: RecordSignal) -> Signalled:
    """Say what was seen of a decision."""
    if op.type not in WEIGHTS:
        raise InvalidRequest(f"signal_type is one of {', '.join(WEIGHTS)}.", field="signal_type")
    if op.valence not in VALENCES:
        raise InvalidRequest(f"valence is one of {', '.join(VALENCES)}.", field="valence")
    check.line(op.description, "description")
    metrics = check.json_object("metrics", op.metrics)
    kept, _ = guarded({"text": op.description, "metrics": metrics}, ports.secrets())
    metrics = json.loads(kept["metrics"])
    now = ports.clock()
    with ports.store.reading() as reader:
        (decision,) = existing(reader, (op.decision,), op.tenant, (Kind.DECISION,))
        model = ports.semantics.target(reader)
    new = _beside(
        Kind.SIGNAL,
        ports,
        decision,
        op.author,
        now,
        text=kept["text"] or f"{op.type} ({op.valence}): {read(decision).statement}",
        type=op.type,
        status=op.valence,
        facts=written({"metrics": metrics, "domain": decision.type}),
    )
    sense = embedded(ports, model, [new]).get(new.id)
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        if tx.serving_model() != model:
            sense = None
        edge = Edge(new.id, Link.ABOUT, decision.id, now, now)
        detail = plan.detail(of=decision.id, type=op.type)
        (made,) = tx.apply(
            Plan(
                "signal",
                op.author,
                now,
                insert=(Entry(new, *(sense or ())),),
                link=(edge,),
                detail=detail,
            )
        )
        expected = expectation(ports, tx, decision)
    return Signalled(made, expected.mean)


def expectation(ports: Ports, reader: Reader, decision: Record) -> Beta:
    """What to expect of a decision, from its domain and its signals."""
    where = Where(decision.scope.tenant, decision.scope.user or None)
    sums = sums_of(reader, decision.type, where)
    own = outcomes(reader, where.tenant, [decision.id]).get(decision.id)
    rate = summed(decision.type, _without(sums, own, decision.type), prior(ports))
    seen = signals(reader, decision)
    return estimate(Beta(rate.alpha, rate.beta), [(one.type, one.status) for one in seen])


def _without(sums: Sums, own: Record | None, domain: str) -> Sums:
    """The sums without an outcome, if that is of the domain."""
    if own is None or own.type != domain:
        return sums
    stated = json.loads(own.facts)["stated"]
    return Sums(sums.outcomes - 1, sums.score - own.confidence, sums.stated - stated, sums.last)


def signals(reader: Reader, decision: Record) -> list[Record]:
    """What was seen of a decision, oldest first."""
    return reader.keyed(Where(decision.scope.tenant, kinds=(Kind.SIGNAL,)), [decision.id])


def update(ports: Ports, op: UpdateDecision) -> Updated:
    """Say how far a decision has come."""
    given = {"notes": op.notes, "pr": op.pr, "commit": op.commit}
    for name, said in given.items():
        check.line(said, name, _LONGEST_PAGE * 10)
    given, _ = guarded(given, ports.secrets())
    if op.confidence is not None:
        check.unit("confidence_update", op.confidence)
    now = ports.clock()
    with ports.store.writing() as tx:
        (old,) = existing(tx, (op.id,), op.tenant, (Kind.DECISION,))
        still(old, op.expected_version)
        outcome = outcomes(tx, op.tenant, [op.id]).get(op.id)
        before = read(old)
        facts: dict[str, Any] = {name: said for name, said in given.items() if said}
        if op.notes:
            facts["notes"] = (*before.notes, given["notes"])
        if op.stage is not None:
            facts |= {"stage": op.stage.value, SINCE: "none" if outcome is None else outcome.id}
        confidence = old.confidence if op.confidence is None else float(op.confidence)
        new = plan.changed(old, now, facts=changed(old, **facts), confidence=confidence)
        detail = plan.detail(stage=facts.get("stage", ""))
        tx.apply(Plan("update", op.author, now, update=(Entry(new),), detail=detail))
        after = tx.records([op.id])[op.id]
    whole = Whole(read(after), stage_of(after, outcome), outcome)
    return Updated(whole, stage_of(old, outcome))


def get(ports: Ports, op: GetDecision) -> Shown:
    """Read a decision with its surroundings."""
    from recollect.engine.skills import antipatterns, similar

    with ports.store.reading() as reader:
        (record,) = existing(reader, (op.id,), op.tenant, (Kind.DECISION,))
        whole = wholes(reader, [record])[0]
        statement = whole.decision.statement
        meant = reader.senses([record.seq]).get(record.seq) or sense_of(ports, reader, statement)
        where = Where(op.tenant, record.scope.user or None)
        like = similar(reader, meant, statement, where, op.similar, but=record.id)
        against = antipatterns(reader, statement, meant, where)
    return Shown(whole, tuple(one for one in like if one.of_one_matter), tuple(against))


def page(ports: Ports, op: ListDecisions) -> ListedDecisions:
    """List decisions."""
    check.positive("limit", op.limit, _LONGEST_PAGE)
    where = replace(asked.where(op.where), kinds=(Kind.DECISION,))
    if op.module:
        where = replace(where, types=(check.line(op.module, "module"),))
    found: list[Whole] = []
    with ports.store.reading() as reader:
        start = 0
        while len(found) < op.limit and (some := reader.page(where, _AT_ONCE, start)):
            start += len(some)
            found += [one for one in wholes(reader, some) if op.stage in {None, one.stage}]
    return ListedDecisions(tuple(found[: op.limit]))


def wholes(reader: Reader, records: list[Record]) -> list[Whole]:
    """Decisions with what came of each."""
    if not records:
        return []
    came = outcomes(reader, records[0].scope.tenant, [one.id for one in records])
    return [Whole(read(one), stage_of(one, came.get(one.id)), came.get(one.id)) for one in records]


def _kept(ports: Ports, op: RecordOutcome) -> RecordOutcome:
    if op.status not in STATUSES:
        raise InvalidRequest(f"final_status is one of {', '.join(STATUSES)}.", field="final_status")
    check.unit("final_score", op.score)
    check.line(op.domain, "decision_domain")
    check.line(op.source_ref, "source_ref")
    each_of("lessons_learned", op.lessons)
    check.json_object("signals", op.signals)
    said = {str(place): text for place, text in enumerate(op.lessons)}
    kept, _ = guarded({**said, "signals": op.signals}, ports.secrets())
    lessons = tuple(text for name, text in kept.items() if name != "signals")
    return replace(op, lessons=lessons, signals=kept["signals"])


def _outcome(ports: Ports, op: RecordOutcome, decision: Record, now: datetime) -> Record:
    statement = read(decision).statement
    return _beside(
        Kind.OUTCOME,
        ports,
        decision,
        op.author,
        now,
        text="\n".join(op.lessons) or f"{op.status}: {statement}",
        type=op.domain.strip().casefold() or decision.type,
        status=op.status,
        confidence=float(op.score),
        source_ref=op.source_ref,
        facts=written(
            {
                "stated": decision.confidence or 0.0,
                "lessons": op.lessons,
                "signals": json.loads(op.signals),
            }
        ),
    )


def _beside(
    kind: Kind,
    ports: Ports,
    decision: Record,
    author: Author,
    now: datetime,
    **said: Any,  # noqa: ANN401 -- fields of the record
) -> Record:
    """A record of what was seen of a decision."""
    return Record(
        id=ports.new_id(prefix_of(kind)),
        kind=kind,
        scope=decision.scope,
        author=author,
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        key=decision.id,
        session=decision.session,
        **said,
    )
