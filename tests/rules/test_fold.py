from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Sense
from recollect.rules.fold import count, fold, likeness, within

UNIT = np.array([1, 0], dtype=np.float32)
NEAR = np.array([0.999, 0.0447], dtype=np.float32)
FAR = np.array([0, 1], dtype=np.float32)


def folded(*pairs, threshold=0.97):
    texts = {seq: text for seq, (text, _) in enumerate(pairs)}
    senses = {seq: Sense(vector) for seq, (_, vector) in enumerate(pairs) if vector is not None}
    return fold(list(texts), texts, senses, threshold)


@given(st.lists(st.sampled_from(["tea", "TEA ", " Tea.", "coffee", "", "?"]), max_size=8))
def test_what_is_kept_is_the_first_of_each_in_order_and_folds_no_further(texts):
    given_texts = dict(enumerate(texts))
    kept = fold(list(given_texts), given_texts, {})
    assert kept == sorted(kept)
    assert fold(kept, given_texts, {}) == kept
    assert len(kept) == len({text.strip(" .").lower() for text in texts})


def test_the_same_text_folds_whatever_its_vectors():
    assert folded(("Anna likes tea.", UNIT), ("anna  LIKES\ntea", FAR)) == [0]


def test_nearly_the_same_meaning_folds_into_the_better():
    assert folded(("she likes tea", UNIT), ("tea is what she likes", NEAR)) == [0]
    assert folded(("she likes tea", UNIT), ("she likes dogs", FAR)) == [0, 1]


def test_a_folded_text_does_not_take_others_with_it():
    middle = np.array([np.cos(0.2), np.sin(0.2)], dtype=np.float32)
    end = np.array([np.cos(0.4), np.sin(0.4)], dtype=np.float32)
    assert folded(("a", UNIT), ("b", middle), ("c", end)) == [0, 2]


def test_another_number_or_a_negation_is_another_statement():
    assert folded(("port is 5432", UNIT), ("port is 5433", UNIT)) == [0, 1]
    assert folded(("it works", UNIT), ("it doesn't work", UNIT)) == [0, 1]
    assert folded(("C++ wins", None), ("C# wins", None)) == [0, 1]


@pytest.mark.parametrize(
    "pair",
    [
        ("Deployments go out on Tuesdays.", "Deployments go out on Thursdays now."),
        ("The team uses tabs for indentation.", "The team uses spaces for indentation."),
        ("Bob is the team lead.", "Carol is the team lead."),
        ("The API is written in Go.", "The API is written in Rust."),
    ],
)
def test_another_value_of_the_same_is_another_statement_whichever_is_found_first(pair):
    one, other = pair
    assert folded((one, UNIT), (other, UNIT)) == [0, 1]
    assert folded((other, UNIT), (one, UNIT)) == [0, 1]


def test_a_vector_of_no_length_is_like_no_other():
    nothing = np.zeros(2, dtype=np.float32)
    assert folded(("a", nothing), ("b", nothing)) == [0, 1]


@given(st.text(max_size=50), st.text(max_size=50))
def test_a_longer_text_never_counts_less(one, other):
    assert count(one) <= count(one + other) <= count(one) + count(other)


@given(st.integers(0, 60), st.lists(st.text(max_size=40), max_size=8))
def test_as_many_texts_are_within_a_budget_as_fit(budget, texts):
    fit = within(budget, texts)
    assert sum(map(count, texts[:fit])) <= budget
    assert fit == len(texts) or sum(map(count, texts[: fit + 1])) > budget


def test_each_script_is_counted_as_models_see_it():
    assert count("a" * 400) == 100
    assert count("東京都" * 10) == 30
    assert count("Привет") == 4
    assert count("\ud800") == 1


def test_texts_are_the_same_when_they_are_alike_word_by_word():
    texts, plain = {1: "she likes tea", 2: "tea is liked by her"}, np.zeros(384, np.float32)
    one, two = plain.copy(), plain.copy()
    one[0], two[:2] = 1, (0.95, 0.31225)
    like, unlike = b"\x0f" + bytes(47), b"\xff" * 48
    assert fold([1, 2], texts, {1: Sense(one), 2: Sense(two)}) == [1, 2]
    assert fold([1, 2], texts, {1: Sense(one, bytes(48)), 2: Sense(two, like)}) == [1]
    assert fold([1, 2], texts, {1: Sense(one, bytes(48)), 2: Sense(two)}) == [1, 2]
    assert fold([1, 2], texts, {1: Sense(one, bytes(48)), 2: Sense(one, unlike)}) == [1, 2]


def test_how_alike_two_texts_are_is_told_by_their_words_or_else_by_their_vectors():
    row = np.zeros(384, np.float32)
    row[0] = 1
    assert likeness(Sense(row, bytes(48)), Sense(row, b"\xff" * 48)) == -1
    assert likeness(Sense(row, bytes(48)), Sense(row)) == 1
