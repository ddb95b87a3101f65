"""What a plan does to records, whichever store it is applied to."""

from __future__ import annotations

import pytest

from recollect.errors import Conflict, NotFound
from recollect.model import Entry, Kind, Link, Scope, Where
from recollect.rules.analyse import tokens
from recollect.value import replace
from tests.store.build import (
    ANY,
    HOUR,
    NOON,
    SMALL,
    apply,
    changed,
    edge,
    get,
    keep,
    record,
    supersede,
    unit,
    update,
)


def test_what_was_inserted_comes_back_in_order_with_growing_numbers(store):
    kept = keep(store, record("b"), record("a"), record("c"))
    assert [r.id for r in kept] == ["b", "a", "c"]
    assert kept == sorted(kept, key=lambda r: r.seq)
    assert kept[0].seq > 0
    assert [replace(r, seq=0) for r in kept] == [record("b"), record("a"), record("c")]


def test_a_plan_that_inserts_nothing_answers_nothing(store):
    (a,) = keep(store, record("a"))
    assert apply(store, update=(Entry(changed(a)),)) == []
    assert apply(store) == []


def test_what_was_inserted_says_what_it_superseded(store):
    (old,) = keep(store, record("old"))
    (new,) = apply(
        store,
        insert=(Entry(record("new")),),
        update=(Entry(changed(old, valid_until=NOON)),),
        link=(edge("new", Link.SUPERSEDES, "old"),),
    )
    assert new.supersedes == ("old",)
    assert new == get(store, "new")


def test_a_number_is_never_given_twice(store):
    (first,) = keep(store, record("a"))
    apply(store, forget=("a",))
    (second,) = keep(store, record("b"))
    assert second.seq > first.seq


def test_an_id_is_given_once(store):
    keep(store, record("a", "first"))
    with pytest.raises(Conflict):
        keep(store, record("b"), record("a", "second"))
    with store.reading() as reader:
        assert [r.text for r in reader.page(Where(), 10)] == ["first"]


def test_an_update_keeps_the_earlier_version(store):
    (first,) = keep(store, record("a", "first"))
    update(store, "a", text="second", updated_at=NOON + HOUR, confidence=0.5, metadata='{"b":1}')
    second = get(store, "a")
    assert second == changed(
        first, text="second", updated_at=NOON + HOUR, confidence=0.5, metadata='{"b":1}'
    )
    update(store, "a", text="third", scope=Scope("local", "ann"), status="active")
    with store.reading() as reader:
        assert reader.versions("a") == [first, second]
        assert reader.versions("x") == []


def test_a_version_tells_of_no_edges_and_no_access(store):
    (old, new) = keep(store, record("old"), record("new"))
    with store.writing() as tx:
        tx.touch([old.seq, new.seq], 1)
    supersede(store, "new", "old")
    update(store, "old")
    update(store, "new")
    with store.reading() as reader:
        assert reader.versions("old") == [old, changed(old, valid_until=NOON + HOUR)]
        assert reader.versions("new") == [new]


@pytest.mark.parametrize("version", [0, 1, 3])
def test_an_update_of_any_but_the_version_that_was_read_is_a_conflict(store, version):
    (kept,) = keep(store, record("a", "first"))
    with pytest.raises(Conflict):
        apply(store, update=(Entry(record("a", "second", version=version)),))
    assert get(store, "a") == kept


def test_of_two_updates_of_one_version_the_second_is_a_conflict(store):
    (kept,) = keep(store, record("a"))
    apply(store, update=(Entry(changed(kept, text="first")),))
    with pytest.raises(Conflict):
        apply(store, update=(Entry(changed(kept, text="second")),))
    assert get(store, "a").text == "first"


def test_a_record_that_comes_with_a_version_goes_on_from_there(store):
    keep(store, record("a", version=7))
    update(store, "a")
    assert get(store, "a").version == 8


def test_a_kind_never_changes(store):
    (kept,) = keep(store, record("a"))
    with pytest.raises(Conflict):
        apply(store, update=(Entry(changed(kept, kind=Kind.DECISION)),))


def test_updating_what_is_not_there_is_refused(store):
    with pytest.raises(NotFound):
        apply(store, update=(Entry(record("a", version=2)),))


def test_a_plan_inserts_then_updates_then_links_then_unlinks_then_forgets(store):
    first = record("a", "first")
    (kept, *_) = apply(
        store,
        insert=(Entry(first), Entry(record("b")), Entry(record("c"))),
        update=(Entry(changed(first, text="second")),),
        link=(edge("a", "likes", "b"), edge("b", "likes", "a"), edge("a", "likes", "c")),
        unlink=(edge("b", "likes", "a"),),
        forget=("c",),
    )
    assert (kept.text, kept.version) == ("second", 2)
    with store.reading() as reader:
        assert reader.edges(["a", "b", "c"]) == [edge("a", "likes", "b")]
        assert set(reader.records("abc")) == {"a", "b"}
        assert [r.text for r in reader.versions("a")] == ["first"]


def test_what_a_plan_inserts_and_forgets_is_not_answered(store):
    kept = apply(store, insert=(Entry(record("a")), Entry(record("b"))), forget=("a",))
    assert [r.id for r in kept] == ["b"]


def test_what_is_forgotten_is_nowhere(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    said = "the secret handshake"
    (kept, _) = apply(
        store,
        insert=(Entry(record("a", said), unit(1)), Entry(record("b"))),
        link=(edge("a", "likes", "b", id="rel_1"), edge("b", "mentions", "a")),
    )
    update(store, "a", confidence=0.5)
    apply(store, forget=("a",))
    with store.reading() as reader:
        assert reader.records(["a"]) == {}
        assert reader.rows([kept.seq]) == {}
        assert reader.count(ANY) == 1
        assert reader.versions("a") == []
        assert reader.saying(Scope(), [said]) == []
        assert reader.matching(tokens(said), ANY, 10) == []
        assert reader.corpus(tokens("handshake")).frequency == dict.fromkeys(tokens("handshake"), 0)
        assert reader.nearest(unit(1), ANY, 10) == []
        assert reader.vectors([kept.seq]) == {}
        assert reader.edges(["a", "b"]) == []
        assert reader.edge("rel_1") is None
        assert reader.arcs([kept.seq, kept.seq + 1], 10) == []
        assert reader.counts("local").relations == 0


def test_forgetting_what_waits_for_a_vector_ends_the_wait(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    keep(store, record("a"), record("b"))
    apply(store, forget=("a",))
    with store.reading() as reader:
        assert [r.id for r in reader.waiting(10)] == ["b"]
        assert reader.models().waiting == 1


def test_forgetting_what_is_not_there_is_refused(store):
    keep(store, record("a"))
    with pytest.raises(NotFound):
        apply(store, forget=("a", "x"))
    assert get(store, "a").id == "a"


def test_a_forgotten_id_can_come_back(store):
    keep(store, record("a", "first"))
    update(store, "a", text="second")
    apply(store, forget=("a",))
    keep(store, record("a", "third"))
    with store.reading() as reader:
        assert reader.versions("a") == []
    assert get(store, "a").text == "third"
