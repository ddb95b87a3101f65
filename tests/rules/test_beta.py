from __future__ import annotations

from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from recollect.errors import InvalidRequest
from recollect.rules.beta import Beta, beta

sizes = st.floats(-2, 6).map(lambda power: 10.0**power)
rates = st.floats(0.0, 1.0)
WITHIN = 1e-9


@given(sizes, sizes, rates)
def test_the_cumulative_distribution_is_that_of_scipy(alpha, beta_, rate):
    assert abs(Beta(alpha, beta_).below(rate) - stats.beta.cdf(rate, alpha, beta_)) <= WITHIN


@given(sizes, sizes, st.sampled_from([0.025, 0.05, 0.5, 0.95, 0.975]) | st.floats(1e-6, 1 - 1e-6))
def test_quantiles_are_those_of_scipy(alpha, beta_, probability):
    ours, theirs = (
        Beta(alpha, beta_).quantile(probability),
        stats.beta.ppf(probability, alpha, beta_),
    )
    assert abs(ours - theirs) <= WITHIN


@given(sizes, sizes)
def test_mean_variance_and_interval_are_those_of_scipy(alpha, beta_):
    ours, theirs = Beta(alpha, beta_), stats.beta(alpha, beta_)
    assert isclose(ours.mean, theirs.mean(), rel_tol=WITHIN)
    assert isclose(ours.variance, theirs.var(), rel_tol=WITHIN)
    for one, other in zip(ours.interval(), theirs.interval(0.95), strict=True):
        assert abs(one - other) <= WITHIN


@given(st.floats(0.5, 500.0), st.floats(0.5, 500.0), st.floats(1e-3, 1 - 1e-3))
def test_a_quantile_lies_where_so_much_lies_below_it(alpha, beta_, probability):
    found = Beta(alpha, beta_)
    assert abs(found.below(found.quantile(probability)) - probability) <= WITHIN


@pytest.mark.parametrize(
    ("alpha", "beta_", "rate", "below"),
    [
        (1.0, 1.0, 0.3, 0.3),
        (2.0, 1.0, 0.3, 0.09),
        (1.0, 2.0, 0.3, 1 - 0.49),
        (3.0, 1.0, 0.5, 0.125),
        (2.0, 2.0, 0.25, 3 * 0.25**2 - 2 * 0.25**3),
        (0.5, 0.5, 0.5, 0.5),
        (5.0, 5.0, 0.0, 0.0),
        (5.0, 5.0, 1.0, 1.0),
    ],
)
def test_closed_forms_hold(alpha, beta_, rate, below):
    assert isclose(Beta(alpha, beta_).below(rate), below, abs_tol=1e-14)


@pytest.mark.parametrize("alpha", [1.0, 2.0, 7.5, 300.0])
@pytest.mark.parametrize("probability", [0.025, 0.5, 0.975])
def test_with_one_failure_the_quantile_is_a_root(alpha, probability):
    assert isclose(Beta(alpha, 1.0).quantile(probability), probability ** (1 / alpha))
    assert isclose(Beta(1.0, alpha).quantile(probability), 1 - (1 - probability) ** (1 / alpha))


def test_quantiles_of_the_ends_are_the_ends():
    assert (Beta(3.0, 2.0).quantile(0.0), Beta(3.0, 2.0).quantile(1.0)) == (0.0, 1.0)


whole = st.floats(1.0, 300.0)


@given(whole, whole, whole, whole)
def test_of_two_rates_one_is_greater(a, b, c, d):
    one, other = Beta(a, b), Beta(c, d)
    assert isclose(one.exceeds(other) + other.exceeds(one), 1.0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Beta(1.0, 1.0), Beta(1.0, 1.0)),
        (Beta(9.0, 2.0), Beta(4.0, 7.0)),
        (Beta(2.5, 1.5), Beta(400.0, 300.0)),
        (Beta(4000.0, 3000.0), Beta(2.0, 2.0)),
        (Beta(120.0, 80.0), Beta(130.0, 60.0)),
        (Beta(0.5, 0.5), Beta(3.0, 0.7)),
    ],
)
def test_the_chance_of_exceeding_is_the_integral(one, other):
    scale = min(sqrt(one.variance), 0.2)
    points = [max(0.0, one.mean - 6 * scale), one.mean, min(1.0, one.mean + 6 * scale)]
    expected, _ = integrate.quad(
        lambda x: (
            stats.beta.pdf(x, one.alpha, one.beta) * stats.beta.cdf(x, other.alpha, other.beta)
        ),
        0,
        1,
        points=points,
        limit=500,
        epsabs=1e-11,
    )
    assert isclose(one.exceeds(other), expected, abs_tol=1e-7)


@pytest.mark.parametrize("number", [0.0, -1.0, float("nan"), float("inf")])
def test_numbers_that_make_no_distribution_are_refused(number):
    with pytest.raises(InvalidRequest, match="above 0"):
        beta(number, 1.0)
    with pytest.raises(InvalidRequest, match="above 0"):
        beta(1.0, number)
