"""Requests that were carried out, which every kind of store remembers for a while."""

from __future__ import annotations

import pytest

from recollect.model import EPOCH, Done, micros
from recollect.value import replace
from tests.store.build import ANN, HOUR, NOON, apply, keep, record

DONE = Done("digest", "print", "local", NOON, "what was answered")
MANY = 100


def put(store, done, before=EPOCH, most=MANY):
    with store.writing() as tx:
        tx.keep_done(done, micros(before), most)


def known(store, *keys):
    with store.reading() as reader:
        return [reader.done(key) for key in keys]


def test_what_was_done_is_there_as_it_was_kept(store):
    put(store, DONE)
    assert known(store, "digest", "other") == [DONE, None]


def test_what_is_kept_again_takes_the_place_of_what_was(store):
    put(store, DONE)
    later = replace(DONE, print="another", at=NOON + HOUR)
    put(store, later)
    assert known(store, "digest") == [later]


def test_what_is_older_than_wanted_is_forgotten(store):
    put(store, DONE)
    put(store, replace(DONE, key="new", at=NOON + HOUR), before=NOON + HOUR)
    assert [one is None for one in known(store, "digest", "new")] == [True, False]


def test_only_so_many_of_the_newest_are_kept(store):
    for number in range(5):
        put(store, replace(DONE, key=f"{number}", at=NOON + number * HOUR), most=3)
    kept = known(store, *"01234")
    assert [one is None for one in kept] == [True, True, False, False, False]


def test_deleting_a_record_takes_the_answers_of_its_tenant_along(store):
    keep(store, record("a"))
    put(store, DONE)
    put(store, replace(DONE, key="theirs", tenant="acme"))
    apply(store, forget=("a",))
    assert known(store, "digest", "theirs") == [
        replace(DONE, answer=""),
        replace(DONE, key="theirs", tenant="acme"),
    ]


def test_deleting_everything_of_a_tenant_takes_what_it_did_along(store):
    put(store, DONE)
    put(store, replace(DONE, key="theirs", tenant="acme"))
    with store.writing() as tx:
        tx.wipe("local", ANN, micros(NOON))
    assert [one is None for one in known(store, "digest", "theirs")] == [True, False]


def fail_after_keeping(store):
    with store.writing() as tx:
        tx.keep_done(DONE, 0, MANY)
        raise RuntimeError


def test_what_was_done_in_a_transaction_that_failed_is_not_there(store):
    with pytest.raises(RuntimeError):
        fail_after_keeping(store)
    assert known(store, "digest") == [None]
