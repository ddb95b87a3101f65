"""Handler that finds what outcomes taught, and what lies near a decision."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from recollect.decisions.measured import Alike, Lesson, Lessons
from recollect.engine import asked
from recollect.engine.near import meaning, near, outcomes
from recollect.model import Kind, Link, Sense
from recollect.rules import check, mine
from recollect.rules.beta import beta
from recollect.rules.decide import read
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.decisions.measured import FindSkills
    from recollect.engine.ports import Ports
    from recollect.model import Record, Where
    from recollect.store import Reader

_MOST = 500
_NEAREST = 20
# So many decisions that a skill fits are compared, shown it or not.
_COMPARED = 200
_HOLDING = (mine.CANDIDATE, mine.MATURE)


def find(ports: Ports, op: FindSkills) -> Lessons:
    """Find skills and antipatterns of a domain."""
    check.line(op.domain, "domain")
    check.unit("min_confidence", op.min_confidence)
    check.positive("limit", op.limit, _MOST)
    with ports.store.reading() as reader:
        found = lessons_of(ports, reader, op.domain, op.statement, asked.where(op.where))
        sure = [one for one in found.skills if one.confidence >= op.min_confidence][: op.limit]
        if ports.governance.withheld:
            sure = [_tried(ports, reader, one, op.where) for one in sure]
    return replace(found, skills=tuple(sure), antipatterns=found.antipatterns[: op.limit])


def lessons_of(ports: Ports, reader: Reader, domain: str, statement: str, where: Where) -> Lessons:
    """All that was learned in a domain, what fits a statement best first.

    A skill that is withheld from this statement, for comparison, is left out.
    """
    vector = meaning(ports, reader, statement) if statement else None
    found: dict[Kind, list[Lesson]] = {}
    for kind in (Kind.SKILL, Kind.ANTIPATTERN):
        fitting = replace(where, kinds=(kind,), types=(domain,), statuses=_HOLDING)
        if statement:
            close = near(reader, vector, statement, fitting, _MOST)
        else:
            close = [(one, 1.0) for one in reader.page(fitting, _MOST)]
        lessons = [lesson(one, fits) for one, fits in close]
        lessons.sort(key=lambda one: (-one.fits * one.confidence, one.record.id))
        found[kind] = lessons
    withheld = ports.governance.withheld
    skills = [
        one
        for one in found[Kind.SKILL]
        if not statement or mine.shown(one.record.id, statement, withheld)
    ]
    return Lessons(domain, tuple(skills), tuple(found[Kind.ANTIPATTERN]))


def taught_by(
    ports: Ports, reader: Reader, like: Sequence[Alike], domain: str, statement: str
) -> list[Lesson]:
    """The skills that similar decisions taught, which may say nothing of what was decided."""
    fits = {one.decision.record.id: one.similarity for one in like}
    best: dict[str, float] = {}
    for edge in reader.edges(fits, "outgoing", [Link.EVIDENCE_FOR]):
        best[edge.dst] = max(best.get(edge.dst, 0.0), fits[edge.src])
    withheld = ports.governance.withheld
    return [
        lesson(record, best[record.id])
        for record in reader.records(best).values()
        if record.kind is Kind.SKILL
        and record.type == domain
        and record.status in _HOLDING
        and mine.shown(record.id, statement, withheld)
    ]


def lesson(record: Record, fits: float) -> Lesson:
    """A skill or antipattern with what its facts say."""
    facts: dict[str, Any] = json.loads(record.facts)
    low, high = facts["interval"]
    return Lesson(
        record,
        record.confidence,
        (low, high),
        facts["successes"],
        facts["outcomes"],
        facts["rate"],
        fits,
        facts.get("advice", ""),
        tuple(facts.get("decisions", ())),
    )


def similar(  # noqa: PLR0913 -- what is near, of what, and what not
    reader: Reader,
    sense: Sense | None,
    statement: str,
    where: Where,
    limit: int,
    *,
    but: str = "",
) -> list[Alike]:
    """Decisions that are near a statement, nearest first, with what came of them.

    Those that are of one matter with it come before those that may be near by chance.
    """
    decided = replace(where, kinds=(Kind.DECISION,))
    vector = None if sense is None else sense.vector
    close = [one for one in near(reader, vector, statement, decided, limit + 1) if one[0].id != but]
    came = outcomes(reader, where.tenant, [record.id for record, _ in close])
    known = reader.senses([record.seq for record, _ in close])
    found = []
    for record, fits in close[:limit]:
        other = known.get(record.seq)
        near_by = None if sense is None or other is None else mine.likeness(sense, other)
        one = _alike(record, fits, came.get(record.id))
        said = one.decision.statement
        one = replace(one, same=_same(statement, sense, said, other, fits))
        if sense is None or near_by is not None:
            one = replace(one, of_one_matter=mine.of_one_matter(said, statement, near_by or 0.0))
        found.append((near_by or fits, one))
    found.sort(key=lambda pair: (not pair[1].of_one_matter, -pair[0]))
    return [one for _, one in found]


def _same(one: str, meant: Sense | None, other: str, known: Sense | None, fits: float) -> bool:
    if meant is None or known is None:
        return mine.alike(one, other, 0.0 if meant is None else fits)
    asked = mine.Taught("", one, mine.STATEMENT, *meant[:2])
    return mine.same(asked, mine.Taught("", other, mine.STATEMENT, *known[:2]), fits)


def _alike(record: Record, fits: float, outcome: Record | None) -> Alike:
    if outcome is None:
        return Alike(read(record), fits)
    lessons = tuple(json.loads(outcome.facts).get("lessons", ()))
    return Alike(read(record), fits, outcome.confidence, lessons)


def antipatterns(reader: Reader, statement: str, sense: Sense | None, where: Where) -> list[Lesson]:
    """The antipatterns that a statement matches, by meaning or by its words."""
    fitting = replace(where, kinds=(Kind.ANTIPATTERN,), statuses=_HOLDING)
    if sense is None:
        close = near(reader, None, statement, fitting, _NEAREST)
        return [lesson(one, fits) for one, fits in close if mine.alike(one.text, statement, 0.0)]
    close = near(reader, sense.vector, statement, fitting, _NEAREST)
    said = mine.Taught("", statement, mine.STATEMENT, *sense[:2])
    known = reader.senses([record.seq for record, _ in close])
    without = Sense(sense.vector)
    return [
        lesson(record, fits)
        for record, fits in close
        if mine.same(
            said, mine.Taught("", record.text, "", *known.get(record.seq, without)[:2]), fits
        )
    ]


def _tried(ports: Ports, reader: Reader, one: Lesson, where: Where) -> Lesson:
    """The skill with how both arms went."""
    vector = reader.vectors([one.record.seq]).get(one.record.seq)
    decided = replace(where, kinds=(Kind.DECISION,), types=(one.record.type,))
    # Whatever is decided in its domain it may be shown for, what is nearest first.
    if vector is None:
        fitting = reader.page(decided, _COMPARED)
    else:
        seqs = [close.seq for close in reader.nearest(vector, decided, _COMPARED)]
        fitting = list(reader.rows(seqs).values())
    came = outcomes(reader, where.tenant, [record.id for record in fitting])
    went = [
        (read(record).statement, came[record.id].confidence)
        for record in fitting
        if record.id in came
    ]
    governance = ports.governance
    prior = beta(governance.prior_successes, governance.prior_failures)
    trial = mine.trial(one.record.id, went, governance.withheld, prior)
    return replace(
        one,
        shown=(trial.shown.outcomes, trial.shown.success_rate),
        withheld=(trial.withheld.outcomes, trial.withheld.success_rate),
        better=trial.better,
    )
