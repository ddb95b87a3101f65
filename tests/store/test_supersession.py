"""How records take each other's place, whichever store they are in."""

from __future__ import annotations

from itertools import pairwise

import pytest

from recollect.errors import Conflict
from recollect.model import Where
from tests.store.build import (
    HOUR,
    NOON,
    apply,
    edge,
    get,
    keep,
    record,
    supersede,
)


def test_superseding_shows_on_both_records(store):
    keep(store, *map(record, "abc"))
    supersede(store, "c", "b")
    supersede(store, "c", "a")
    assert get(store, "c").supersedes == ("a", "b")
    assert get(store, "a").superseded_by == get(store, "b").superseded_by == "c"
    assert get(store, "c").superseded_by == ""
    assert get(store, "a").supersedes == ()
    with store.reading() as reader:
        assert {r.id: r.superseded_by for r in reader.page(Where(), 9)}["a"] == "c"
        assert reader.rows([get(store, "a").seq]) == {get(store, "a").seq: get(store, "a")}


def test_supersession_makes_a_chain(store):
    keep(store, *map(record, "abc"))
    supersede(store, "b", "a")
    supersede(store, "c", "b")
    assert (get(store, "b").supersedes, get(store, "b").superseded_by) == (("a",), "c")
    with store.reading() as reader:
        assert reader.count(Where(at=NOON + HOUR)) == 1


@pytest.mark.parametrize("again", ["b", "c"])
def test_a_record_is_superseded_only_once(store, again):
    keep(store, *map(record, "abc"))
    supersede(store, "b", "a")
    with pytest.raises(Conflict):
        supersede(store, again, "a")
    assert get(store, "a").superseded_by == "b"
    assert get(store, "a").version == 2


def test_no_record_supersedes_itself(store):
    keep(store, record("a"))
    with pytest.raises(Conflict):
        supersede(store, "a", "a")
    assert get(store, "a").superseded_by == ""


@pytest.mark.parametrize("length", [2, 3, 5])
def test_supersession_never_closes_a_circle(store, length):
    chain = "abcde"[:length]
    keep(store, *map(record, chain))
    for old, new in pairwise(chain):
        supersede(store, new, old)
    with pytest.raises(Conflict):
        supersede(store, chain[0], chain[-1])
    assert get(store, chain[-1]).superseded_by == ""


def test_two_links_of_one_plan_close_no_circle_either(store):
    keep(store, *map(record, "ab"))
    with pytest.raises(Conflict):
        apply(store, link=(edge("a", "supersedes", "b"), edge("b", "supersedes", "a")))
    with store.reading() as reader:
        assert reader.edges(["a"]) == []


def test_only_supersession_may_not_go_round(store):
    keep(store, *map(record, "ab"))
    apply(store, link=(edge("a", "likes", "b"), edge("b", "likes", "a"), edge("a", "knows", "b")))
    with store.reading() as reader:
        assert len(reader.edges(["a"])) == 3


def test_taking_the_edge_away_makes_room_for_another(store):
    keep(store, *map(record, "abc"))
    supersede(store, "b", "a")
    apply(store, unlink=(edge("b", "supersedes", "a"),))
    assert get(store, "a").superseded_by == ""
    supersede(store, "c", "a")
    assert get(store, "a").superseded_by == "c"


def test_forgetting_the_newer_record_leaves_the_older_closed_but_not_superseded(store):
    keep(store, *map(record, "abc"))
    supersede(store, "b", "a")
    supersede(store, "c", "b")
    apply(store, forget=("b",))
    older, newest = get(store, "a"), get(store, "c")
    assert (older.superseded_by, older.valid_until) == ("", NOON + HOUR)
    assert newest.supersedes == ()
