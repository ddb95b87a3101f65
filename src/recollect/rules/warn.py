"""What speaks against a decision that is about to be made, and how much of it is too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.rules.analyse import terms
from recollect.rules.calibrate import FEWEST, TOLERANCE, adjustment
from recollect.rules.mine import severity
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.rules.calibrate import Calibration

CLEAR, CAUTION, BLOCK = "clear", "caution", "block"
# Below the first the way is clear; from the second on it is blocked.
_CAUTION_FROM, _BLOCK_FROM = 0.4, 0.8
HIGH, MEDIUM, LOW = "high", "medium", "low"
_ORDER = {HIGH: 0, MEDIUM: 1, LOW: 2}
# Somebody's own judgement speaks against a decision more than an agent's.
_AGAINST = {"human": 0.5, "agent": 0.35}
# What went wrong once need not go wrong again.
_AGAIN = 0.6
_FAR_TOO_SURE = 0.3
# What decisions say that have nothing else in common.
_CHOOSING = frozenset(
    terms(
        "use using adopt choose chose pick prefer switch move migrate keep go take make build run"
        " write add remove replace drop avoid stop start never always not new old our all every"
        " should must will set put store service system project code team"
    )
)


class Warned(Value):
    """One thing that speaks against a decision; `risk` is how much, in [0, 1]."""

    type: str
    severity: str
    message: str
    evidence: str
    recommendation: str
    risk: float
    # The records that it rests on.
    ids: tuple[str, ...] = ()


class Verdict(Value):
    """All warnings, gravest first, and what they come to."""

    warnings: tuple[Warned, ...]
    risk: float
    firewall: str


class Pattern(Value):
    """An antipattern that a statement matches."""

    id: str
    text: str
    advice: str
    success_rate: float
    outcomes: int
    # How surely the statement matches it, in [0, 1].
    match: float


class Earlier(Value):
    """Another decision: one that stands, or one that failed."""

    id: str
    statement: str
    author: str = "agent"
    score: float = 0.0
    lesson: str = ""
    similarity: float = 1.0


def verdict(warnings: Iterable[Warned]) -> Verdict:
    """What warnings come to: each takes its share of the safety that the others left."""
    ordered = sorted(warnings, key=lambda one: (_ORDER[one.severity], -one.risk))
    safe = 1.0
    for one in ordered:
        safe *= 1 - one.risk
    risk = round(1 - safe, 6)
    return Verdict(tuple(ordered), risk, firewall(risk))


def firewall(risk: float) -> str:
    """A risk in a word.

    >>> firewall(0.39), firewall(0.4), firewall(0.8)
    ('clear', 'caution', 'block')
    """
    if risk < _CAUTION_FROM:
        return CLEAR
    return CAUTION if risk < _BLOCK_FROM else BLOCK


def antipattern(found: Pattern) -> Warned:
    """The statement does what has mostly failed."""
    return Warned(
        "antipattern",
        severity(found.success_rate),
        found.text,
        f"Found in {found.outcomes} decisions that succeeded {found.success_rate:.0%} of the time",
        found.advice,
        _share((1 - found.success_rate) * found.match),
        (found.id,),
    )


def overconfidence(confidence: float | None, known: Calibration) -> Warned | None:
    """Somebody is surer than decisions of this domain turn out to be."""
    rate = known.posterior.mean
    if confidence is None or known.sample_size < FEWEST or confidence - rate <= TOLERANCE:
        return None
    excess = confidence - rate
    beyond = confidence > known.posterior.interval()[1]
    grade = HIGH if excess > _FAR_TOO_SURE else MEDIUM if beyond else LOW
    return Warned(
        "overconfidence",
        grade,
        f"Your confidence ({confidence:.2f}) is above what {known.domain} decisions come to"
        f" ({rate:.2f})",
        f"{known.sample_size} outcomes in {known.domain}",
        f"Consider {confidence + adjustment(confidence, known):.2f}, which is more realistic",
        _share(excess),
    )


def of_one_matter(one: str, other: str) -> bool:
    """Whether two decisions have more in common than that something is chosen.

    >>> of_one_matter("Use Kafka for the event bus", "Use RabbitMQ for the event bus")
    True
    >>> of_one_matter("Use Kafka for the event bus", "Use React")
    False
    """
    return not (_CHOOSING.issuperset({*terms(one)} & {*terms(other)}))


def contradiction(standing: Earlier) -> Warned:
    """Somebody has decided otherwise, and that still stands."""
    human = standing.author == "human"
    whose = "a person's" if human else "an agent's"
    advice = (
        "Ask the person who decided it before you go on"
        if human
        else "Supersede that decision if this one is to take its place"
    )
    return Warned(
        "contradiction",
        HIGH if human else MEDIUM,
        f"It contradicts {whose} decision that stands: {standing.statement}",
        f"Decision {standing.id}",
        advice,
        _share(_AGAINST.get(standing.author, _AGAINST["agent"]) * standing.similarity),
        (standing.id,),
    )


def repeat(failed: Earlier) -> Warned:
    """Much the same was tried, and failed."""
    lesson = failed.lesson or "Say what is different this time before you go on"
    return Warned(
        "repeated_failure",
        severity(failed.score),
        f"Much the same failed before: {failed.statement}",
        f"Decision {failed.id} came to {failed.score:.2f}",
        lesson,
        _share((1 - failed.score) * _AGAIN * failed.similarity),
        (failed.id,),
    )


def _share(risk: float) -> float:
    return round(min(1.0, max(0.0, risk)), 6)
