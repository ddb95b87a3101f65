from __future__ import annotations

from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embed.hashed import HashEmbedder
from recollect.model import Kind
from recollect.rules import mine
from recollect.rules.beta import Beta
from recollect.rules.calibrate import posterior
from recollect.rules.mine import (
    CANDIDATE,
    LESSON,
    MATURE,
    OLDEST,
    RETIRED,
    STATEMENT,
    Taught,
    alike,
    clusters,
    severity,
    shown,
    standing,
    trial,
    wording,
)

UNIFORM = Beta(1.0, 1.0)
DAY = 86_400_000_000
unit = st.floats(0.0, 1.0)
SAID = (
    "Set up connection pooling",
    "Pool connections early",
    "Use feature flags for rollouts",
    "Feature flags for each rollout",
    "Rotate refresh tokens",
    "Always rotate the refresh tokens",
)


def vectors(texts):
    return dict(zip(texts, HashEmbedder(64).passages(list(texts)), strict=True))


VECTORS = vectors(SAID)
taught = st.builds(
    lambda number, text: Taught(f"dec_{number}", text, LESSON, VECTORS[text]),
    st.integers(0, 12),
    st.sampled_from(SAID),
)


@given(st.lists(taught, max_size=30), st.lists(taught, max_size=3, unique_by=lambda t: t.text))
def test_every_text_is_in_one_cluster_and_in_the_order_given(items, seeds):
    found = clusters(seeds, items)
    assert sorted(id(i) for c in found for i in c.items) == sorted(map(id, items))
    for cluster in found:
        places = [next(n for n, i in enumerate(items) if i is own) for own in cluster.items]
        assert places == sorted(places)
        assert len({*cluster.decisions}) == len(cluster.decisions)


@given(st.lists(taught, max_size=30))
def test_the_same_text_is_never_in_two_clusters(items):
    found = clusters([], items)
    said = [{item.text for item in cluster.items} for cluster in found]
    assert sum(map(len, said)) == len(set().union(*said)) if said else not items


def test_what_is_like_a_seed_joins_it():
    seed = Taught("sk_1", SAID[2], LESSON, VECTORS[SAID[2]])
    items = [Taught(f"dec_{n}", text, LESSON, VECTORS[text]) for n, text in enumerate(SAID)]
    joined = {cluster.seed: cluster.decisions for cluster in clusters([seed], items)}
    assert joined["sk_1"] == ("dec_2", "dec_3")


def test_more_texts_than_are_compared_at_once_make_the_same_clusters():
    items = [
        Taught(f"dec_{n}", SAID[n % len(SAID)], LESSON, VECTORS[SAID[n % len(SAID)]])
        for n in range(1_000)
    ]
    few = {frozenset(i.text for i in c.items) for c in clusters([], items[: len(SAID)])}
    assert {frozenset(i.text for i in c.items) for c in clusters([], items)} == few


@given(st.sampled_from(SAID), st.sampled_from(SAID), st.floats(-1, 1))
def test_likeness_goes_both_ways(one, two, cosine):
    assert alike(one, two, cosine) == alike(two, one, cosine)


@given(st.text(max_size=40))
def test_a_text_is_like_itself(text):
    assert alike(text, text, 1.0)


@pytest.mark.parametrize(
    ("one", "two", "cosine"),
    [
        ("Use MongoDB for user data", "Use PostgreSQL for user data", 0.95),
        ("Benchmark before choosing a database", "Use PostgreSQL for user database", 0.847),
        ("Use feature flags for rollouts", "Benchmark all alternatives", 0.87),
    ],
)
def test_what_names_or_words_tell_apart_is_not_alike(one, two, cosine):
    assert not alike(one, two, cosine)


scored = st.lists(st.tuples(unit, st.integers(0, 10 * DAY)), max_size=20)


@given(scored)
def test_confidence_is_the_mean_of_the_posterior_within_its_interval(scores):
    found = standing(scores, UNIFORM, 10 * DAY)
    whole = posterior((score for score, _ in scores), UNIFORM)
    # Sums that were kept one by one may differ in the last digit.
    assert (found.posterior.alpha, found.posterior.beta) == pytest.approx((whole.alpha, whole.beta))
    low, high = found.interval
    assert 0 <= low <= found.posterior.mean <= high <= 1
    assert found.outcomes == len(scores)
    assert 0 <= found.successes <= found.outcomes


