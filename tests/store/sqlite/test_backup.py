"""A copy of a store that is in use is one moment of it, and is looked at before it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.errors import InvalidRequest
from recollect.model import Entry
from recollect.store.memory import MemoryStore
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, SMALL, apply, get, keep, plan, record, unit

if TYPE_CHECKING:
    from pathlib import Path


def test_a_copy_made_while_a_writer_is_at_work_holds_what_was_committed(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db")
    keep(store, record("a"))
    with store.writing() as tx:
        tx.apply(plan(insert=(Entry(record("b")),)))
        made = store.backup(str(tmp_path / "copy.db"))
    assert (made.records, made.events) == (1, 1)
    copy = SqliteStore.open(tmp_path / "copy.db")
    assert get(copy, "a").text == get(store, "a").text
    copy.close()
    store.close()


def test_a_copy_with_vectors_is_sound_and_finds_by_meaning_at_once(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db")
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("a"), unit(1)), Entry(record("b"), unit(2))))
    store.backup(str(tmp_path / "copy.db"))
    store.close()
    copy = SqliteStore.open(tmp_path / "copy.db")
    with copy.reading() as reader:
        assert reader.rows([reader.nearest(unit(2), ANY, 1)[0].seq])
    assert copy.verify() == []
    copy.close()


def test_a_store_that_is_no_file_says_that_it_cannot_be_copied() -> None:
    with pytest.raises(InvalidRequest, match="Export it"):
        MemoryStore().backup("copy.db")
