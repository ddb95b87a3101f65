"""Edges, and the arcs that a walk over the graph sees of them."""

from __future__ import annotations

import pytest

from recollect.errors import NotFound
from recollect.model import Arc, Scope
from recollect.value import replace
from tests.store.build import (
    HOUR,
    NOON,
    apply,
    edge,
    keep,
    record,
)


@pytest.mark.parametrize("ends", [("a", "x"), ("x", "a"), ("x", "y")])
@pytest.mark.parametrize("type_", ["likes", "supersedes"])
def test_an_edge_needs_both_ends(store, ends, type_):
    keep(store, record("a"))
    with pytest.raises(NotFound):
        apply(store, link=(edge(ends[0], type_, ends[1]),))
    with store.reading() as reader:
        assert reader.edges(["a"]) == []


def test_an_edge_comes_back_as_it_was_drawn(store):
    keep(store, *map(record, "ab"))
    drawn = edge(
        "a", "arbeitet für", "b", id="rel_1", weight=0.1, valid_from=NOON - HOUR, valid_until=NOON
    )
    apply(store, link=(drawn,))
    with store.reading() as reader:
        assert reader.edges(["a"]) == [drawn]
        assert reader.edge("rel_1") == drawn


def test_edges_are_asked_for_by_direction_and_type(store):
    keep(store, *map(record, "abc"))
    out, into, other = edge("a", "likes", "b"), edge("b", "knows", "a"), edge("b", "likes", "c")
    apply(store, link=(other, into, out))
    with store.reading() as reader:
        assert reader.edges(["a"], "outgoing") == [out]
        assert reader.edges(["a"], "incoming") == [into]
        assert reader.edges(["a"]) == [out, into]
        assert reader.edges(["a"], "both", ("knows", "never")) == [into]
        assert reader.edges(["a"], "outgoing", ("knows",)) == []
        assert reader.edges(["c"], "incoming", ["likes"]) == [other]
        assert reader.edges([]) == reader.edges(["x"]) == []


def test_an_edge_between_two_that_were_asked_for_is_answered_once(store):
    keep(store, *map(record, "ab"))
    apply(store, link=(edge("a", "likes", "b"),))
    with store.reading() as reader:
        assert reader.edges(["a", "b", "a"]) == [edge("a", "likes", "b")]


def test_edges_stand_by_source_then_type_then_target(store):
    keep(store, *map(record, "cab"))
    inserted_first = edge("c", "x", "a")
    apply(
        store,
        link=(edge("a", "x", "b"), edge("c", "y", "a"), edge("c", "x", "b"), inserted_first),
    )
    with store.reading() as reader:
        found = [(e.src, e.type, e.dst) for e in reader.edges("abc")]
    assert found == [("c", "x", "a"), ("c", "x", "b"), ("c", "y", "a"), ("a", "x", "b")]


def test_drawing_an_edge_again_replaces_the_weight_and_reopens_it(store):
    keep(store, *map(record, "ab"))
    drawn = edge("a", "likes", "b", id="rel_1", valid_until=NOON + HOUR)
    apply(store, link=(drawn,))
    later = NOON + 2 * HOUR
    again = replace(
        drawn, id="rel_2", weight=0.25, created_at=later, valid_from=later, valid_until=None
    )
    apply(store, link=(again,))
    with store.reading() as reader:
        # Since when it is there, and the name that a caller has for it, stay.
        assert reader.edges(["a"]) == [replace(drawn, weight=0.25, valid_until=None)]
        assert reader.edge("rel_2") is None


def test_drawing_an_edge_again_with_an_end_closes_it(store):
    keep(store, *map(record, "ab"))
    drawn = edge("a", "likes", "b", id="rel_1")
    apply(store, link=(drawn,))
    apply(store, link=(replace(drawn, valid_until=NOON + HOUR),))
    with store.reading() as reader:
        closed = reader.edge("rel_1")
        assert closed is not None
        assert closed.valid_until == NOON + HOUR
        assert reader.counts("local").relations == 1