@given(scored)
def test_nothing_is_concluded_from_fewer_than_three(scores):
    found = standing(scores, UNIFORM, 10 * DAY)
    if len(scores) < 3:
        assert found.kind is None
    elif found.kind is Kind.SKILL:
        assert found.posterior.mean >= mine.GOOD
    elif found.kind is Kind.ANTIPATTERN:
        assert found.posterior.mean <= mine.BAD


def went(score, count, at=0):
    return [(score, at)] * count


def test_a_skill_matures_with_evidence():
    assert standing(went(1.0, 2), UNIFORM, 0).kind is None
    young = standing(went(1.0, 3), UNIFORM, 0)
    assert (young.kind, young.status) == (Kind.SKILL, CANDIDATE)
    grown = standing(went(1.0, 5), UNIFORM, 0)
    assert (grown.kind, grown.status) == (Kind.SKILL, MATURE)
    bad = standing(went(0.0, 5), UNIFORM, 0)
    assert (bad.kind, bad.status) == (Kind.ANTIPATTERN, MATURE)


def test_what_was_a_skill_is_retired_when_it_fails_and_never_turns_into_its_opposite():
    fallen = standing(went(1.0, 3) + went(0.0, 6), UNIFORM, 0, Kind.SKILL)
    assert (fallen.kind, fallen.status) == (Kind.SKILL, RETIRED)
    risen = standing(went(0.0, 3) + went(1.0, 6), UNIFORM, 0, Kind.ANTIPATTERN)
    assert (risen.kind, risen.status) == (Kind.ANTIPATTERN, RETIRED)
    assert standing(went(1.0, 2), UNIFORM, 0, Kind.SKILL).status == RETIRED


def test_old_evidence_retires_and_new_evidence_brings_back():
    assert standing(went(1.0, 6, at=0), UNIFORM, OLDEST).status == MATURE
    assert standing(went(1.0, 6, at=0), UNIFORM, OLDEST + 1).status == RETIRED
    again = went(1.0, 6, at=0) + went(1.0, 1, at=OLDEST)
    assert standing(again, UNIFORM, OLDEST + 1).status == MATURE


def test_a_skill_is_said_by_a_lesson_and_an_antipattern_by_what_was_decided():
    lesson = Taught("dec_1", SAID[0], LESSON, VECTORS[SAID[0]])
    statement = Taught("dec_2", SAID[1], STATEMENT, VECTORS[SAID[1]])
    assert wording([statement, lesson], Kind.SKILL) is lesson
    assert wording([statement, lesson], Kind.ANTIPATTERN) is statement
    assert wording([lesson], Kind.ANTIPATTERN) is lesson


@given(st.text(), st.text(), unit)
def test_who_is_shown_a_skill_stays_shown_it(skill, statement, withheld):
    assert shown(skill, statement, withheld) == shown(skill, f" {statement} ", withheld)
    if not shown(skill, statement, withheld):
        # Whoever is left out of a small share is left out of a larger one too.
        assert not shown(skill, statement, 1.0)


def test_about_the_share_that_is_to_be_withheld_is():
    kept = sum(shown("sk_1", f"statement {n}", 0.3) for n in range(2_000))
    assert isclose(kept / 2_000, 0.7, abs_tol=0.04)


@given(st.lists(st.tuples(st.text(max_size=8), unit), max_size=30), unit)
def test_both_arms_hold_every_decision_once(decisions, withheld):
    found = trial("sk_1", decisions, withheld, UNIFORM)
    assert found.shown.outcomes + found.withheld.outcomes == len(decisions)
    assert (found.better is None) == (not (found.shown.outcomes and found.withheld.outcomes))
    for arm in (found.shown, found.withheld):
        assert (arm.success_rate is None) == (arm.outcomes == 0)


def test_an_arm_that_does_better_is_told():
    decisions = [(f"s{n}", float(shown("sk_1", f"s{n}", 0.5))) for n in range(40)]
    found = trial("sk_1", decisions, 0.5, UNIFORM)
    assert (found.shown.success_rate, found.withheld.success_rate) == (1.0, 0.0)
    assert found.better is not None
    assert found.better > 0.99


@given(unit, unit)
def test_what_succeeds_less_is_no_less_severe(one, two):
    order = ("high", "medium", "low")
    low, high = sorted((one, two))
    assert order.index(severity(low)) <= order.index(severity(high))


def test_nothing_makes_no_clusters():
    assert clusters([], []) == []
    assert np.isclose(VECTORS[SAID[0]] @ VECTORS[SAID[0]], 1, atol=1e-3)
