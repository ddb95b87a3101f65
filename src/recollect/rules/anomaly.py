"""What is out of the ordinary among decisions and their outcomes, each with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.rules.calibrate import FEWEST, posterior
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.rules.beta import Beta
    from recollect.rules.calibrate import Calibration

_DAY = 86_400_000_000
PENDING_DAYS = 30
# The newest so many outcomes are held against all before, of which there must be as many.
_NEWEST = 5
# So sure one has to be that a domain got worse, and by so much.
_SURE, _BY = 0.95, 0.2
# So many incidents in one domain within so many days are a cluster.
_INCIDENTS, _WITHIN = 3, 7 * _DAY
_GRADES = ("high", "medium", "low")


class Known(NamedTuple):
    """One outcome: its decision, the final score, and when it was known (microseconds)."""

    decision: str
    score: float
    at: int


class Seen(NamedTuple):
    """Something that was seen of a decision at a time (microseconds)."""

    decision: str
    at: int


class Affairs(Value):
    """What is known of one domain."""

    known: Calibration
    outcomes: tuple[Known, ...] = ()
    pending: tuple[Seen, ...] = ()
    incidents: tuple[Seen, ...] = ()


class Anomaly(Value):
    """Something out of the ordinary."""

    type: str
    severity: str
    domain: str
    message: str
    # The decisions that it rests on.
    evidence: tuple[str, ...]


def dropped(domain: str, outcomes: Sequence[Known], prior: Beta) -> Anomaly | None:
    """A domain's success that has fallen of late, nearly surely and by much."""
    ordered = sorted(outcomes, key=lambda one: (one.at, one.decision))
    before, late = ordered[:-_NEWEST], ordered[-_NEWEST:]
    if len(before) < _NEWEST:
        return None
    was, now = ([one.score for one in part] for part in (before, late))
    fall = sum(was) / len(was) - sum(now) / len(now)
    if fall < _BY or posterior(was, prior).exceeds(posterior(now, prior)) <= _SURE:
        return None
    return Anomaly(
        "success_drop",
        "high",
        domain,
        f"The last {len(now)} outcomes in {domain} came to {sum(now) / len(now):.0%}, those before"
        f" to {sum(was) / len(was):.0%}",
        tuple(one.decision for one in late),
    )


def too_sure(known: Calibration, decisions: Sequence[str]) -> Anomaly | None:
    """Stated confidence beyond the interval that holds the true rate."""
    if known.stated is None or known.sample_size < FEWEST:
        return None
    high = known.posterior.interval()[1]
    if known.stated <= high:
        return None
    return Anomaly(
        "overconfidence",
        "medium",
        known.domain,
        f"Stated confidence in {known.domain} is {known.stated:.0%}; success is very likely below"
        f" {high:.0%}",
        tuple(decisions),
    )


def overdue(domain: str, pending: Sequence[Seen], now: int) -> Anomaly | None:
    """Decisions that nobody has said the outcome of for over a month."""
    late = sorted(
        (one for one in pending if one.at < now - PENDING_DAYS * _DAY),
        key=lambda one: (one.at, one.decision),
    )
    if not late:
        return None
    days = (now - late[0].at) // _DAY
    return Anomaly(
        "pending",
        "low",
        domain,
        f"{len(late)} decisions in {domain} are pending for over {PENDING_DAYS} days, the oldest"
        f" for {days}",
        tuple(one.decision for one in late),
    )


def incidents(domain: str, seen: Sequence[Seen]) -> Anomaly | None:
    """Incidents of one domain that came close together: the densest, newest of equals."""
    ordered = sorted(seen, key=lambda one: (one.at, one.decision))
    best: Sequence[Seen] = ()
    start = 0
    for end, one in enumerate(ordered, 1):
        while ordered[start].at < one.at - _WITHIN:
            start += 1
        if end - start >= len(best):
            best = ordered[start:end]
    if len(best) < _INCIDENTS:
        return None
    return Anomaly(
        "incident_cluster",
        "high",
        domain,
        f"{len(best)} incidents in {domain} within a week",
        tuple(dict.fromkeys(one.decision for one in best)),
    )


def anomalies(affairs: Sequence[Affairs], now: int, prior: Beta) -> tuple[Anomaly, ...]:
    """All there is, gravest first, then by domain."""
    found: list[Anomaly | None] = []
    for each in sorted(affairs, key=lambda one: one.known.domain):
        domain = each.known.domain
        newest = sorted(each.outcomes, key=lambda one: -one.at)[:_NEWEST]
        found += [
            dropped(domain, each.outcomes, prior),
            incidents(domain, each.incidents),
            too_sure(each.known, [one.decision for one in newest]),
            overdue(domain, each.pending, now),
        ]
    return tuple(sorted(filter(None, found), key=lambda one: _GRADES.index(one.severity)))