def test_a_derived_edge_that_a_caller_draws_gets_an_id_and_keeps_it(store):
    keep(store, *map(record, "ab"))
    apply(store, link=(edge("a", "likes", "b"),))
    apply(store, link=(edge("a", "likes", "b", id="rel_1"),))
    apply(store, link=(edge("a", "likes", "b"),))
    with store.reading() as reader:
        assert reader.edge("rel_1") == edge("a", "likes", "b", id="rel_1")


def test_an_edge_without_an_id_is_found_by_none(store):
    keep(store, *map(record, "ab"))
    apply(store, link=(edge("a", "likes", "b"),))
    with store.reading() as reader:
        assert reader.edge("") is None
        assert reader.edge("a") is None


def test_unlinking_takes_away_that_edge_alone(store):
    keep(store, *map(record, "ab"))
    apply(store, link=(edge("a", "likes", "b"), edge("a", "knows", "b"), edge("b", "likes", "a")))
    apply(store, unlink=(edge("a", "likes", "b", weight=9.0),))
    with store.reading() as reader:
        assert {(e.src, e.type) for e in reader.edges(["a"])} == {("a", "knows"), ("b", "likes")}


def test_unlinking_an_edge_that_is_not_there_changes_nothing(store):
    keep(store, *map(record, "ab"))
    apply(store, unlink=(edge("a", "likes", "b"), edge("x", "likes", "y")))
    with store.reading() as reader:
        assert reader.edges(["a", "b"]) == []


def test_only_relations_that_callers_drew_are_counted(store):
    keep(store, *map(record, "ab"), record("else", scope=Scope("acme")))
    apply(
        store,
        link=(
            edge("a", "likes", "b", id="rel_1"),
            edge("a", "mentions", "b"),
            edge("else", "likes", "a", id="rel_2"),
        ),
    )
    with store.reading() as reader:
        assert reader.counts("local").relations == 1
        assert reader.counts("acme").relations == 1


def test_arcs_go_both_ways_from_the_record_that_was_asked_for(store):
    a, b, c = (r.seq for r in keep(store, *map(record, "abc")))
    apply(store, link=(edge("a", "x", "b", weight=0.5), edge("c", "y", "a", weight=0.75)))
    with store.reading() as reader:
        assert set(reader.arcs([a], 10)) == {Arc(a, b, 0.5), Arc(a, c, 0.75)}
        assert set(reader.arcs([b, c], 10)) == {Arc(b, a, 0.5), Arc(c, a, 0.75)}
        assert reader.arcs([], 10) == reader.arcs([999], 10) == []


def test_arcs_leave_closed_edges_out(store):
    a, b, _ = (r.seq for r in keep(store, *map(record, "abc")))
    apply(store, link=(edge("a", "x", "b"), edge("a", "x", "c", valid_until=NOON + 1000 * HOUR)))
    with store.reading() as reader:
        assert reader.arcs([a], 10) == [Arc(a, b, 1.0)]


def test_each_record_has_at_most_its_heaviest_and_then_newest_arcs(store):
    a, b, c, d, e = (r.seq for r in keep(store, *map(record, "abcde")))
    apply(
        store,
        link=(
            edge("a", "x", "b", weight=0.5),
            edge("a", "x", "c", weight=0.25, created_at=NOON + HOUR),
            edge("a", "x", "d", weight=0.25),
            edge("a", "x", "e", weight=0.125),
            edge("e", "x", "d", weight=0.125),
        ),
    )
    with store.reading() as reader:
        assert set(reader.arcs([a], 1)) == {Arc(a, b, 0.5)}
        assert set(reader.arcs([a], 2)) == {Arc(a, b, 0.5), Arc(a, c, 0.25)}
        assert set(reader.arcs([a, e], 1)) == {Arc(a, b, 0.5), *reader.arcs([e], 1)}
        assert len(reader.arcs([a], 10)) == 4
        assert {arc.dst for arc in reader.arcs([d], 10)} == {a, e}
