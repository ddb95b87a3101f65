"""The two doors of a store: nothing is seen by halves, nothing is done by halves."""

from __future__ import annotations

from threading import Thread

import pytest

from recollect.errors import Conflict, NotFound
from recollect.model import Entry, Where
from recollect.rules.analyse import tokens
from tests.store.build import (
    ANY,
    NOON,
    SMALL,
    apply,
    changed,
    edge,
    get,
    keep,
    plan,
    record,
    unit,
    update,
)

APPLE, PEAR = tokens("apple"), tokens("pear")


class Stop(Exception):
    pass


def test_a_committed_write_is_seen_by_the_next_reader(store):
    keep(store, record("a"))
    with store.reading() as reader:
        assert reader.count(ANY) == 1


def test_a_reader_sees_nothing_that_was_committed_after_its_start(store):
    keep(store, record("a", "first"))
    with store.reading() as before:
        update(store, "a", text="second")
        keep(store, record("b"))
        apply(store, link=(edge("a", "likes", "b"),))
        with store.reading() as after:
            assert after.records(["a"])["a"].text == "second"
            assert after.count(ANY) == 2
        assert before.records(["a", "b"])["a"].text == "first"
        assert before.count(ANY) == 1
        assert before.versions("a") == []
        assert before.edges(["a"]) == []
        assert before.last_event() == 1


def test_a_snapshot_holds_for_words_and_vectors_too(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    (a,) = apply(store, insert=(Entry(record("a", "apple"), unit(1)),))
    with store.reading() as before:
        update(store, "a", unit(2), text="pear")
        apply(store, insert=(Entry(record("b", "apple"), unit(1)),))
        assert [c.seq for c in before.matching(APPLE, ANY, 9)] == [a.seq]
        assert before.corpus(APPLE).documents == 1
        found = before.nearest(unit(1), ANY, 9)
        assert [(c.seq, c.score) for c in found] == [(a.seq, pytest.approx(1.0))]
        assert (before.vectors([a.seq])[a.seq] == unit(1)).all()
        assert before.models().done == 1


def test_a_writer_sees_what_it_wrote_and_others_do_not_yet(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
        (a,) = tx.apply(plan(insert=(Entry(record("a", "apple"), unit(1)),)))
        tx.apply(plan(update=(Entry(changed(a, confidence=0.5)),)))
        assert tx.records(["a"])["a"].confidence == 0.5
        assert tx.count(ANY) == 1
        assert [c.seq for c in tx.matching(APPLE, ANY, 9)] == [a.seq]
        assert [c.seq for c in tx.nearest(unit(1), ANY, 9)] == [a.seq]
        assert tx.last_event() == 2
        with store.reading() as reader:
            assert reader.count(ANY) == 0
            assert reader.models().serving == ""
            assert reader.last_event() == 0
    with store.reading() as reader:
        assert [c.seq for c in reader.nearest(unit(1), ANY, 9)] == [a.seq]


def test_a_transaction_that_fails_changes_nothing(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    (a,) = apply(store, insert=(Entry(record("a", "apple"), unit(1)),))

    def fail():
        with store.writing() as tx:
            tx.apply(plan(insert=(Entry(record("b", "apple"), unit(1)),)))
            tx.apply(plan(update=(Entry(changed(a, text="pear"), unit(2)),)))
            tx.touch([a.seq], 1)
            tx.apply(plan(forget=("a",)))
            raise Stop

    with pytest.raises(Stop):
        fail()
    with store.reading() as reader:
        assert reader.page(ANY, 9) == [a]
        assert reader.versions("a") == []
        assert reader.last_event() == 1
        assert [c.seq for c in reader.matching(APPLE, ANY, 9)] == [a.seq]
        assert [c.seq for c in reader.nearest(unit(1), ANY, 9)] == [a.seq]
        assert reader.corpus(PEAR).frequency == dict.fromkeys(PEAR, 0)


def test_the_store_goes_on_after_a_transaction_that_failed(store):
    with pytest.raises(NotFound):
        apply(store, insert=(Entry(record("a")),), forget=("x",))
    keep(store, record("b"))
    with store.reading() as reader:
        assert [r.id for r in reader.page(ANY, 9)] == ["b"]
        assert reader.last_event() == 1


def test_preparing_a_model_is_undone_with_its_transaction(store):
    def fail():
        with store.writing() as tx:
            tx.prepare(SMALL)
            raise Stop

    with pytest.raises(Stop):
        fail()
    with store.reading() as reader:
        assert reader.models().serving == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"insert": (Entry(record("c")), Entry(record("a")))},
        {"update": (Entry(record("a", version=2)), Entry(record("b", version=5)))},
        {"link": (edge("a", "likes", "b"), edge("a", "likes", "x"))},
        {"insert": (Entry(record("c")),), "forget": ("a", "x")},
    ],
)
def test_a_plan_that_cannot_be_carried_out_to_the_end_is_not_begun(store, wrong):
    kept = keep(store, record("a"), record("b"))
    with pytest.raises((Conflict, NotFound)):
        apply(store, **wrong)
    with store.reading() as reader:
        assert reader.page(ANY, 9) == kept[::-1]
        assert reader.edges(["a"]) == []
        assert reader.last_event() == 2


def test_an_error_of_a_plan_says_what_happened_and_what_to_do(store):
    keep(store, record("a"))
    with pytest.raises(NotFound, match=r"x.*\.") as failure:
        apply(store, forget=("x",))
    assert failure.value.facts["id"] == "x"


def test_writers_in_many_threads_lose_nothing(store):
    keep(store, record("a", "0"))

    def count():
        for _ in range(5):
            with store.writing() as tx:
                old = tx.records(["a"])["a"]
                tx.apply(plan(update=(Entry(changed(old, text=str(int(old.text) + 1))),)))

    threads = [Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (get(store, "a").text, get(store, "a").version) == ("20", 21)
    with store.reading() as reader:
        assert [e.seq for e in reader.events(0, 99)] == list(range(1, 22))


def test_readers_in_other_threads_never_see_half_of_a_write(store):
    keep(store, record("a", "0"), record("b", "0"))
    seen: list[set[str]] = []

    def look():
        for _ in range(30):
            with store.reading() as reader:
                seen.append({r.text for r in reader.page(Where(at=NOON), 9)})

    thread = Thread(target=look)
    thread.start()
    for n in range(1, 15):
        with store.writing() as tx:
            for old in tx.records(["a", "b"]).values():
                tx.apply(plan(update=(Entry(changed(old, text=str(n))),)))
    thread.join()
    assert all(len(texts) == 1 for texts in seen)
