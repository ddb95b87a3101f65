"""Handler that learns from outcomes: what says the same is gathered, judged, and kept as a lesson.

At first everything is looked at, after that only what came since. Each outcome is also learned from
in the transaction that records it, from its neighbours alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from recollect.decisions.measured import Mined
from recollect.engine.near import near, outcomes
from recollect.engine.ports import prefix_of
from recollect.model import (
    Author,
    AuthorKind,
    Edge,
    Entry,
    Kind,
    Link,
    Plan,
    Record,
    Sense,
    Where,
    micros,
)
from recollect.rules import mine as rule
from recollect.rules import plan
from recollect.rules.beta import beta
from recollect.rules.decide import read, written
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from recollect.decisions.measured import Mine
    from recollect.engine.ports import Ports
    from recollect.rules.beta import Beta
    from recollect.rules.mine import Standing, Taught
    from recollect.store import Reader, Writer

MINER = Author(AuthorKind.AGENT, "mining")
LEARNED = (Kind.SKILL, Kind.ANTIPATTERN)
_VERB = "mine"
_AT_ONCE = 500
_NEIGHBOURS = 48
_SEEDS = 12
# So many of the decisions that a lesson came from are named in it; the edges have all.
_NAMED = 100


class Seen(Value):
    """What lies near new outcomes: found before anything is written, while others may write."""

    # By lesson: the decisions that bear on it.
    touched: dict[str, set[str]]
    # What no lesson says yet, with its domain and all decisions that say it.
    fresh: tuple[tuple[Taught, str, set[str]], ...]


def mine(ports: Ports, op: Mine) -> Mined:
    """Learn from what came since the last time."""
    now = ports.clock()
    with ports.store.reading() as reader:
        through = 0 if op.anew else _through(reader, op.tenant)
        new = _after(reader, op.tenant, through)
        seen = look(ports, reader, new, _taught(ports, reader, new)) if through else None
    found: list[Record] = []
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        if seen is None:
            found += _learn_all(ports, tx, new, now)
        else:
            found += learn(ports, tx, seen, now)
        found += _refreshed(ports, tx, op.tenant, now, but={one.id for one in found})
        if new:
            detail = json.dumps({"through": new[-1].seq})
            tx.note(_VERB, _about(op.tenant), MINER, micros(now), detail)
    last = {one.id: one for one in found}
    return Mined(
        len(new),
        tuple(one for one in last.values() if one.version == 1),
        tuple(one for one in last.values() if one.version > 1),
    )


def taught(
    ports: Ports, reader: Reader, outcome: Record, sense: Sense | None, decision: Record
) -> list[Taught]:
    """The texts that an outcome bears on before it is written."""
    known = {outcome.seq: sense} if sense is not None else {}
    return _texts(ports, reader, [outcome], {decision.id: decision}, known)


def look(ports: Ports, reader: Reader, new: Sequence[Record], items: Sequence[Taught]) -> Seen:
    """What is known of what a few outcomes teach."""
    domains = {one.key: one.type for one in new}
    touched: dict[str, set[str]] = {}
    fresh: list[tuple[Taught, str, set[str]]] = []
    for item in items:
        domain = domains[item.decision]
        where = _of(new[0], LEARNED, domain)
        lessons = near(reader, item.vector, item.text, where, _SEEDS)
        known = [one for one, _ in _saying(reader, item, lessons)]
        if known:
            touched.setdefault(known[0].id, set()).add(item.decision)
        else:
            fresh.append((item, domain, _gathered(ports, reader, new[0], item, domain)))
    # What a decision taught before changes with what came of it.
    for edge in reader.edges([one.key for one in new], "outgoing", [Link.EVIDENCE_FOR]):
        touched.setdefault(edge.dst, set()).add(edge.src)
    return Seen(touched, tuple(fresh))


class News(NamedTuple):
    """One outcome: its decision, what that had come to before, and what it comes to now."""

    decision: str
    before: float | None
    score: float
    at: int


def learn(
    ports: Ports, tx: Writer, seen: Seen, now: datetime, news: News | None = None
) -> list[Record]:
    """Draw the conclusions; answer what is new or was changed.

    Where there is news of one decision alone, lessons add it to what they rest on already.
    """
    changed: list[Record] = []
    for record in tx.records(seen.touched).values():
        if record.kind not in LEARNED:
            continue
        if news is None:
            one = _judged_again(ports, tx, record, seen.touched[record.id], now)
        else:
            one = _added(ports, tx, record, news, now)
        changed += [] if one is None else [one]
    concluded: list[tuple[str, Taught]] = []
    for item, domain, decisions in seen.fresh:
        again = any(d == domain and rule.same(one, item) for d, one in concluded)
        if len(decisions) >= rule.FEWEST and not again:
            made = _concluded(ports, tx, [item], decisions, domain, now)
            concluded += [(domain, item)] * bool(made)
            changed += made
    return changed


def _learn_all(ports: Ports, tx: Writer, every: Sequence[Record], now: datetime) -> list[Record]:
    """Learn from all outcomes together, domain by domain."""
    found: list[Record] = []
    for domain in sorted({one.type for one in every}):
        mine_ = [one for one in every if one.type == domain]
        seeds = tx.page(_of(mine_[0], LEARNED, domain), _AT_ONCE)
        senses = tx.senses([one.seq for one in seeds])
        known = [
            rule.Taught(one.id, one.text, rule.LESSON, *senses[one.seq][:2])
            for one in seeds
            if one.seq in senses
        ]
        by_id = {one.id: one for one in seeds}
        for cluster in rule.clusters(known, _taught(ports, tx, mine_)):
            decisions = set(cluster.decisions)
            if cluster.seed:
                again = _judged_again(ports, tx, by_id[cluster.seed], decisions, now)
                found += [] if again is None else [again]
            elif len(decisions) >= rule.FEWEST:
                found += _concluded(ports, tx, cluster.items, decisions, domain, now)
    return found


def _taught(ports: Ports, tx: Reader, new: Sequence[Record]) -> list[Taught]:
    """The texts that outcomes bear on, as far as they have vectors."""
    decided = tx.records({one.key for one in new})
    return _texts(ports, tx, new, decided, tx.senses([one.seq for one in new]))


def _texts(
    ports: Ports,
    tx: Reader,
    new: Sequence[Record],
    decided: Mapping[str, Record],
    own: Mapping[int, Sense],
) -> list[Taught]:
    senses = tx.senses([one.seq for one in decided.values()])
    found: list[Taught] = []
    several: list[tuple[str, str]] = []
    for one in new:
        decision = decided.get(one.key)
        if decision is None:
            continue
        lessons = json.loads(one.facts).get("lessons", [])
        if len(lessons) == 1 and one.seq in own:
            found.append(rule.Taught(one.key, lessons[0], rule.LESSON, *own[one.seq][:2]))
        else:
            several += [(one.key, text) for text in lessons]
        if decision.seq in senses:
            said, sense = read(decision).statement, senses[decision.seq]
            found.append(rule.Taught(one.key, said, rule.STATEMENT, *sense[:2]))
    return found + _embedded(ports, tx, several)


def _embedded(ports: Ports, tx: Reader, texts: Sequence[tuple[str, str]]) -> list[Taught]:
    model = tx.serving_model()
    if not texts or model is None:
        return []
    senses = ports.semantics.senses(model, [text for _, text in texts])
    if senses is None:
        return []
    return [
        rule.Taught(decision, text, rule.LESSON, *sense[:2])
        for (decision, text), sense in zip(texts, senses, strict=True)
    ]


def _gathered(ports: Ports, tx: Reader, one: Record, item: Taught, domain: str) -> set[str]:
    """The decisions whose statement or lessons say what a text says."""
    where = _of(one, (Kind.DECISION, Kind.OUTCOME), domain)
    likes = _likes(ports, tx, item, where)
    found = {item.decision, *(like.decision for like in likes)}
    if len(found) == rule.FEWEST - 1:
        # One more is needed, and may be worded as the other one is.
        found |= {further.decision for like in likes for further in _likes(ports, tx, like, where)}
    return found


def _likes(ports: Ports, tx: Reader, item: Taught, where: Where) -> list[Taught]:
    """The statements and lessons that say what a text says."""
    close = near(tx, item.vector, item.text, where, _NEIGHBOURS)
    return [like for _, like in _saying(tx, item, close)] + _lessons_like(ports, tx, item, close)


def _saying(
    tx: Reader, item: Taught, close: Sequence[tuple[Record, float]]
) -> list[tuple[Record, Taught]]:
    """Of records that are near, those that say what a text says, nearest first."""
    senses = tx.senses([record.seq for record, _ in close])
    found = []
    for record, fits in close:
        decided = record.kind is Kind.DECISION
        text = read(record).statement if decided else record.text
        sense = senses.get(record.seq, Sense(item.vector))
        of = record.key if record.kind is Kind.OUTCOME else record.id
        like = rule.Taught(of, text, rule.STATEMENT if decided else rule.LESSON, *sense[:2])
        if rule.same(item, like, fits):
            found.append((record, like))
    return found


def _lessons_like(
    ports: Ports, tx: Reader, item: Taught, close: Sequence[tuple[Record, float]]
) -> list[Taught]:
    """The same of outcomes that have several lessons, each of which speaks for itself."""
    several = [
        (record.key, lesson)
        for record, _ in close
        if record.kind is Kind.OUTCOME
        and len(lessons := json.loads(record.facts).get("lessons", ())) > 1
        for lesson in lessons
    ]
    return [one for one in _embedded(ports, tx, several) if rule.same(item, one)]


def _judged_again(
    ports: Ports, tx: Writer, record: Record, more: Iterable[str], now: datetime
) -> Record | None:
    """A lesson with further decisions; None where that changes nothing."""
    came = {one.decision: (one.score, one.at) for one in tx.bearing(record.id)}
    further = set(more) - came.keys()
    came |= _scores(tx, record, further)
    stands = rule.standing([*came.values()], _prior(ports), micros(now), record.kind)
    facts = _facts(stands, came, json.loads(record.facts).get("advice", ""))
    return _rewritten(tx, record, stands, facts, further, now)


def _rewritten(  # noqa: PLR0913, PLR0917 -- what becomes of a lesson
    tx: Writer,
    record: Record,
    stands: Standing,
    facts: str,
    further: Iterable[str],
    now: datetime,
) -> Record | None:
    if facts == record.facts and stands.status == record.status:
        return None
    after = plan.changed(
        record, now, facts=facts, status=stands.status, confidence=stands.posterior.mean
    )
    links = _evidence(record.id, further, now)
    tx.apply(Plan(_VERB, MINER, now, update=(Entry(after),), link=links))
    return tx.records([record.id])[record.id]


def _added(ports: Ports, tx: Writer, record: Record, news: News, now: datetime) -> Record | None:
    """A lesson with one decision more, or with what that has come to since."""
    counted = any(
        edge.dst == record.id for edge in tx.edges([news.decision], "outgoing", [Link.EVIDENCE_FOR])
    )
    facts = json.loads(record.facts)
    had = rule.Tally(*(facts.get(name, 0) for name in rule.Tally._fields))
    before = news.before if counted else None
    found = had.with_(news.score, news.at, before)
    stands = rule.standing_of(found, _prior(ports), micros(now), record.kind)
    decisions = {*facts.get("decisions", ()), news.decision}
    return _rewritten(
        tx,
        record,
        stands,
        _facts(stands, decisions, facts.get("advice", "")),
        () if counted else (news.decision,),
        now,
    )


def _concluded(  # noqa: PLR0913, PLR0917 -- what a lesson is made of
    ports: Ports,
    tx: Writer,
    items: Sequence[Taught],
    decisions: set[str],
    domain: str,
    now: datetime,
) -> list[Record]:
    """A new lesson, where the evidence is good or bad enough for one."""
    known = tx.records(decisions)
    if not known:
        return []
    whose = next(iter(known.values()))
    came = _scores(tx, whose, decisions)
    if rule.kind_of([score for score, _ in came.values()], _prior(ports)) is None:
        return []
    stands = rule.standing([*came.values()], _prior(ports), micros(now))
    if stands.kind is None:
        return []
    said = rule.wording(items, stands.kind)
    advice = _advice(tx, whose.scope.tenant, decisions) if stands.kind is Kind.ANTIPATTERN else ""
    new = Record(
        id=ports.new_id(prefix_of(stands.kind)),
        kind=stands.kind,
        scope=replace(whose.scope, project=""),
        author=MINER,
        text=said.text,
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        type=domain,
        status=stands.status,
        confidence=stands.posterior.mean,
        facts=_facts(stands, decisions, advice),
    )
    links = _evidence(new.id, set(known), now)
    return tx.apply(
        Plan(_VERB, MINER, now, insert=(Entry(new, said.vector, said.codes),), link=links)
    )


def _scores(tx: Reader, whose: Record, decisions: Iterable[str]) -> dict[str, tuple[float, int]]:
    """By decision: what came of it, and when that was known."""
    came = outcomes(tx, whose.scope.tenant, decisions)
    return {id_: (one.confidence, micros(one.event_time)) for id_, one in came.items()}


def _prior(ports: Ports) -> Beta:
    return beta(ports.governance.prior_successes, ports.governance.prior_failures)


def _facts(stands: Standing, decisions: Iterable[str], advice: str) -> str:
    return written(
        {
            "interval": stands.interval,
            **stands.tally._asdict(),
            "rate": stands.posterior.mean,
            "advice": advice,
            "decisions": sorted(decisions)[-_NAMED:],
        }
    )


def _advice(tx: Reader, tenant: str, decisions: Iterable[str]) -> str:
    """What those who failed would do otherwise: the lesson that was learned last."""
    came = outcomes(tx, tenant, decisions).values()
    lessons = [
        lesson
        for one in sorted(came, key=lambda one: one.seq)
        for lesson in json.loads(one.facts).get("lessons", [])
    ]
    return lessons[-1] if lessons else ""


def _evidence(lesson: str, decisions: Iterable[str], now: datetime) -> tuple[Edge, ...]:
    return tuple(Edge(one, Link.EVIDENCE_FOR, lesson, now, now) for one in sorted(decisions))


def _refreshed(ports: Ports, tx: Writer, tenant: str, now: datetime, but: set[str]) -> list[Record]:
    """Lessons whose evidence has grown old, or that hold again."""
    found: list[Record] = []
    start = 0
    while some := tx.page(Where(tenant, kinds=LEARNED), _AT_ONCE, start):
        start += len(some)
        again = (_judged_again(ports, tx, one, (), now) for one in some if one.id not in but)
        found += [one for one in again if one is not None]
    return found


def _of(one: Record, kinds: tuple[Kind, ...], domain: str) -> Where:
    """What belongs to the same user and domain."""
    return Where(one.scope.tenant, one.scope.user or None, kinds=kinds, types=(domain,))


def _after(tx: Reader, tenant: str, through: int) -> list[Record]:
    """The outcomes that came after, oldest first, but for those that were said anew."""
    where = Where(tenant, kinds=(Kind.OUTCOME,))
    found: list[Record] = []
    while some := tx.beside(through, where, _AT_ONCE, later=True):
        found += some
        through = some[-1].seq
    return [one for one in found if not one.superseded_by]


def _through(tx: Reader, tenant: str) -> int:
    events = tx.events_of(_about(tenant))
    return int(json.loads(events[-1].detail)["through"]) if events else 0


def _about(tenant: str) -> str:
    return f"mining:{tenant}"
