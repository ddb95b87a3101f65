"""A long text into the passages that it is made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.passages import LONG, LONGEST, finder, passages, spans


@given(
    st.lists(st.sampled_from(["word ", "end. ", "\n", "Anna: ", "x" * 700, "東京"]), max_size=60)
)
def test_no_passage_is_too_long_and_nothing_is_lost(parts):
    text = "".join(parts)
    made = passages(text)
    if len(text) <= LONG:
        assert made == [text]
        return
    assert all(len(part) <= LONGEST for part in made)
    assert "".join("".join(made).split()) == "".join(text.split())


def test_who_speaks_begins_a_passage():
    text = "Anna: Hello.\nBob Lee: " + "So it is. " * 250 + "\nAnna: Bye."
    made = passages(text)
    assert made[0] == "Anna: Hello."
    assert made[1].startswith("Bob Lee: So it is.")
    assert made[-1] == "Anna: Bye."


def test_sentences_stay_whole_where_there_are_any():
    assert all(part.endswith(". ") for part in passages("So it is. " * 300))
    assert [len(part) for part in passages("x" * 2_500)] == [800, 800, 800, 100]


def test_what_a_machine_says_is_told_apart_with_all_that_it_is_cut_into():
    text = "user: Hello.\nAssistant: " + "So it is. " * 250 + "\nBob: Bye."
    machine = [span.machine for span in spans(text)]
    assert machine == [False, True, True, True, True, False]
    assert not any(span.machine for span in spans("Modeling: " + "So it is. " * 250))


def test_words_are_found_by_their_beginnings_wherever_they_stand():
    look = finder(("cat", "deci"))
    assert sorted(look("Cats, concat; (decided) 'catalogue' -cat_a")) == [
        (0, "cats"),
        (15, "decided"),
        (25, "catalogue"),
        (37, "cat_a"),
    ]
    assert list(finder(("x",))("nothing")) == []
    assert list(finder(("東京",))("in 東京都 now")) == [(0, "in"), (3, "東京都"), (7, "now")]
