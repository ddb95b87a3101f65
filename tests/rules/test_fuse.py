from __future__ import annotations

from itertools import pairwise
from math import inf, isclose, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidRequest
from recollect.model import Parts
from recollect.rules.fuse import Fused, fuse, rrf, shares, spread

NAMES = ("vector", "words", "graph")
scores = st.dictionaries(st.integers(1, 20), st.floats(-10, 10), max_size=10)
lists = st.dictionaries(st.sampled_from(NAMES), scores)
weights = st.fixed_dictionaries({name: st.floats(0, 1e308) for name in NAMES}).filter(
    lambda given: any(given.values())
)


@given(lists, weights)
def test_every_record_is_answered_once_best_first_with_all_in_zero_to_one(found, weigh):
    fused = fuse(found, weigh)
    assert sorted(one.seq for one in fused) == sorted(
        {seq for some in found.values() for seq in some}
    )
    assert fused == sorted(fused, key=lambda one: (-one.score, one.seq))
    for one in fused:
        parts = (one.parts.vector, one.parts.words, one.parts.graph)
        assert all(0 <= value <= 1 for value in (one.score, *parts))


@given(lists, weights)
def test_the_order_in_which_lists_are_given_does_not_matter(found, weigh):
    turned = {name: dict(reversed(found[name].items())) for name in reversed(list(found))}
    again = {one.seq: one.score for one in fuse(turned, weigh)}
    assert all(isclose(again[one.seq], one.score, abs_tol=1e-12) for one in fuse(found, weigh))


@given(scores)
def test_one_list_keeps_its_order(found):
    ranked = [found[one.seq] for one in fuse({"words": found}, {"words": 1})]
    # As near as the difference to the best can be told.
    assert all(one >= other - 1e-9 for one, other in pairwise(ranked))


@given(lists, weights)
def test_only_the_proportion_of_weights_counts(found, weigh):
    half = {name: weight / 2 for name, weight in weigh.items()}
    if any(half.values()):
        doubled = {one.seq: one.score for one in fuse(found, half)}
        for one in fuse(found, weigh):
            assert isclose(doubled[one.seq], one.score, abs_tol=1e-9)


@given(weights)
def test_shares_add_up_to_one(weigh):
    assert isclose(sum(shares(weigh).values()), 1)


@given(scores)
def test_spreading_keeps_the_order_and_ends_at_one(found):
    over = spread(found)
    assert max(over.values(), default=1.0) == 1.0
    assert all(
        over[one] <= over[other] for one in found for other in found if found[one] <= found[other]
    )


def test_ties_break_by_number():
    assert [one.seq for one in fuse({"words": {7: 1.0, 3: 1.0}}, {"words": 1})] == [3, 7]
    assert [seq for seq, _ in rrf({"words": [7], "vector": [3]})] == [3, 7]


def test_an_only_answer_counts_in_full_and_a_list_without_weight_not_at_all():
    fused = fuse({"words": {1: 0.2}, "graph": {2: 5.0}}, {"words": 2, "graph": 0})
    assert fused == [
        Fused(1, 1.0, Parts(words=1.0)),
        Fused(2, 0.0, Parts(graph=1.0)),
    ]


def test_nothing_found_is_nothing():
    assert fuse({}, {"words": 1}) == []
    assert fuse({"words": {}, "vector": {}}, {"words": 1, "vector": 1}) == []
    assert rrf({}) == []


@pytest.mark.parametrize("weight", [-0.1, nan, inf, 10**400])
def test_a_weight_that_is_no_weight_is_refused_by_name(weight):
    with pytest.raises(InvalidRequest, match=r"weights\.graph") as refused:
        fuse({}, {"words": 1, "graph": weight})
    assert refused.value.facts == {"field": "weights.graph"}


@pytest.mark.parametrize("none", [{}, {"words": 0}, {"words": 0.0, "vector": 0.0}])
def test_weights_that_are_all_zero_are_refused(none):
    with pytest.raises(InvalidRequest, match="weights"):
        fuse({"words": {1: 1.0}}, none)


@given(lists, weights, st.integers(0, 12))
def test_a_limit_keeps_the_best(found, weigh, limit):
    assert fuse(found, weigh, limit) == fuse(found, weigh)[:limit]
