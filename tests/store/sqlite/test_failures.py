"""What goes wrong on a disk, and what is said and kept then."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from recollect.errors import Conflict, Damaged, InvalidRequest, TooNew, Unavailable
from recollect.model import Entry
from recollect.rules.analyse import tokens
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, HOUR, NOON, SMALL, apply, get, keep, record, unit, update
from tests.store.sqlite import child

ROOT = os.geteuid() == 0


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def filled(path, count=3):
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=tuple(Entry(record(f"r{n}", f"text {n}"), unit(n)) for n in range(count)))
    return store


def whole(store, count):
    with store.reading() as reader:
        assert reader.count(ANY) == count
        assert len(reader.matching(["text"], ANY, 9_999)) == count
        assert len(reader.nearest(unit(0), ANY, 9_999)) == count
    assert store.verify() == []


@pytest.mark.parametrize("durability", ["", "FULL", "off"])
def test_an_unknown_durability_is_refused(path, durability):
    with pytest.raises(InvalidRequest, match="'full' or 'normal'"):
        SqliteStore.open(path, durability=durability)


def test_a_store_that_syncs_less_holds_the_same(path):
    store = SqliteStore.open(path, durability="normal")
    keep(store, record("a"))
    assert get(store, "a").id == "a"
    store.close()


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(Unavailable, match=r"nowhere does not exist\. Create it"):
        SqliteStore.open(tmp_path / "nowhere" / "memory.db")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(Unavailable, match="is a folder"):
        SqliteStore.open(tmp_path)


def test_an_empty_file_becomes_a_new_store(path):
    path.touch()
    store = filled(path)
    whole(store, 3)
    store.close()


def test_a_relative_path_is_the_same_file_wherever_the_process_goes(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    store = SqliteStore.open(path.name)
    monkeypatch.chdir("/")
    keep(store, record("a"))
    store.close()
    assert path.stat().st_size > 0


def test_what_is_no_database_is_left_as_it_is(path):
    path.write_bytes(b"Dear diary, " * 1_000)
    with pytest.raises(Damaged, match="left as it is"):
        SqliteStore.open(path)
    assert path.read_bytes() == b"Dear diary, " * 1_000


@pytest.mark.parametrize("marked", [False, True])
def test_the_database_of_another_program_is_left_as_it_is(path, marked):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url)")
    if marked:
        other.execute("PRAGMA user_version = 1")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(Damaged, match="another program"):
        SqliteStore.open(path)
    assert path.read_bytes() == before


def test_the_file_of_a_newer_program_is_left_as_it_is(path):
    filled(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(TooNew, match="format 99"):
        SqliteStore.open(path)
    assert path.read_bytes() == before


def test_a_truncated_file_is_damaged_and_left_as_it_is(path):
    filled(path, 300).close()
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    before = path.read_bytes()
    with pytest.raises(Damaged, match="restore a backup"):
        look_through(path)
    assert path.read_bytes() == before


def look_through(path):
    store = SqliteStore.open(path)
    try:
        with store.reading() as reader:
            reader.page(ANY, 9_999)
            reader.events(0, 9_999)
    finally:
        store.close()


def test_a_damaged_page_is_reported_by_verify_and_the_file_is_left_as_it_is(path):
    filled(path, 400).close()
    size = path.stat().st_size
    chance = random.Random(3)
    for page in (size // 4096 // 2, size // 4096 // 3):
        original = path.read_bytes()
        with path.open("r+b") as file:
            file.seek(page * 4096)
            file.write(chance.randbytes(4096))
        before = path.read_bytes()
        store = SqliteStore.open(path)
        problems = store.verify()
        store.close()
        assert problems
        assert "damaged" in problems[0].what
        assert "backup" in problems[0].advice
        assert path.read_bytes() == before
        path.write_bytes(original)


def test_reading_a_damaged_page_is_an_error_that_says_so(path):
    filled(path, 400).close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    before = path.read_bytes()
    with pytest.raises(Damaged, match="left as it is"):
        look_through(path)
    assert path.read_bytes() == before


def test_a_disk_that_is_full_keeps_all_that_was_acknowledged(path):
    filled(path, 1).close()
    said = child.run("full", path, 2_500_000)
    *kept, failure, problems = said
    assert len(kept) > 3
    assert failure.startswith("unavailable ")
    assert "Nothing was changed" in failure
    assert problems == "problems"
    store = SqliteStore.open(path)
    with store.reading() as reader:
        ids = [line.split()[1] for line in kept]
        assert len(reader.records(ids)) == len(ids)
        assert reader.count(ANY) == len(ids) + 2
        assert len(reader.nearest(unit(0), ANY, 9_999)) == len(ids) + 2
    store.close()


def test_a_database_that_may_not_grow_says_that_the_disk_is_full(path):
    store = filled(path, 1)
    with store.writing() as tx:
        tx.execute("PRAGMA max_page_count = 1")
    with pytest.raises(Unavailable, match="disk is full"):
        keep(store, *(record(f"x{n}", "much " * 900) for n in range(50)))
    whole(store, 1)
    store.close()


@pytest.mark.skipif(not ROOT, reason="only root can mount a small disk")
def test_a_small_disk_that_fills_up_loses_nothing(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small], check=False
    )
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        store = filled(small / "memory.db", 1)
        kept = 1
        failure = ""
        while not failure:
            try:
                apply(store, insert=(Entry(record(f"f{kept}", "text " * 300), unit(kept)),))
                kept += 1
            except Unavailable as error:
                failure = str(error)
        assert "Nothing was changed" in failure
        with store.reading() as reader:
            assert reader.count(ANY) == kept
            assert len(reader.nearest(unit(0), ANY, 9_999)) == kept
        store.close()
    finally:
        subprocess.run(["/bin/umount", small], check=True)


@pytest.fixture
def shared():
    """A place in a folder that everybody may enter; pytest's own only its owner may."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "memory.db"
        Path(folder).chmod(0o755)


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_who_may_only_read_reads_and_is_told_why_writing_fails(shared, open_elsewhere):
    shared.touch(0o644)
    store = filled(shared)
    if not open_elsewhere:
        store.close()
    assert child.run("nobody", shared, "read") == ["count 3 3"]
    (failure,) = child.run("nobody", shared, "write")
    assert failure.startswith("unavailable ")
    assert "write permission" in failure
    assert child.run("nobody", shared, "read") == ["count 3 3"]
    if not open_elsewhere:
        store = SqliteStore.open(shared)
    whole(store, 3)
    store.close()


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
def test_who_may_only_read_is_told_of_a_log_that_was_not_taken_in(shared):
    shared.touch(0o644)
    filled(shared).close()
    child.run("crash", shared)
    with child.start("hold", shared) as holder:
        holder.hear()
        holder.kill()
    store = SqliteStore.open(shared)
    keep(store, record("late", "text late"))
    copy = shared.with_name("copy.db")
    for end in ("", "-wal"):
        Path(f"{copy}{end}").write_bytes(Path(f"{shared}{end}").read_bytes())
    store.close()
    (failure,) = child.run("nobody", copy, "read")
    assert "was not closed" in failure


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
def test_a_folder_that_nobody_may_write_is_named(shared):
    (failure,) = child.run("nobody", shared, "write")
    assert failure.startswith("unavailable ")
    assert "permission" in failure


