"""What a question is about, without how it is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.matter import matter


def test_how_it_is_asked_is_left_out():
    for asked, left in {
        "How many weeks ago did I visit Rome?": "did I visit Rome?",
        "How many days passed between the fair and the flood?": "between the fair and the flood?",
        "Could you remind me what the doctor said?": "what the doctor said?",
        "What kind of tea does Anna drink in the past two months": "tea does Anna drink",
        "how much do I spend on tea in total": "do I spend on tea",
        "Where does Anna live?": "Where does Anna live?",
    }.items():
        assert matter(asked) == left


def test_a_question_that_is_nothing_else_stays_as_it_is():
    for query in ("How many?", "how long ago", "?", ""):
        assert matter(query) == query


@given(st.text())
def test_nothing_is_added(query):
    assert len(matter(query)) <= len(query)
