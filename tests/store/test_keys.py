"""Keys, which every kind of store keeps beside what it remembers."""

from __future__ import annotations

import pytest

from recollect.model import EPOCH, Key, Role, micros
from recollect.store import ledger
from recollect.value import replace
from tests.store.build import ANN, HOUR, NOON, keep, record

KEY = Key("key_a", "editor", Role.AGENT, "local", "ann", "d1", NOON, NOON + HOUR)


def put(store, key, verb="create_key"):
    with store.writing() as tx:
        tx.keep_key(key, verb, ANN, micros(NOON))


def fail_after_keeping(store):
    with store.writing() as tx:
        tx.keep_key(KEY, "create_key", ANN, micros(NOON))
        raise RuntimeError


def test_a_key_is_there_as_it_was_kept(store):
    bare = Key("key_b", "", Role.ADMIN, "acme", "", "d2", EPOCH)
    put(store, KEY)
    put(store, bare)
    with store.reading() as reader:
        assert reader.key("key_a") == KEY
        assert reader.keys() == [bare, KEY]
        assert reader.key("key_c") is None


def test_a_key_takes_the_place_of_the_one_with_its_id(store):
    put(store, KEY)
    ended = replace(KEY, revoked_at=NOON + HOUR)
    put(store, ended, "revoke_key")
    with store.reading() as reader:
        assert reader.keys() == [ended]
        verbs = [(event.verb, event.record, event.author) for event in reader.events(0, 10)]
        assert verbs == [("create_key", "key_a", ANN), ("revoke_key", "key_a", ANN)]
        assert ledger.check(reader.events(0, 10)) is None


def test_the_ledger_never_holds_what_a_secret_is_held_against(store):
    put(store, replace(KEY, digest="never-to-be-told"))
    with store.reading() as reader:
        assert "never-to-be-told" not in repr(reader.events(0, 10))


def test_a_key_of_a_transaction_that_failed_is_not_there(store):
    with pytest.raises(RuntimeError):
        fail_after_keeping(store)
    with store.reading() as reader:
        assert reader.keys() == []


def test_keys_outlive_the_memories_of_their_tenant(store):
    keep(store, record("a"))
    put(store, KEY)
    with store.writing() as tx:
        tx.wipe("local", ANN, micros(NOON))
    with store.reading() as reader:
        assert reader.keys() == [KEY]
