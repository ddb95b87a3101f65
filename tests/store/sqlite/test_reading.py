from __future__ import annotations

from contextlib import suppress

import pytest

from recollect.model import Entry
from recollect.store.sqlite import SqliteStore, read
from tests.store.build import keep, plan, record


@pytest.mark.parametrize(("more", "expected"), [(1, 200), (3, 203)])
def test_counts_of_common_words_are_kept_until_the_store_has_changed_by_a_hundredth(
    tmp_path, monkeypatch, more, expected
):
    monkeypatch.setattr(read, "_COMMON", 100)
    store = SqliteStore.open(tmp_path / "memory.db")
    keep(store, *(record(f"r{n}", "common rare" if n == 0 else "common") for n in range(200)))
    with store.reading() as reader:
        assert reader.corpus(["common", "rare"]).frequency == {"common": 200, "rare": 1}
    keep(store, *(record(f"m{n}", "common rare") for n in range(more)))
    with store.reading() as reader:
        assert reader.corpus(["common"]).frequency == {"common": expected}
        assert reader.corpus(["rare"]).frequency == {"rare": 1 + more}
    store.close()


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_every_connection_has_all_our_settings(tmp_path, durability):
    store = SqliteStore.open(tmp_path / "memory.db", durability=durability)
    keep(store, record("a"))
    for _ in range(2):
        with store.reading() as reader:
            found = [
                reader.execute(f"PRAGMA {name}").get
                for name in ("synchronous", "foreign_keys", "secure_delete", "cache_size")
            ]
            assert found == [2 if durability == "full" else 1, 1, 1, -16_384]
            assert reader.execute("PRAGMA journal_mode").get == "wal"
    store.close()


@pytest.mark.parametrize("fails", [False, True])
def test_a_large_write_has_more_room_for_as_long_as_it_lasts(tmp_path, fails):
    store = SqliteStore.open(tmp_path / "memory.db")
    several = tuple(Entry(record(f"r{n}")) for n in range(1_000))
    sizes = []
    with suppress(ZeroDivisionError), store.writing() as tx:
        tx.apply(plan(insert=several))
        sizes.append(tx.execute("PRAGMA cache_size").get)
        assert 1 // (not fails)
    with store.writing() as tx:
        sizes.append(tx.execute("PRAGMA cache_size").get)
        assert tx.total() == (0 if fails else 1_000)
    assert sizes == [-65_536, -16_384]
    store.close()
