"""Whatever happens to a scan file, answers are right at once, and the file is made anew."""

from __future__ import annotations

import os
import shutil

import apsw
import pytest

from recollect.model import Entry
from recollect.store.sqlite import SqliteStore, scans
from recollect.store.sqlite.layout import Layout
from recollect.value import replace
from tests.store.build import ANY, HOUR, NOON, OTHER, SMALL, apply, record, unit, update


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def fill(path, *seeds):
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    add(store, *seeds)
    return store


def add(store, *seeds):
    apply(store, insert=tuple(Entry(record(f"r{n}", f"text {n}"), unit(n)) for n in seeds))


def nearest(store, seed):
    with store.reading() as reader:
        best = reader.nearest(unit(seed), ANY, 999)
        rows = reader.rows([c.seq for c in best])
        return [rows[c.seq].id for c in best]


def files(path):
    return sorted(path.parent.glob("memory.db-scan-*"))


def spoil(path, place, content):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


@pytest.mark.parametrize(
    "ruin",
    [
        os.unlink,
        lambda file: os.truncate(file, 0),
        lambda file: os.truncate(file, 20_000),
        lambda file: file.write_bytes(b"something else" * 9_999),
        lambda file: spoil(file, 0, b"X"),
    ],
)
@pytest.mark.parametrize("reopened", [True, False])
def test_a_file_that_is_lost_cut_or_foreign_costs_no_answer(path, ruin, reopened):
    store = fill(path, *range(20))
    if reopened:
        store.close()
    ruin(files(path)[0])
    if reopened:
        store = SqliteStore.open(path)
    assert nearest(store, 7)[0] == "r7"
    add(store, 20)
    assert nearest(store, 20)[0] == "r20"
    assert len(nearest(store, 3)) == 21
    other = SqliteStore.open(path)
    assert len(nearest(other, 3)) == 21
    assert other.verify() == []
    other.close()
    store.close()
    assert len(files(path)) == 1


def test_a_search_without_the_file_has_it_made_anew(path):
    fill(path, 1, 2).close()
    (lost,) = files(path)
    lost.unlink()
    store = SqliteStore.open(path)
    # What is made again by itself is nobody's problem.
    assert store.verify() == []
    assert nearest(store, 2)[0] == "r2"
    assert store.verify() == []
    assert len(files(path)) == 1
    store.close()


def test_verify_tells_of_a_record_that_the_file_has_lost(path):
    store = fill(path, 1, 2)
    scan = next(iter(store._scan_files()._open.values()))[1]
    scan.hide([1], 1)
    assert "missing from the scan file" in store.verify()[0].what
    store.close()


def test_an_older_copy_of_the_database_is_not_searched_with_the_newer_file(path, tmp_path):
    fill(path, 1, 2, 3).close()
    older = tmp_path / "older"
    shutil.copy(path, older)
    store = SqliteStore.open(path)
    apply(store, forget=("r1",))
    update(store, "r2", unit(9), text="other")
    add(store, 4, 5)
    store.close()
    newer = tmp_path / "newer"
    shutil.copy(path, newer)

    shutil.copy(older, path)
    store = SqliteStore.open(path)
    assert sorted(nearest(store, 1)) == ["r1", "r2", "r3"]
    assert nearest(store, 2)[0] == "r2"
    add(store, 14, 15)
    assert nearest(store, 14)[0] == "r14"
    assert store.verify() == []
    store.close()

    shutil.copy(newer, path)
    store = SqliteStore.open(path)
    assert sorted(nearest(store, 4)) == ["r2", "r3", "r4", "r5"]
    assert nearest(store, 4)[0] == "r4"
    assert nearest(store, 9)[0] == "r2"
    assert store.verify() == []
    store.close()


def test_an_older_copy_of_which_the_file_is_still_there_is_written_to_first(path, tmp_path):
    fill(path, 1, 2).close()
    shutil.copy(path, tmp_path / "older")
    store = SqliteStore.open(path)
    add(store, 3, 4)
    store.close()
    shutil.copy(tmp_path / "older", path)
    store = SqliteStore.open(path)
    add(store, 13, 14)
    assert nearest(store, 13)[0] == "r13"
    assert sorted(nearest(store, 1)) == ["r1", "r13", "r14", "r2"]
    assert store.verify() == []
    store.close()


def set_boot(path, boot):
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.execute("UPDATE model SET boot = :boot", {"boot": boot})
    store.close()


def test_after_a_power_cut_slots_that_were_not_synced_are_not_trusted(path):
    fill(path, 0).close()
    store = SqliteStore.open(path)
    add(store, 1, 2)
    store.close()
    set_boot(path, "another run of the machine")
    # What the disk had not yet got comes back as zeros.
    layout = Layout(SMALL.dimensions)
    spoil(files(path)[0], layout.offset("codes", 1), bytes(128))
    spoil(files(path)[0], layout.offset("seq", 1), bytes(16))
    store = SqliteStore.open(path)
    assert nearest(store, 2)[0] == "r2"
    assert len(nearest(store, 1)) == 3
    assert store.verify() == []
    store.close()


def test_where_nothing_tells_a_run_of_the_machine_every_write_is_synced(path, monkeypatch):
    monkeypatch.setattr(scans, "_boot", lambda: "")
    store = fill(path, 1)
    add(store, 2)
    with store.reading() as reader:
        model = reader.serving()
        assert (model.slots, model.synced) == (2, 2)
    store.close()


