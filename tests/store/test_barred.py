"""A store that cannot be opened yet."""

from __future__ import annotations

import pytest

from recollect.errors import Damaged, InvalidRequest
from recollect.store.barred import BarredStore
from recollect.store.memory import MemoryStore

DOORS = ("reading", "writing", "verify", "size")


def test_every_door_says_why_it_is_shut_and_it_is_logged_once(caplog):
    def barred():
        raise Damaged("the disk is wet")

    store = BarredStore(barred)
    for door in DOORS:
        with pytest.raises(Damaged, match="wet"):
            getattr(store, door)()
    with pytest.raises(Damaged, match="wet"):
        store.backup("anywhere")
    store.close()
    assert caplog.messages == ["the disk is wet"]


def test_once_it_can_be_opened_it_is_that_store(tmp_path):
    opened = []

    def late():
        opened.append(MemoryStore())
        return opened[-1]

    store = BarredStore(late)
    with store.reading() as reader:
        assert reader.total() == 0
    with store.writing() as tx:
        assert tx.last_event() == 0
    assert (store.verify(), store.size()) == (opened[0].verify(), opened[0].size())
    with pytest.raises(InvalidRequest, match="is no file"):
        store.backup(str(tmp_path / "copy.db"))
    store.close()
    assert len(opened) == 1