def test_a_clock_that_goes_backwards_does_no_harm(path):
    store = filled(path)
    earlier = NOON - timedelta(days=400)
    keep(store, record("old", created_at=earlier, updated_at=earlier, valid_from=earlier))
    update(store, "r0", updated_at=earlier)
    with store.reading() as reader:
        assert next(r.id for r in reader.page(ANY, 1)) == "old"
        assert [v.updated_at for v in reader.versions("r0")] == [NOON]
    assert store.verify() == []
    store.close()


def test_an_end_before_the_beginning_is_refused(path):
    store = filled(path)
    with pytest.raises(InvalidRequest, match="out of its range"):
        update(store, "r0", valid_until=NOON - HOUR)
    with pytest.raises(InvalidRequest, match="Nothing was changed"):
        keep(store, record("b", valid_until=NOON - HOUR))
    whole(store, 3)
    store.close()


def test_an_id_that_is_taken_is_a_conflict(path):
    store = filled(path)
    with pytest.raises(Conflict, match="Nothing was changed"):
        keep(store, record("r0"))
    store.close()


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם memory",
        "مرحبا بالعالم memory",
        "東京都に住んでいます memory",
        "before\0after memory",
        "memory " + "long words of all kinds " * 45_000,
        "👩\u200d👩\u200d👧 memory",
    ],
)
def test_a_text_comes_back_as_it_was_written_and_is_found(path, text):
    store = filled(path)
    (kept,) = apply(store, insert=(Entry(record("x", text, title=text[:50], metadata="{}")),))
    assert get(store, "x").text == text
    with store.reading() as reader:
        for word in ("memory", *tokens(text)[:3]):
            assert kept.seq in {c.seq for c in reader.matching([word], ANY, 9)}
        assert [r.id for r in reader.saying(kept.scope, [text])] == ["x"]
    apply(store, forget=("x",))
    whole(store, 3)
    store.close()


@pytest.mark.parametrize("field", ["id", "text", "title", "session", "type", "metadata"])
def test_half_a_character_is_refused_and_nothing_changes(path, field):
    store = filled(path)
    broken = record("b") if field == "id" else record("b", "text")
    values = {name: getattr(broken, name) for name in type(broken)._fields} | {field: "a\ud800b"}
    with pytest.raises(InvalidRequest, match="surrogate"):
        keep(store, type(broken)(**values))
    with pytest.raises(InvalidRequest), store.reading() as reader:
        reader.records(["\udfff"])
    whole(store, 3)
    store.close()