@pytest.mark.parametrize("mended", [True, False])
def test_what_a_writer_left_undone_after_its_commit_the_next_one_does(path, mended, monkeypatch):
    store = fill(path, 1, 2, 3)
    with monkeypatch.context() as killed:
        # As a writer that is killed between its commit and what follows it.
        killed.setattr(scans.Scans, "finish", lambda *_: None)
        update(store, "r1", unit(9), text="other")
        apply(store, forget=("r2",))
    assert nearest(store, 9)[0] == "r1"
    assert sorted(nearest(store, 2)) == ["r1", "r3"]
    store.close()
    store = SqliteStore.open(path)
    if mended:
        store.mend()
    else:
        add(store, 4)
    with store.reading() as reader:
        model = reader.serving()
        assert model is not None
        alive = sorted(store._scan_files().alive(model).tolist())
    assert alive == ([1, 3] if mended else [1, 3, 4])
    assert store.verify() == []
    store.close()


def halves(*seeds):
    return b"".join(unit(seed).astype("<f2").tobytes() for seed in seeds)


def slots(store):
    """Of which record each slot is that has not gone."""
    with store.reading() as reader:
        model = reader.serving()
        assert model is not None
        return sorted(store._scan_files().alive(model).tolist())


@pytest.mark.parametrize("mended", [True, False])
def test_passages_that_a_dead_writer_replaced_are_taken_out(path, mended, monkeypatch):
    store = fill(path, 1)
    apply(
        store,
        insert=tuple(Entry(record(id_), unit(1), b"", halves(2, 3, 4)) for id_ in ("a", "b", "c")),
    )
    assert slots(store) == [1, *[2] * 3, *[3] * 3, *[4] * 3]
    with monkeypatch.context() as killed:
        killed.setattr(scans.Scans, "finish", lambda *_: None)
        with store.reading() as reader:
            old = reader.records(["a"])["a"]
        new = replace(old, text="other", version=2)
        apply(store, update=(Entry(new, unit(1), b"", halves(5, 6)),), forget=("b",))
        update(store, "c", type="moved")
    store.close()
    store = SqliteStore.open(path)
    if mended:
        store.mend()
    else:
        add(store, 4)
    assert slots(store) == [1, 2, 2, 4, 4, 4, *([] if mended else [5])]
    assert nearest(store, 6)[0] == "a"
    assert store.verify() == []
    # The file made anew holds the same.
    store.close()
    for file in files(path):
        file.unlink()
    store = SqliteStore.open(path)
    nearest(store, 1)
    store.mend()
    assert slots(store) == [1, 2, 2, 4, 4, 4, *([] if mended else [5])]
    store.close()


def test_a_forgotten_long_text_leaves_zeros_in_the_file(path):
    store = fill(path, 1)
    apply(store, insert=(Entry(record("long"), unit(1), b"", halves(2, 3)),))
    apply(store, forget=("long",))
    (scan,) = (scan for _, scan in store._scan_files()._open.values())
    assert scan.seqs(3).tolist() == [1, 0, 0]
    assert apsw.Connection(str(path)).execute("SELECT count(*) FROM part").get == 0
    store.close()


def test_a_forgotten_vector_leaves_zeros_in_the_file(path):
    store = fill(path, 1, 2, 3)
    update(store, "r2", unit(9), text="other")
    apply(store, forget=("r2",))
    (scan,) = (scan for _, scan in store._scan_files()._open.values())
    assert scan.seqs(4).tolist() == [1, 0, 3, 0]
    for slot in (1, 3):
        place = scan._layout.offset("codes", slot)
        assert files(path)[0].read_bytes()[place : place + 64] == bytes(64)
    store.close()


def test_a_reader_of_an_old_snapshot_still_finds_what_was_closed_since(path):
    store = fill(path, 1)
    with store.reading() as before:
        update(store, "r1", valid_until=NOON + HOUR)
        update(store, "r1", type="moved")
        assert len(before.nearest(unit(1), ANY, 9)) == 1
        later = replace(ANY, at=NOON + 9 * HOUR)
        assert len(before.nearest(unit(1), later, 9)) == 1
    with store.reading() as now:
        assert now.nearest(unit(1), later, 9) == []
        assert len(now.nearest(unit(1), replace(ANY, types=("moved",)), 9)) == 1
    store.close()


def test_a_wipe_takes_the_old_file_away(path):
    store = fill(path, 1, 2)
    (old,) = files(path)
    with store.writing() as tx:
        tx.wipe("local", record("a").author, 0)
    assert files(path) == []
    add(store, 3)
    assert old not in files(path)
    assert nearest(store, 3) == ["r3"]
    store.close()


def test_a_new_model_takes_the_old_models_file_away(path):
    store = fill(path, 1, 2)
    (old,) = files(path)
    with store.writing() as tx:
        tx.prepare(OTHER)
        tx.embed({r.seq: unit(r.seq, OTHER) for r in tx.waiting(1)}, OTHER)
    assert len(files(path)) == 2
    with store.writing() as tx:
        tx.embed({r.seq: unit(r.seq, OTHER) for r in tx.waiting(9)}, OTHER)
    (new,) = files(path)
    assert new != old
    assert store.verify() == []
    store.close()


def test_a_file_of_which_most_has_gone_is_made_anew(path, monkeypatch):
    monkeypatch.setattr(scans, "_WORTH_IT", 8)
    store = fill(path, 1, 2, 3)
    (old,) = files(path)
    with store.reading() as before:
        for turn in range(7):
            update(store, "r1", unit(turn + 20), text=f"turn {turn}")
        assert len(before.nearest(unit(1), ANY, 9)) == 3
    (new,) = files(path)
    assert new != old
    with store.reading() as reader:
        assert reader.serving().slots < 8
    assert nearest(store, 26)[0] == "r1"
    assert sorted(nearest(store, 2)) == ["r1", "r2", "r3"]
    assert store.verify() == []
    store.close()
