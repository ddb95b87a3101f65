"""How close texts come to each other word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.closeness import alike, around

SIZE = 4
LIKE, HALF, AWAY = bytes(4), b"\xff\xff\x00\x00", b"\xff" * 4
CODES = st.lists(st.binary(min_size=SIZE, max_size=SIZE), min_size=1, max_size=5).map(b"".join)


def test_each_word_that_was_asked_looks_for_its_like():
    found = around(LIKE + AWAY, {1: LIKE + AWAY, 2: AWAY, 3: HALF}, {1: [1], 2: [2], 3: [3]}, SIZE)
    # A word from which nothing is nearer than its opposite counts against the text.
    assert found == {1: 1.0, 2: 0.0, 3: 0.0}


def test_what_stands_beside_answers_the_rest_of_the_question():
    found = around(LIKE + AWAY, {1: LIKE, 2: AWAY}, {1: [1, 2], 2: [2]}, SIZE)
    assert found[1] == 1.0
    assert found[2] < found[1]


def test_what_has_no_codes_is_left_out():
    assert around(LIKE, {1: LIKE, 2: b""}, {1: [1, 2, 9], 2: [2], 9: [9]}, SIZE) == {1: 1.0}
    assert around(LIKE, {}, {1: [1]}, SIZE) == {}
    assert around(b"", {1: LIKE}, {1: [1]}, SIZE) == {}


@given(CODES, CODES)
def test_being_alike_goes_both_ways(one, other):
    assert alike(one, other, SIZE) == alike(other, one, SIZE)
    assert -1 <= alike(one, other, SIZE) <= 1
    assert alike(one, one, SIZE) == 1
