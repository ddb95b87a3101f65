from __future__ import annotations

from math import exp, isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaln

from recollect.rules import calibrate
from recollect.rules.beta import Beta
from recollect.rules.calibrate import (
    Scored,
    adjustment,
    calibration,
    estimate,
    posterior,
    predicted,
    quality,
    status,
    trend,
)

UNIFORM = Beta(1.0, 1.0)
unit = st.floats(0.0, 1.0)
outcomes = st.lists(st.builds(Scored, unit, unit, st.integers(0, 10**6)), max_size=30)


@given(st.lists(unit, max_size=40))
def test_a_posterior_is_the_prior_and_the_sums_whatever_their_order(scores):
    found = posterior(scores, Beta(2.0, 3.0))
    assert isclose(found.alpha, 2.0 + sum(scores))
    assert isclose(found.beta, 3.0 + sum(1 - score for score in scores))
    backwards = posterior(scores[::-1], Beta(2.0, 3.0))
    assert isclose(backwards.alpha, found.alpha)


def test_without_outcomes_a_domain_is_its_prior():
    found = calibration("database", [], UNIFORM)
    assert found.posterior == UNIFORM
    assert (found.sample_size, found.status, found.gap) == (0, "no_data", 0.0)
    assert (found.observed, found.stated) == (None, None)


@given(outcomes)
def test_the_gap_is_stated_less_observed(scored):
    found = calibration("api", scored, UNIFORM)
    if scored:
        stated = sum(one.stated for one in scored) / len(scored)
        observed = sum(one.score for one in scored) / len(scored)
        assert isclose(found.gap, stated - observed, abs_tol=1e-12)
        assert found.last == max(one.at for one in scored)


@pytest.mark.parametrize(
    ("stated", "score", "named"),
    [
        (0.9, 0.5, "overconfident"),
        (0.5, 0.9, "underconfident"),
        (0.75, 0.7, "well-calibrated"),
        (0.7, 0.75, "well-calibrated"),
        (0.7, 0.76, "underconfident"),
    ],
)
def test_positive_gaps_are_overconfidence(stated, score, named):
    assert calibration("api", [Scored(stated, score, 0)] * 4, UNIFORM).status == named


def row(scores, start=0):
    return [Scored(0.5, score, start + place) for place, score in enumerate(scores)]


def test_a_trend_needs_near_certainty():
    assert trend(row([0.0] * 6 + [1.0] * 6), UNIFORM) == "improving"
    assert trend(row([1.0] * 6 + [0.0] * 6), UNIFORM) == "declining"
    assert trend(row([0.0, 1.0] * 6), UNIFORM) == "stable"
    assert trend(row([0.0, 1.0]), UNIFORM) == "stable"
    assert trend(row([0.0]), UNIFORM) == "stable"
    assert trend([], UNIFORM) == "stable"


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=16))
def test_a_trend_is_what_the_exact_sum_over_posteriors_says(scores):
    half = len(scores) // 2
    older, newer = sum(scores[:half]), sum(scores[-half:])
    chance = greater(1 + newer, 1 + half - newer, 1 + older, 1 + half - older)
    expected = "improving" if chance > 0.9 else "declining" if chance < 0.1 else "stable"
    assert trend(row(scores), UNIFORM) == expected


def greater(a, b, c, d):
    """The probability that a Beta(a, b) exceeds a Beta(c, d), a finite sum for a whole `a`."""
    return sum(
        exp(betaln(c + i, d + b) - log(b + i) - betaln(1 + i, b) - betaln(c, d))
        for i in range(int(a))
    )


def test_quality_is_that_of_the_textbook():
    scored = [Scored(0.9, 1.0, 0), Scored(0.9, 0.0, 1), Scored(0.2, 0.0, 2), Scored(1.0, 1.0, 3)]
    found = quality(scored)
    assert found.brier is not None
    assert isclose(found.brier, (0.01 + 0.81 + 0.04 + 0.0) / 4)
    # 0.9 and 1.0 share the last bin: three of them, 2.8 stated and 2 come true.
    assert found.expected_error is not None
    assert isclose(found.expected_error, (0.8 + 0.2) / 4)
    assert isclose(found.gap, (0.9 + 0.9 + 0.2 + 1.0 - 2.0) / 4)
    assert quality([]).brier is None


@given(outcomes, unit)
def test_an_adjusted_confidence_lies_between_itself_and_what_was_observed(scored, confidence):
    known = calibration("api", scored, UNIFORM)
    adjusted = confidence + adjustment(confidence, known)
    assert 0 <= adjusted <= 1
    if known.observed is None or status(confidence - known.observed) == "well-calibrated":
        assert adjusted == confidence
    else:
        low, high = sorted((confidence, known.observed))
        assert low - 1e-12 <= adjusted <= high + 1e-12
        assert (adjusted < confidence) is (confidence > known.observed)


def test_the_overconfident_are_told_to_come_down():
    known = calibration("auth", [Scored(0.9, 0.5, 0)] * 8, UNIFORM)
    assert adjustment(0.9, known) < 0 < adjustment(0.2, known)


@given(unit, st.lists(st.sampled_from(sorted(calibrate.WEIGHTS)), max_size=6))
def test_signals_move_an_estimate_their_own_way(score, types):
    domain = posterior([score] * 10, UNIFORM)
    start = estimate(domain, []).mean
    assert isclose(start, domain.mean)
    assert isclose(estimate(domain, [(type_, "neutral") for type_ in types]).mean, start)
    better = estimate(domain, [(type_, "positive") for type_ in types]).mean
    worse = estimate(domain, [(type_, "negative") for type_ in types]).mean
    assert worse <= start + 1e-12
    assert start <= better + 1e-12
    assert not types or worse < better


def test_an_incident_weighs_more_than_a_request():
    incident = estimate(UNIFORM, [("incident", "negative")]).mean
    assert incident < estimate(UNIFORM, [("pr_created", "negative")]).mean


@pytest.mark.parametrize("known", [Beta(1.0, 1.0), Beta(9.0, 2.0), Beta(30.5, 70.5)])
@pytest.mark.parametrize("trials", [1, 10, 137])
def test_predictive_intervals_are_those_of_the_beta_binomial(known, trials):
    theirs = stats.betabinom(trials, known.alpha, known.beta)
    low, high = predicted(known, trials)
    assert theirs.cdf(low - 1) <= 0.05 < theirs.cdf(low)
    assert theirs.cdf(high) >= 0.95 > theirs.cdf(high - 1)
