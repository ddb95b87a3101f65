"""What only the store in memory can be asked."""

from __future__ import annotations

import pytest

from recollect.errors import Busy
from recollect.model import Entry
from recollect.store.memory import MemoryStore
from recollect.value import replace
from tests.store.build import SMALL, apply, keep, record, unit


def test_a_writer_that_waits_for_too_long_is_told_that_the_store_is_busy():
    store = MemoryStore(patience=0)
    with store.writing(), pytest.raises(Busy), store.writing():
        pass
    keep(store, record("a"))


def test_a_record_changed_behind_the_ledgers_back_is_found():
    store = MemoryStore()
    keep(store, record("a"), record("b"))
    state = store._state
    state.records["a"] = replace(state.records["a"], text="forged")
    assert [problem.where for problem in store.verify()] == ["record a"]


def test_an_entry_changed_behind_the_chains_back_is_found():
    store = MemoryStore()
    keep(store, record("a"), record("b"))
    state = store._state
    state.events[0] = replace(state.events[0], verb="forged")
    assert [problem.where for problem in store.verify()] == ["event 1"]


def test_texts_and_vectors_take_room():
    store = MemoryStore()
    assert store.size() == 0
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("a", "four"), unit(1)),))
    assert store.size() == 4 + 64 * 4
