"""Handlers that counsel: what to know before a decision, and what came of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.decisions import Stage, Stand
from recollect.decisions.measured import (
    Analysed,
    Chain,
    Context,
    Depth,
    Oddities,
    Oddity,
    Warning_,
    Weighed,
)
from recollect.engine import asked
from recollect.engine.calibrations import (
    adjusted,
    in_domain,
    known,
    prior,
    rated,
    summed,
    sums_of,
)
from recollect.engine.mining import LEARNED
from recollect.engine.near import near, outcomes, sense
from recollect.engine.outcomes import signals, wholes
from recollect.engine.reads import existing
from recollect.engine.skills import antipatterns, lessons_of, similar, taught_by
from recollect.model import Kind, Link, Where, micros
from recollect.rules import anomaly, check, warn
from recollect.rules.conflict import judge
from recollect.rules.decide import read
from recollect.rules.domain import detect
from recollect.rules.fold import count
from recollect.rules.mine import alike
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from recollect.decisions import Decision
    from recollect.decisions.measured import (
        Alike,
        Analyse,
        FindAnomalies,
        GatherContext,
        Lesson,
        Rate,
        Weigh,
        Whole,
    )
    from recollect.engine.ports import Ports
    from recollect.model import Record, Sense
    from recollect.store import Reader

_LONGEST = 10_000
_NEIGHBOURS = 12
_AT_ONCE = 500
_FAILED = 0.4
# How many of what each depth has, and how many tokens they take at most.
_PARTS = {
    Depth.MINIMAL: (0, 0, 1),
    Depth.STANDARD: (3, 2, 10),
    Depth.FULL: (8, 10, 50),
}
_BUDGETS = {Depth.MINIMAL: 500, Depth.STANDARD: 2_000, Depth.FULL: 8_000}


def weigh(ports: Ports, op: Weigh) -> Weighed:
    """Say what speaks against a decision."""
    _checked(op.statement, op.domain, op.confidence)
    for place, one in enumerate(op.alternatives):
        check.text(one, f"alternatives[{place}]", _LONGEST)
    where = asked.where(op.where)
    with ports.store.reading() as reader:
        meant = sense(ports, reader, op.statement)
        domain = _domain(reader, meant, op.statement, op.domain, where)
        rate = summed(domain, sums_of(reader, domain, where), prior(ports))
        found = similar(reader, meant, op.statement, where, _NEIGHBOURS)
        return _weighed(reader, op, meant, rate, found)


def context(ports: Ports, op: GatherContext) -> Context:
    """Gather what is worth knowing."""
    _checked(op.statement, op.module, op.confidence)
    if op.budget is not None:
        check.positive("budget", op.budget, 10_000_000)
    where = asked.where(op.where)
    like, skills, most = _PARTS[op.depth]
    with ports.store.reading() as reader:
        meant = sense(ports, reader, op.statement)
        domain = _domain(reader, meant, op.statement, op.module, where)
        rate = rated(domain, in_domain(reader, domain, where), prior(ports))
        near_by = similar(reader, meant, op.statement, where, max(_NEIGHBOURS, like))
        asks = _as_weigh(op, domain)
        weighed = _weighed(reader, asks, meant, rate, near_by)
        # What lies near by chance is not like it, and an empty list is an answer too.
        found = [one for one in near_by if one.of_one_matter]
        lessons = _skills(ports, reader, op.statement, domain, where, found) if skills else ()
        whole = Context(
            op.statement,
            rate,
            op.confidence,
            _advised(op.confidence, rate),
            tuple(found[:like]),
            lessons[:skills],
            weighed.warnings[:most],
            weighed.firewall,
            weighed.risk,
        )
        if op.depth is Depth.FULL:
            whole = _deepened(reader, whole, found)
    return _within(whole, _BUDGETS[op.depth] if op.budget is None else op.budget)


def analyse(ports: Ports, op: Analyse) -> Analysed:
    """Say what led to what."""
    with ports.store.reading() as reader:
        (record,) = existing(reader, (op.id,), op.tenant, (Kind.DECISION,))
        where = Where(op.tenant, record.scope.user or None)
        (whole,) = wholes(reader, [record])
        told = chain(reader, whole)
        statement = whole.decision.statement
        meant = reader.senses([record.seq]).get(record.seq)
        like = similar(reader, meant, statement, where, _NEIGHBOURS, but=record.id)
        avoided = [
            lesson
            for other in whole.decision.alternatives
            for lesson in antipatterns(reader, other, sense(ports, reader, other), where)
        ]
        prevented = _prevented(told, [one.decision for one in like], record)
    close = tuple(one for one in like if one.of_one_matter)
    return Analysed(told, close, tuple(prevented), tuple(avoided))


def anomalies(ports: Ports, op: FindAnomalies) -> Oddities:
    """Look for what is out of the ordinary."""
    now = ports.clock()
    where = asked.where(op.where)
    before = prior(ports)
    with ports.store.reading() as reader:
        every = in_domain(reader, "", where)
        pending: dict[str, list[anomaly.Seen]] = {}
        for one in _pending(reader, where):
            pending.setdefault(one.type, []).append(anomaly.Seen(one.id, micros(one.created_at)))
        incidents: dict[str, list[anomaly.Seen]] = {}
        seen = replace(where, kinds=(Kind.SIGNAL,), types=("incident",))
        for one in _pages(reader, seen):
            domain = json.loads(one.facts).get("domain", "")
            incidents.setdefault(domain, []).append(anomaly.Seen(one.key, micros(one.created_at)))
    affairs = []
    for domain in sorted({one.domain for one in every} | {*pending, *incidents}):
        came = [one for one in every if one.domain == domain]
        affairs.append(
            anomaly.Affairs(
                known(rated(domain, came, before)),
                tuple(anomaly.Known(one.decision, one.score, one.at) for one in came),
                tuple(pending.get(domain, ())),
                tuple(incidents.get(domain, ())),
            )
        )
    found = anomaly.anomalies(affairs, micros(now), before)
    return Oddities(
        tuple(
            Oddity(one.type, one.severity, one.domain, one.message, one.evidence) for one in found
        ),
        now,
    )


def chain(reader: Reader, whole: Whole) -> Chain:
    """From a decision to what it taught."""
    record = whole.decision.record
    seen = signals(reader, record)
    edges = reader.edges([record.id], "outgoing", [Link.EVIDENCE_FOR])
    taught = [
        one for one in reader.records(edge.dst for edge in edges).values() if one.kind in LEARNED
    ]
    done = [
        f"commit {whole.decision.commit}" if whole.decision.commit else "",
        f"pull request {whole.decision.pr}" if whole.decision.pr else "",
        *(one.text for one in seen if one.type in {"pr_created", "pr_merged"}),
    ]
    lessons: Sequence[str] = ()
    if whole.outcome is not None:
        lessons = json.loads(whole.outcome.facts).get("lessons", ())
    return Chain(whole, ", ".join(filter(None, done)), tuple(seen), tuple(lessons), tuple(taught))


def _checked(statement: str, domain: str, confidence: float | None) -> None:
    check.text(statement, "statement", _LONGEST)
    check.line(domain, "module")
    if confidence is not None:
        check.unit("confidence", confidence)


def _domain(reader: Reader, meant: Sense | None, statement: str, given: str, where: Where) -> str:
    found = detect(statement, given)
    if given or found != detect(""):
        return found
    vector = None if meant is None else meant.vector
    close = near(reader, vector, statement, replace(where, kinds=(Kind.DECISION,)), 5)
    return detect(statement, "", [(record.type, fits) for record, fits in close])


def _skills(  # noqa: PLR0913, PLR0917 -- what skills are of, and for whom
    ports: Ports, reader: Reader, statement: str, domain: str, where: Where, found: Sequence[Alike]
) -> tuple[Lesson, ...]:
    """Those that speak of the statement, and those that decisions like it taught."""
    near_by = lessons_of(ports, reader, domain, statement, where).skills
    every = [*near_by, *taught_by(ports, reader, found, domain, statement)]
    every.sort(key=lambda one: (-one.fits * one.confidence, one.record.id))
    best: dict[str, Lesson] = {}
    for one in every:
        best.setdefault(one.record.id, one)
    return tuple(best.values())


def _as_weigh(op: GatherContext, domain: str) -> Weigh:
    from recollect.decisions.measured import Weigh as Asked

    return Asked(op.statement, domain, op.confidence, (), op.where)


def _weighed(
    reader: Reader, op: Weigh, meant: Sense | None, rate: Rate, found: Sequence[Alike]
) -> Weighed:
    against = [
        warn.Pattern(
            one.record.id,
            one.record.text,
            _otherwise(one),
            one.success_rate,
            one.outcomes,
            one.fits,
        )
        for one in antipatterns(reader, op.statement, meant, op.where)
    ]
    warned = [warn.antipattern(one) for one in against]
    too_sure = warn.overconfidence(op.confidence, known(rate))
    warned += [] if too_sure is None else [too_sure]
    for one in found:
        record, statement = one.decision.record, one.decision.statement
        earlier = warn.Earlier(
            record.id,
            statement,
            record.author.kind.value,
            one.score or 0.0,
            one.lessons[0] if one.lessons else "",
            one.similarity,
        )
        if one.score is not None and one.score < _FAILED:
            if one.same:
                warned.append(warn.repeat(earlier))
        elif record.status == Stand.ACTIVE:
            surely = _contradiction(one, op.statement, meant)
            if surely:
                warned.append(warn.contradiction(replace(earlier, similarity=surely)))
    verdict = warn.verdict(warned)
    return Weighed(
        tuple(
            Warning_(w.type, w.severity, w.message, w.evidence, w.recommendation, w.ids)
            for w in verdict.warnings
        ),
        verdict.risk,
        verdict.firewall,
    )


def _contradiction(one: Alike, statement: str, meant: Sense | None) -> float:
    """How surely a statement goes for what a standing decision turned down, or for its opposite."""
    decision = one.decision
    said, chosen = _plain(statement), _plain(decision.statement)
    if any(
        f" {_plain(other)} " in f" {said} " and _plain(other) not in chosen
        for other in decision.alternatives
    ):
        return 1.0
    if said == chosen or not warn.of_one_matter(decision.statement, statement):
        return 0.0
    cosine = None if meant is None else one.similarity
    return one.similarity if judge(decision.statement, statement, cosine).conflict else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _otherwise(one: Lesson) -> str:
    return one.advice or "Choose another way, or say what is different this time"


def _advised(confidence: float | None, rate: Rate) -> float | None:
    if confidence is None or rate.observed is None:
        return None
    return confidence + adjusted(confidence, rate)


def _deepened(reader: Reader, whole: Context, found: Sequence[Alike]) -> Context:
    """With what failed, what was learned, what led to what, and what else was decided there."""
    failed = [one for one in found if one.score is not None and one.score < _FAILED]
    lessons = dict.fromkeys(lesson for one in found for lesson in one.lessons)
    records = [one.decision.record for one in whole.similar if one.score is not None]
    return replace(
        whole,
        failed=tuple(one.decision.statement for one in failed),
        lessons=tuple(lessons),
        chains=tuple(chain(reader, one) for one in wholes(reader, records)),
        related=tuple(found[len(whole.similar) :]),
    )


def _within(whole: Context, budget: int) -> Context:
    """What there is room for, what matters most first."""
    left = budget - count(whole.statement)
    out = 0
    kept: dict[str, tuple[object, ...]] = {}
    for name, say in _SAID.items():
        some: list[object] = []
        for one in getattr(whole, name):
            needed = count(say(one))
            if needed > left:
                out += 1
                continue
            left -= needed
            some.append(one)
        kept[name] = tuple(some)
    return replace(whole, **kept, tokens=budget - left, left_out=out)


# In the order in which they are let in.
_SAID: dict[str, Callable[[Any], str]] = {
    "warnings": lambda one: f"{one.message} {one.evidence} {one.recommendation}",
    "skills": lambda one: one.record.text,
    "similar": lambda one: " ".join((one.decision.statement, *one.lessons)),
    "failed": lambda one: one,
    "lessons": lambda one: one,
    "chains": lambda one: f"{one.whole.decision.statement} {one.implementation}",
    "related": lambda one: one.decision.statement,
}


def _prevented(told: Chain, later: Sequence[Decision], record: Record) -> list[Decision]:
    """Later decisions that turned down what this one showed to fail."""
    lessons = [one.text for one in told.taught if one.kind is Kind.ANTIPATTERN]
    outcome = told.whole.outcome
    if outcome is not None and outcome.confidence < _FAILED:
        lessons.append(told.whole.decision.statement)
    return [
        one
        for one in later
        if one.record.created_at > record.created_at
        and any(alike(lesson, other, 0.0) for lesson in lessons for other in one.alternatives)
    ]


def _pending(reader: Reader, where: Where) -> list[Record]:
    """Decisions that stand, and nobody has said the outcome of."""
    standing = replace(where, kinds=(Kind.DECISION,), statuses=(Stand.ACTIVE,))
    open_ = {Stage.PENDING, Stage.EXECUTED}
    found = [one for one in _pages(reader, standing) if read(one).stage in open_]
    came = outcomes(reader, where.tenant, [one.id for one in found])
    return [one for one in found if one.id not in came]


def _pages(reader: Reader, where: Where) -> list[Record]:
    found: list[Record] = []
    while some := reader.page(where, _AT_ONCE, len(found)):
        found += some
    return found
