"""What is remembered of short strings, and for how long."""

from __future__ import annotations

import pytest

from recollect.rules import lately
from recollect.rules.lately import Lately


@pytest.fixture
def asked(monkeypatch):
    """What was worked out, in order; of no more than four strings at a time."""
    monkeypatch.setattr(lately, "MOST", 4)
    return []


def test_what_was_worked_out_is_not_worked_out_again(asked):
    memo = Lately(lambda said: asked.append(said) or len(said))
    assert [memo[said] for said in ("a", "", "a", "")] == [1, 0, 1, 0]
    assert asked == ["a", ""]


def test_what_is_asked_for_again_stays_and_the_rest_goes(asked):
    memo = Lately(lambda said: asked.append(said) or said)
    for said in "a b c d a e f g a h i j a".split():
        assert memo[said] == said
    assert asked.count("a") == 1
    assert len(memo) <= 4
    assert memo["b"] == "b"
    assert asked.count("b") == 2


def test_long_strings_are_not_kept(asked):
    memo = Lately(lambda said: asked.append(said) or said)
    assert [memo["x" * 65], memo["x" * 65]] == ["x" * 65] * 2
    assert len(asked) == 2
