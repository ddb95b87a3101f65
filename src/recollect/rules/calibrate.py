"""How sure people were against how often they were right: calibration from outcomes.

A rate is a Beta distribution: the prior, and on it each final score as so much success and so
much failure. Every figure here follows from that and from the scores; nothing is a rule of thumb
but the two thresholds, which are named.
"""

from __future__ import annotations

from math import exp, lgamma
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recollect.rules.beta import Beta, beta
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Within this, stated confidence and success count as the same.
TOLERANCE = 0.05
# So sure one has to be of a difference to call it a trend.
SURE = 0.9
# With fewer outcomes a domain's calibration says little, and is not told as such.
FEWEST = 3
BINS = 10

NO_DATA = "no_data"
WELL, OVER, UNDER = "well-calibrated", "overconfident", "underconfident"
IMPROVING, STABLE, DECLINING = "improving", "stable", "declining"

# A signal moves an estimate less than an outcome would, and the less the further off it is.
WEIGHTS = {
    "pr_created": 0.1,
    "pr_merged": 0.5,
    "ci_passed": 0.5,
    "ci_failed": 0.5,
    "performance": 1.0,
    "incident": 2.0,
}
# A domain counts in an estimate as so many outcomes at most, or no signal could ever move it.
_MOST_PRIOR = 4.0


class Known(Protocol):
    """One outcome, as far as a calibration asks: how sure, how well, and when (microseconds)."""

    @property
    def stated(self) -> float:
        """How sure somebody was."""

    @property
    def score(self) -> float:
        """What came of it."""

    @property
    def at(self) -> int:
        """When that was known."""


class Scored(NamedTuple):
    """One outcome: how sure somebody was, what came of it, and when it was known (microseconds)."""

    stated: float
    score: float
    at: int


class Calibration(Value):
    """What is known of one domain."""

    domain: str
    sample_size: int
    posterior: Beta
    # Plain means of what was seen; None where nothing was.
    observed: float | None
    stated: float | None
    # Stated less observed: positive for the overconfident.
    gap: float
    status: str
    last: int = 0


class Quality(Value):
    """How good the stated confidences are as forecasts, all domains together."""

    sample_size: int
    brier: float | None
    expected_error: float | None
    gap: float
    status: str


def posterior(scores: Iterable[float], prior: Beta) -> Beta:
    """What is known of a rate after these scores.

    >>> posterior([1.0, 0.5], Beta(1.0, 1.0))
    Beta(alpha=2.5, beta=1.5)
    """
    count, total = 0, 0.0
    for score in scores:
        count += 1
        total += score
    return beta(prior.alpha + total, prior.beta + count - total)


def calibration(domain: str, scored: Sequence[Known], prior: Beta) -> Calibration:
    """A domain's calibration from the outcomes that hold."""
    score, stated = sum(one.score for one in scored), sum(one.stated for one in scored)
    last = max((one.at for one in scored), default=0)
    return of_sums(domain, len(scored), score, stated, last, prior)


def of_sums(  # noqa: PLR0913, PLR0917 -- the sums, and of what
    domain: str, count: int, score: float, stated: float, last: int, prior: Beta
) -> Calibration:
    """The same of what was added up already."""
    known = beta(prior.alpha + score, prior.beta + count - score)
    if not count:
        return Calibration(domain, 0, known, None, None, 0.0, NO_DATA)
    gap = (stated - score) / count
    return Calibration(domain, count, known, score / count, stated / count, gap, status(gap), last)


def status(gap: float) -> str:
    """A gap in a word.

    >>> status(0.175), status(-0.175), status(0.05)
    ('overconfident', 'underconfident', 'well-calibrated')
    """
    # A float's last digit does not make anybody overconfident.
    if abs(gap) <= TOLERANCE + 1e-12:
        return WELL
    return OVER if gap > 0 else UNDER


def trend(scored: Sequence[Known], prior: Beta) -> str:
    """Whether the newer half of the outcomes is better than the older, where that is nearly sure.

    Of an odd number, the one in the middle is left out.
    """
    half = len(scored) // 2
    if not half:
        return STABLE
    ordered = [one.score for one in sorted(scored, key=lambda one: one.at)]
    better = posterior(ordered[-half:], prior).exceeds(posterior(ordered[:half], prior))
    if better > SURE:
        return IMPROVING
    return DECLINING if 1 - better > SURE else STABLE


def quality(scored: Sequence[Known]) -> Quality:
    """Brier score and expected calibration error of stated confidences."""
    count = len(scored)
    if not count:
        return Quality(0, None, None, 0.0, NO_DATA)
    brier = sum((one.stated - one.score) ** 2 for one in scored) / count
    bins: dict[int, list[Known]] = {}
    for one in scored:
        bins.setdefault(bin_of(one.stated), []).append(one)
    # The mean distance of a bin's confidence from its success, each bin as heavy as it is full.
    off = sum(abs(sum(one.stated - one.score for one in group)) for group in bins.values())
    gap = sum(one.stated - one.score for one in scored) / count
    return Quality(count, brier, off / count, gap, status(gap))


def bin_of(stated: float) -> int:
    """Which of ten equally wide bins a confidence belongs to; 1.0 to the last."""
    return min(BINS - 1, int(stated * BINS))


def adjustment(confidence: float, known: Calibration) -> float:
    """What to add to a confidence: back by the gap, as far as there is evidence for it.

    With few outcomes the observed rate may be chance, so it counts as much as it weighs against
    the prior. Within the tolerance nothing is added, and never so much that a confidence leaves
    [0, 1].
    """
    if known.observed is None or status(confidence - known.observed) == WELL:
        return 0.0
    whole = known.posterior.alpha + known.posterior.beta
    share = known.sample_size / whole
    return max(-confidence, min(1 - confidence, (known.observed - confidence) * share))


def estimate(domain: Beta, signals: Iterable[tuple[str, str]]) -> Beta:
    """What to expect of a decision, from its domain and its signals (type and valence).

    >>> estimate(Beta(1.0, 1.0), [("ci_passed", "positive"), ("pr_created", "neutral")]).mean
    0.6
    """
    whole = domain.alpha + domain.beta
    share = min(1.0, _MOST_PRIOR / whole)
    alpha, beta_ = domain.alpha * share, domain.beta * share
    for type_, valence in signals:
        weight = WEIGHTS.get(type_, 0.5)
        alpha += weight * (valence == "positive")
        beta_ += weight * (valence == "negative")
    return beta(alpha, beta_)


def predicted(known: Beta, trials: int, level: float = 0.9) -> tuple[int, int]:
    """Between how many successes so many further trials will have: the beta-binomial's interval."""
    tail = (1 - level) / 2
    low, high, total = 0, trials, 0.0
    for count in range(trials + 1):
        total += exp(_log_chance(known, trials, count))
        if total <= tail:
            low = count + 1
        if total >= 1 - tail:
            high = count
            break
    return min(low, high), high


def _log_chance(known: Beta, trials: int, count: int) -> float:
    a, b = known.alpha, known.beta
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return ways + _log_beta(a + count, b + trials - count) - _log_beta(a, b)


def _log_beta(alpha: float, beta_: float) -> float:
    return lgamma(alpha) + lgamma(beta_) - lgamma(alpha + beta_)
