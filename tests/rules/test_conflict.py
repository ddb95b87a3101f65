from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.conflict import judge

cosines = st.none() | st.floats(-1, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mira lives in Oslo.", "Mira moved to Bergen in spring."),
        ("The cache listens on port 7001.", "The cache now listens on port 7002."),
        ("The API supports SOAP.", "The API no longer supports SOAP."),
    ],
)
def test_another_value_of_the_same_fact_is_a_conflict(old, new):
    assert judge(old, new, None).conflict
    assert judge(old, new, 0.93).conflict


@given(st.text(), st.text(), cosines)
def test_every_pair_gets_a_verdict_that_agrees_with_itself(old, new, cosine):
    verdict = judge(old, new, cosine)
    assert 0 <= verdict.similarity <= 1
    assert not (verdict.conflict and verdict.same)
    assert verdict.similar or not (verdict.conflict or verdict.same)
    assert judge(old, new, cosine) == verdict


@given(st.text(), cosines)
def test_a_text_says_the_same_as_itself(text, cosine):
    assert judge(text, text, cosine).same
