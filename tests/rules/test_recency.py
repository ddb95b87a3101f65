"""Newest first, where a question asks for what is so now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Parts
from recollect.rules.fuse import Fused
from recollect.rules.recency import MOST, newest_first, newness, rivals

DAWN = datetime(2026, 1, 1, tzinfo=UTC)


def order(*scores):
    return [Fused(seq, score, Parts()) for seq, score in enumerate(scores)]


def test_a_question_may_ask_for_now_in_many_words():
    for query in ("What is my current job?", "Do I still run?", "the LATEST version", "so far"):
        assert newness(query)
    for query in ("What was my job?", "Who knows Anna?", "recurrent networks", "distillery", ""):
        assert not newness(query)


def test_how_many_there_are_means_now_unless_it_was_then():
    for query in ("How many bikes do I own?", "how often does Anna run", "How long've I been here"):
        assert 0 < newness(query) < newness("how many bikes do I own now?")
    for query in ("How many bikes did I own?", "How long was the run?", "how many days ago is it"):
        assert not newness(query)


def test_what_fits_far_better_stays_first_where_newer_counts_for_less():
    times = {0: DAWN, 1: DAWN + timedelta(days=1)}
    far, near = order(1.0, 0.2), order(1.0, 0.9)
    assert [one.seq for one in newest_first(far, times, 0.5)] == [0, 1]
    assert [one.seq for one in newest_first(near, times, 0.5)] == [1, 0]


def test_only_what_answers_nearly_as_well_as_the_best_is_a_rival():
    assert rivals(order(1.0, 0.8, 0.6, 0.5)) == [0, 1, 2]
    assert rivals([]) == []
    assert len(rivals(order(*[1.0] * 30))) == MOST


def test_rivals_stand_by_their_times_and_the_rest_stays():
    times = {0: DAWN, 1: DAWN + timedelta(days=2), 2: DAWN + timedelta(days=1)}
    made = newest_first(order(1.0, 0.9, 0.8, 0.2), times)
    assert [one.seq for one in made] == [1, 2, 0, 3]
    assert [one.score for one in made] == [1.0, 0.9, 0.8, 0.2]


@given(st.lists(st.integers(0, 5), max_size=8))
def test_nothing_is_lost_and_those_of_one_time_keep_their_order(days):
    given_order = order(*(1 - place / 10 for place in range(len(days))))
    times = {seq: DAWN + timedelta(days=day) for seq, day in enumerate(days)}
    made = newest_first(given_order, times)
    assert sorted(one.seq for one in made) == list(range(len(days)))
    assert made == newest_first(made, times)
    assert [one.score for one in made] == [one.score for one in given_order]
    by_day = [(-days[one.seq], one.seq) for one in made]
    assert by_day == sorted(by_day)
