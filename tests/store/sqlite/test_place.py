"""Only what belongs to a store is taken for its own, and nothing is kept where nobody finds it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from recollect.errors import Damaged, Unavailable
from recollect.model import Entry
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, SMALL, apply, keep, record, unit
from tests.store.sqlite import child


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def copy(path, tmp_path):
    """A backup of a store with one record."""
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("first"), unit(1)),))
    store.backup(str(tmp_path / "copy.db"))
    store.close()
    return tmp_path / "copy.db"


def killed(path):
    """Let a process write for a while and die, so that its log is left."""
    with child.start("write", path, 9_999) as writer:
        for _ in range(20):
            assert writer.hear()
        writer.kill()
    assert Path(f"{path}-wal").stat().st_size


def ids(store):
    with store.reading() as reader:
        return {one.id for one in reader.page(ANY, 99)}


@pytest.mark.parametrize("put", [shutil.copyfile, os.replace])
def test_a_backup_in_the_place_of_a_killed_store_is_what_it_was(path, copy, put, caplog):
    killed(path)
    put(copy, path)
    store = SqliteStore.open(path)
    assert ids(store) == {"first"}
    assert store.verify() == []
    keep(store, record("second"))
    assert ids(store) == {"first", "second"}
    store.close()
    assert "were not taken in" in caplog.text
    assert Path(f"{path}-wal-aside-1").stat().st_size
    assert len(caplog.records) == 1


def test_a_second_log_of_another_store_is_put_beside_the_first(path, copy):
    for number in (1, 2):
        killed(path)
        shutil.copyfile(copy, path)
        SqliteStore.open(path).close()
        assert Path(f"{path}-wal-aside-{number}").exists()


def test_a_log_of_its_own_is_taken_in_after_a_kill(path, copy):
    shutil.copyfile(copy, path)
    killed(path)
    store = SqliteStore.open(path)
    assert len(ids(store)) >= 20
    assert store.verify() == []
    store.close()


def test_a_backup_that_was_put_in_place_while_a_store_was_open_is_not_written_by_it(path, copy):
    late = SqliteStore.open(path)
    keep(late, record("before"))
    copy.replace(path)
    fresh = SqliteStore.open(path)
    with pytest.raises(Unavailable, match="start this program again"):
        keep(late, record("lost"))
    assert ids(late) == {"first", "before"}
    keep(fresh, record("after"))
    late.close()
    assert ids(fresh) == {"first", "after"}
    assert fresh.verify() == []
    fresh.close()
    again = SqliteStore.open(path)
    assert ids(again) == {"first", "after"}
    again.close()


def test_nothing_is_acknowledged_once_the_file_is_gone_and_it_goes_on_when_it_is_back(path):
    store = SqliteStore.open(path)
    keep(store, record("a"))
    away = path.with_name("away.db")
    path.rename(away)
    with pytest.raises(Unavailable, match="removed, renamed or replaced"):
        keep(store, record("b"))
    assert ids(store) == {"a"}
    away.rename(path)
    keep(store, record("c"))
    assert ids(store) == {"a", "c"}
    assert store.verify() == []
    store.close()


def test_a_store_that_was_made_for_nothing_is_withdrawn_unless_somebody_wrote_to_it(path):
    made = SqliteStore.open(path)
    other = SqliteStore.open(path)
    made.withdraw()
    assert list(path.parent.iterdir()) == []
    with pytest.raises(Unavailable, match="removed"):
        keep(other, record("lost"))
    other.close()
    made = SqliteStore.open(path)
    other = SqliteStore.open(path)
    keep(other, record("a"))
    made.withdraw()
    assert ids(other) == {"a"}
    other.close()


def test_new_files_are_for_their_owner_alone(path):
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("a"), unit(1)),))
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert len(modes) >= 5
    assert set(modes.values()) == {0o600}
    store.close()


def test_files_beside_a_store_that_others_may_read_are_for_them_too(path):
    path.touch()
    path.chmod(0o644)
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("a"), unit(1)),))
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o644}
    store.close()


def test_a_file_that_is_not_what_its_version_says_is_refused_and_left_as_it_is(path, copy):
    store = SqliteStore.open(copy)
    with store.writing() as tx:
        tx.execute("PRAGMA user_version = 1")
    store.close()
    before = copy.read_bytes()
    with pytest.raises(Damaged, match="left as it is"):
        SqliteStore.open(copy)
    assert copy.read_bytes() == before
