"""The ledger that every store keeps of its changes."""

from __future__ import annotations

import json

from recollect.model import Author, AuthorKind, Entry, Link, micros
from recollect.store import ledger
from recollect.value import replace
from tests.store.build import (
    ANN,
    BOT,
    HOUR,
    NOON,
    SMALL,
    apply,
    changed,
    edge,
    get,
    keep,
    plan,
    record,
    supersede,
    unit,
    update,
)


def events(store):
    with store.reading() as reader:
        return reader.events(0, 1000)


def said(store):
    return [(event.verb, event.record) for event in events(store)]


def test_an_empty_ledger_has_no_entries(store):
    with store.reading() as reader:
        assert reader.events(0, 10) == reader.events_of("a") == []
        assert reader.last_event() == 0


def test_each_record_that_is_inserted_or_updated_has_an_entry_of_the_plans_verb(store):
    a, b = apply(store, verb="remember", insert=(Entry(record("a")), Entry(record("b"))))
    both = (Entry(changed(b)), Entry(changed(a)))
    apply(store, verb="revise", insert=(Entry(record("c")),), update=both)
    assert said(store) == [
        ("remember", "a"),
        ("remember", "b"),
        ("revise", "c"),
        ("revise", "b"),
        ("revise", "a"),
    ]


def test_an_entry_says_who_when_and_why(store):
    later = NOON + HOUR
    detail = '{"reason":"wörd"}'
    apply(store, insert=(Entry(record("a")),), author=BOT, at=later, detail=detail)
    (event,) = events(store)
    assert (event.seq, event.author, event.at, event.detail) == (1, BOT, later, detail)


def test_an_author_is_told_by_kind_and_name(store):
    authors = [Author(kind, name) for kind in AuthorKind for name in ("", "ann", "bot")]
    for number, author in enumerate(authors):
        apply(store, insert=(Entry(record(str(number), author=author)),), author=author)
    assert [event.author for event in events(store)] == authors
    assert [get(store, str(n)).author for n in range(len(authors))] == authors


def test_an_edge_that_a_caller_drew_has_an_entry_under_its_id(store):
    keep(store, *map(record, "ab"))
    drawn = edge("a", "likes", "b", id="rel_1")
    apply(store, verb="relate", link=(drawn, edge("a", Link.MENTIONS, "b")))
    apply(store, verb="invalidate", link=(replace(drawn, valid_until=NOON),))
    apply(store, verb="forget", unlink=(drawn, edge("a", Link.MENTIONS, "b")))
    entries = events(store)[2:]
    assert [(e.verb, e.record, e.seal) for e in entries] == [
        ("relate", "rel_1", ""),
        ("invalidate", "rel_1", ""),
        ("forget", "rel_1", ""),
    ]


def test_superseding_is_told_by_the_update_of_the_old_record(store):
    keep(store, *map(record, "ab"))
    supersede(store, "b", "a")
    assert said(store)[2:] == [("test", "a")]


def test_forgetting_leaves_a_tombstone_without_the_content(store):
    keep(store, record("a", "a secret"), record("b"))
    apply(store, link=(edge("a", "likes", "b", id="rel_1"),))
    apply(store, verb="tidy up", forget=("a",))
    *_, last = events(store)
    assert (last.verb, last.record, last.seal) == ("forget", "a", "")
    assert len(events(store)) == 4
    assert not any("secret" in repr(event) for event in events(store))


def test_an_entry_is_sealed_with_what_nobody_can_guess(store):
    keep(store, record("a", "yes"), record("b", "yes"))
    first, second = (event.seal for event in events(store))
    assert len(first) == len(second) == 64
    assert first != second
    assert first != ledger.seal(record("a", "yes"), b"")


def test_all_parts_of_one_plan_follow_in_the_order_in_which_they_were_done(store):
    keep(store, *map(record, "ab"))
    apply(
        store,
        verb="all",
        insert=(Entry(record("c")),),
        update=(Entry(record("a", version=2)),),
        link=(edge("a", "likes", "c", id="rel_1"),),
        unlink=(edge("b", "likes", "c", id="rel_2"),),
        forget=("b",),
    )
    assert said(store)[2:] == [
        ("all", "c"),
        ("all", "a"),
        ("all", "rel_1"),
        ("all", "rel_2"),
        ("forget", "b"),
    ]


def test_the_entries_are_one_chain_across_transactions(store):
    keep(store, *map(record, "ab"))
    update(store, "a", text="new")
    apply(store, forget=("b",))
    chain = events(store)
    assert [event.seq for event in chain] == [1, 2, 3, 4]
    assert ledger.check(chain) is None
    assert ledger.check(chain[2:], chain[1].hash) is None
    assert len({event.hash for event in chain}) == 4


def test_a_chain_goes_on_within_one_transaction(store):
    with store.writing() as tx:
        tx.apply(plan(insert=(Entry(record("a")),)))
        tx.apply(plan(insert=(Entry(record("b")),)))
        assert tx.last_event() == 2
        assert ledger.check(tx.events(0, 9)) is None


def test_the_ledger_is_read_on_from_any_place(store):
    keep(store, *map(record, "abcde"))
    with store.reading() as reader:
        assert [e.seq for e in reader.events(0, 2)] == [1, 2]
        assert [e.seq for e in reader.events(2, 2)] == [3, 4]
        assert [e.seq for e in reader.events(4, 9)] == [5]
        assert reader.events(5, 9) == reader.events(99, 9) == []
        assert reader.last_event() == 5


def test_the_entries_of_one_record_stay_when_it_is_forgotten(store):
    keep(store, *map(record, "ab"))
    update(store, "a", text="new")
    apply(store, forget=("a",))
    with store.reading() as reader:
        assert [(e.seq, e.verb) for e in reader.events_of("a")] == [
            (1, "test"),
            (3, "test"),
            (4, "forget"),
        ]
        assert reader.events_of("b") == reader.events(1, 1)
        assert reader.events_of("x") == []


def test_upkeep_leaves_no_entry(store):
    (a,) = keep(store, record("a"))
    with store.writing() as tx:
        tx.prepare(SMALL)
        tx.embed({a.seq: unit(1)}, SMALL)
        tx.touch([a.seq], micros(NOON))
    assert len(events(store)) == 1


def test_a_plan_that_changes_nothing_leaves_no_entry(store):
    apply(store)
    assert events(store) == []


def test_wiping_leaves_one_entry_that_names_the_tenant(store):
    keep(store, *map(record, "abc"))
    with store.writing() as tx:
        tx.wipe("local", BOT, micros(NOON + HOUR))
    *before, last = events(store)
    assert len(before) == 3
    assert (last.verb, last.record, last.seal, last.author) == ("wipe", "", "", BOT)
    assert (json.loads(last.detail), last.at) == ({"tenant": "local"}, NOON + HOUR)
    assert ledger.check([*before, last]) is None


def test_a_wiped_record_can_be_restored_and_is_vouched_for(store):
    keep(store, record("a"))
    update(store, "a", text="new")
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    keep(store, record("a", "restored", version=2))
    assert store.verify() == []


def test_a_store_that_was_used_in_every_way_is_sound(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    keep(store, *map(record, "abcd"))
    apply(store, link=(edge("a", "likes", "b", id="rel_1", weight=0.5),))
    update(store, "a", text="new", confidence=1, importance=2)
    supersede(store, "b", "a")
    apply(store, insert=(Entry(record("e"), unit(1)),), forget=("c",))
    with store.writing() as tx:
        tx.touch([1, 2], 0)
        tx.embed({1: unit(1), 2: unit(2)}, SMALL)
    assert store.verify() == []
