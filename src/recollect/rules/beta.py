"""The Beta distribution: its cumulative distribution, the inverse of it, and of two the greater.

Written out, because the library that has all this takes 35 MB and a second to import. The tests
hold it against that library.
"""

from __future__ import annotations

from math import exp, inf, isfinite, lgamma, log, pi, sqrt

from recollect.errors import InvalidRequest
from recollect.value import Value

# Below this, what Stirling's formula leaves out is taken from `lgamma`; above, from its series.
_SERIES_FROM = 16.0
# In the order of the powers of 1/z², from the first.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_SMALLEST = 1e-300
_ENOUGH = 1e-15
_MOST_TERMS = 100_000
_MOST_STEPS = 200
# A logit beyond this leaves nothing that a float could tell from 0 or 1.
_WIDEST = 700.0
# The points of the trapezoidal rule over logits; it converges faster than any power of them.
_POINTS = 128
# So many standard deviations to each side hold all but 1e-15.
_REACH = 9.0
# The same for an exponential.
_TAIL = 36.0


class Beta(Value):
    """A Beta distribution: what is known of a rate after so many successes and failures."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """The expected rate."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> float:
        """How far the rate may be from its mean, squared."""
        whole = self.alpha + self.beta
        return (self.alpha / whole) * (self.beta / whole) / (whole + 1)

    def below(self, rate: float) -> float:
        """The probability that the rate is at most this."""
        if rate <= 0:
            return 0.0
        if rate >= 1:
            return 1.0
        return _below(self, rate, 1 - rate)

    def quantile(self, probability: float) -> float:
        """The rate that lies above the true one with this probability.

        >>> Beta(1.0, 1.0).quantile(0.25)
        0.25
        """
        if probability <= 0:
            return 0.0
        if probability >= 1:
            return 1.0
        return _quantile(self, probability)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The equal-tailed interval that holds the rate with this probability."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def exceeds(self, other: Beta) -> float:
        """The probability that this rate is greater than another, independent one."""
        if _spread(other) < _spread(self):
            # Of two, the wider one is the smoother to sum over the narrower.
            return 1.0 - other.exceeds(self)
        # Over logits, where the density falls off exponentially to both sides, so that plain
        # sums are as exact as anything.
        low, high = _range(self)
        step = (high - low) / _POINTS
        total = weight = 0.0
        for place in range(_POINTS + 1):
            rate, rest = _both(low + place * step)
            density = _front(self, rate, rest)
            total += density * _below(other, rate, rest)
            weight += density
        return min(1.0, max(0.0, total / weight))


def beta(alpha: float, beta_: float) -> Beta:
    """A distribution whose numbers make sense. Raises `InvalidRequest`."""
    for name, number in (("alpha", alpha), ("beta", beta_)):
        if not (isfinite(number) and number > 0):
            raise InvalidRequest(f"{name} is {number}; give a number above 0", field=name)
    return Beta(float(alpha), float(beta_))


def _below(dist: Beta, rate: float, rest: float) -> float:
    """The cumulative distribution; `rest` is 1 - rate, exact where that would lose digits."""
    front = _front(dist, rate, rest)
    if front == 0.0:
        return 0.0 if rate < dist.mean else 1.0
    # The fraction converges fast on the near side of the mean, so the other side is turned round.
    if rate <= (dist.alpha + 1) / (dist.alpha + dist.beta + 2):
        return front / dist.alpha * _fraction(dist.alpha, dist.beta, rate)
    return 1.0 - front / dist.beta * _fraction(dist.beta, dist.alpha, rest)


def _front(dist: Beta, rate: float, rest: float) -> float:
    """rate^alpha · rest^beta / B(alpha, beta), which is also the density of the logit.

    Put together from deviations (Loader's saddle-point form), since the logarithms of large Gamma
    functions would cancel down to few digits.
    """
    a, b = dist.alpha, dist.beta
    whole = a + b
    if rate <= 0.0 or rest <= 0.0:
        return 0.0
    exponent = _leftover(whole) - _leftover(a) - _leftover(b)
    exponent -= _deviance(a, whole * rate) + _deviance(b, whole * rest)
    return exp(exponent) * sqrt(a * b / (2 * pi * whole)) if exponent > -_WIDEST else 0.0


def _leftover(z: float) -> float:
    """What Stirling's formula leaves out of the logarithm of Gamma(z + 1)."""
    if z < _SERIES_FROM:
        return lgamma(z + 1) - (z + 0.5) * log(z) + z - 0.5 * log(2 * pi)
    square, power, total = z * z, z, 0.0
    for coefficient in _STIRLING:
        total += coefficient / power
        power *= square
    return total


def _deviance(count: float, expected: float) -> float:
    """How far apart two counts are: n · log(n / m) - n + m, exact where they are close."""
    if expected <= 0.0:
        return inf
    ratio = (expected - count) / count
    if abs(ratio) > 0.1:  # noqa: PLR2004 -- beyond it, nothing cancels
        return count * (log(count / expected) + ratio)
    # -log1p(r) + r as a series, which begins with r²/2.
    term, total, place = ratio * ratio, 0.0, 2
    while abs(term) > _ENOUGH * abs(total):
        total += term / place
        term *= -ratio
        place += 1
    return count * total


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete Beta function, by the method of Lentz."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _SMALLEST else _SMALLEST)
    value = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 + even * d, 1 + even / c
        d = 1 / (d if abs(d) > _SMALLEST else _SMALLEST)
        c = c if abs(c) > _SMALLEST else _SMALLEST
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 + odd * d, 1 + odd / c
        d = 1 / (d if abs(d) > _SMALLEST else _SMALLEST)
        c = c if abs(c) > _SMALLEST else _SMALLEST
        factor = d * c
        value *= factor
        if abs(factor - 1.0) <= _ENOUGH:
            break
    return value


def _quantile(dist: Beta, probability: float) -> float:
    """Newton's method over logits, kept between bounds that hold the answer."""
    low, high = -_WIDEST, _WIDEST
    at = log(dist.alpha / dist.beta)
    for _ in range(_MOST_STEPS):
        rate, rest = _both(at)
        off = _below(dist, rate, rest) - probability
        if off > 0:
            high = at
        else:
            low = at
        slope = _front(dist, rate, rest)
        step = off / slope if slope > 0 else inf
        if abs(step) <= _ENOUGH * max(1.0, abs(at)) or high - low <= _ENOUGH * abs(at):
            break
        wanted = at - step
        at = wanted if low < wanted < high else (low + high) / 2
    return _both(at)[0]


def _both(logit: float) -> tuple[float, float]:
    """A rate and what is left of 1, each exact though the other be tiny."""
    if logit < 0:
        odds = exp(logit)
        return odds / (1 + odds), 1 / (1 + odds)
    odds = exp(-logit)
    return 1 / (1 + odds), odds / (1 + odds)


def _range(dist: Beta) -> tuple[float, float]:
    """The logits between which the rate nearly certainly lies."""
    middle = log(dist.alpha / dist.beta)
    reach = _REACH * _spread(dist)
    # Where little is known the tails are those of an exponential, not of a bell.
    return middle - reach - _TAIL / dist.alpha, middle + reach + _TAIL / dist.beta


def _spread(dist: Beta) -> float:
    """About the standard deviation of the logit."""
    return sqrt(1 / dist.alpha + 1 / dist.beta)
