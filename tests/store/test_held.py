"""A store whose last transaction waits for what is written along with it."""

from __future__ import annotations

import pytest

from recollect.model import Entry, Plan
from recollect.store.held import Held
from tests.store.build import ANN, NOON, record


def welcome(tx):
    """Refuse nothing."""


def write(store, id_):
    with store.writing() as tx:
        tx.apply(Plan("remember", ANN, NOON, insert=(Entry(record(id_)),)))


def there(store, *ids):
    with store.reading() as reader:
        return set(reader.records(ids))


def test_what_waits_is_read_by_who_wrote_it_and_by_nobody_else(store):
    with Held(store, welcome) as held:
        assert there(held, "a") == set()
        write(held, "a")
        assert there(held, "a") == {"a"}
        assert there(store, "a") == set()
    assert there(store, "a") == {"a"}


def test_what_was_written_before_is_committed_when_more_is_written(store):
    with Held(store, welcome) as held:
        write(held, "a")
        write(held, "b")
        assert there(store, "a", "b") == {"a"}
    assert there(store, "a", "b") == {"a", "b"}


def fail(store):
    with Held(store, welcome) as held:
        write(held, "a")
        raise LookupError


def test_a_failure_undoes_what_waits(store):
    with pytest.raises(LookupError):
        fail(store)
    assert there(store, "a") == set()
    write(store, "a")


def fail_within(held):
    with held.writing() as tx:
        tx.apply(Plan("remember", ANN, NOON, insert=(Entry(record("a")),)))
        raise LookupError


def test_after_a_transaction_that_failed_others_go_on(store):
    with Held(store, welcome) as held:
        with pytest.raises(LookupError):
            fail_within(held)
        write(held, "b")
    assert there(store, "a", "b") == {"b"}


def test_what_comes_first_may_refuse(store):
    def refuse(tx):
        raise LookupError

    with Held(store, refuse) as held, pytest.raises(LookupError):
        write(held, "a")
    assert there(store, "a") == set()


def test_the_last_transaction_is_the_one_that_waits_or_a_new_one(store):
    for held_before in (False, True):
        with Held(store, welcome) as held:
            if held_before:
                write(held, "a")
            held.last().note("noted", "", ANN, 0, "{}")
    with store.reading() as reader:
        assert [event.verb for event in reader.events(0, 9)] == ["noted", "remember", "noted"]


def test_all_else_is_the_stores_own(store, tmp_path):
    with Held(store, welcome) as held:
        write(held, "a")
    held.close()
    assert held.verify() == []
    assert held.size() == store.size()
    assert there(store, "a") == {"a"}
