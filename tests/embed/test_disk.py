"""The cache file: shared, bounded, private, replaceable, and true to its promise to forget."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from recollect.embed.disk import APPLICATION, DiskCache, _create, _opened
from recollect.errors import Unavailable

SPACE, OTHER = b"space---", b"other---"
A, B, C = (bytes([n]) * 16 for n in (1, 2, 3))


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "deep" / "cache")


@pytest.fixture
def disk(path):
    cache = DiskCache(path)
    yield cache
    cache.close()


def contents(path):
    return b"".join(p.read_bytes() for p in sorted(Path(path).parent.iterdir()))


def filled(path, vectors=((A, b"vector a"), (B, b"vector b"))):
    cache = DiskCache(path)
    cache.keep(SPACE, dict(vectors))
    cache.close()


def test_what_is_kept_is_found_in_its_own_space(disk):
    disk.keep(SPACE, {A: b"a", B: b"b"})
    disk.keep(OTHER, {A: b"other a"})
    disk.flush()
    assert disk.find(SPACE, [A, B, C]) == {A: b"a", B: b"b"}
    assert disk.find(OTHER, [A, B, C]) == {A: b"other a"}


def test_the_folder_and_the_file_are_for_their_owner_only(path):
    filled(path)
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700


def test_it_is_written_when_enough_has_come_together(path):
    writer, reader = DiskCache(path, pending=2), DiskCache(path)
    writer.keep(SPACE, {A: b"a"})
    assert reader.find(SPACE, [A]) == {}
    writer.keep(SPACE, {B: b"b"})
    assert reader.find(SPACE, [A, B]) == {A: b"a", B: b"b"}
    writer.close()
    reader.close()


def test_the_oldest_go_when_it_is_full(path):
    disk = DiskCache(path, rows=3, pending=1)
    keys = [bytes([n]) * 16 for n in range(1, 6)]
    for key in keys:
        disk.keep(SPACE, {key: key})
    assert [*disk.find(SPACE, keys)] == keys[2:]
    disk.close()


def test_keeping_again_changes_nothing(path):
    filled(path)
    filled(path, [(A, b"vector a")])
    disk = DiskCache(path)
    assert disk.find(SPACE, [A, B]) == {A: b"vector a", B: b"vector b"}
    disk.close()


def test_thousands_are_found_with_one_question(disk):
    vectors = {n.to_bytes(16): n.to_bytes(8) for n in range(5_000)}
    disk.keep(SPACE, vectors)
    assert disk.find(SPACE, vectors) == vectors


def test_closing_and_going_on_is_allowed(disk):
    disk.keep(SPACE, {A: b"a"})
    disk.close()
    disk.close()
    assert disk.find(SPACE, [A]) == {A: b"a"}


def test_processes_share_it(path):
    code = """
import sys
from recollect.embed.disk import DiskCache
disk = DiskCache(sys.argv[1], pending=3)
for n in range(60):
    disk.keep(b"space---", {n.to_bytes(16): bytes([n])})
disk.close()
assert disk.problem is None, disk.problem
"""
    started = [subprocess.Popen([sys.executable, "-c", code, path]) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    disk = DiskCache(path)
    found = disk.find(SPACE, [n.to_bytes(16) for n in range(60)])
    disk.close()
    assert found == {n.to_bytes(16): bytes([n]) for n in range(60)}


def test_forgetting_leaves_no_byte_of_digest_or_vector(path):
    filled(path)
    assert b"vector a" in contents(path)
    disk = DiskCache(path)
    disk.keep(OTHER, {A: b"pending a"})
    disk.forget([A])
    assert not any(word in contents(path) for word in (A, b"vector a", b"pending a"))
    disk.close()
    assert not any(word in contents(path) for word in (A, b"vector a", b"pending a"))
    assert b"vector b" in contents(path)


def test_what_one_process_forgets_another_does_not_bring_back(path):
    one, other = DiskCache(path), DiskCache(path)
    other.find(SPACE, [A])
    other.keep(SPACE, {A: b"a"})
    one.forget([A])
    other.flush()
    assert one.find(SPACE, [A]) == {}
    other.keep(SPACE, {B: b"b"})
    other.flush()
    assert one.find(SPACE, [B]) == {B: b"b"}
    one.close()
    other.close()


def test_one_who_forgets_first_drops_what_another_had_forgotten(path):
    one, other = DiskCache(path), DiskCache(path)
    other.find(SPACE, [A])
    other.keep(SPACE, {A: b"a"})
    one.forget([A])
    other.forget([B])
    other.flush()
    assert one.find(SPACE, [A]) == {}
    one.close()
    other.close()


def test_forgetting_where_no_file_can_be_is_already_done(tmp_path):
    (tmp_path / "file").write_text("no folder")
    disk = DiskCache(str(tmp_path / "file" / "cache"))
    disk.forget([A])
    assert "cannot be used as an embedding cache" in (disk.problem or "")


def test_a_cache_without_a_file_holds_nothing_back(tmp_path):
    (tmp_path / "file").write_text("no folder")
    disk = DiskCache(str(tmp_path / "file" / "cache"), pending=2)
    for _ in range(2):
        disk.keep(SPACE, {A: b"a", B: b"b"})
    assert disk._pending == {}
    disk.close()


def test_who_cannot_forget_says_so(path, monkeypatch):
    monkeypatch.setattr("recollect.embed.disk.FORGET_WAIT_MS", 1)
    filled(path)
    holder = apsw.Connection(path)
    holder.execute("BEGIN IMMEDIATE")
    disk = DiskCache(path)
    with pytest.raises(Unavailable, match="delete that file: it is only a cache"):
        disk.forget([A])
    holder.execute("ROLLBACK")
    holder.close()
    disk.forget([A])
    assert disk.find(SPACE, [A]) == {}
    disk.close()


def test_a_file_that_is_busy_costs_what_was_to_be_written_and_nothing_else(path, monkeypatch):
    monkeypatch.setattr("recollect.embed.disk.WAIT_MS", 1)
    filled(path)
    disk, holder = DiskCache(path), apsw.Connection(path)
    assert disk.find(SPACE, [A]) == {A: b"vector a"}
    holder.execute("BEGIN IMMEDIATE")
    disk.keep(SPACE, {C: b"c"})
    disk.flush()
    assert disk.find(SPACE, [A]) == {A: b"vector a"}
    holder.execute("ROLLBACK")
    holder.close()
    assert disk.problem is None
    disk.close()


def damage_pages(file):
    content = bytearray(file.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    file.write_bytes(content)


def damage_header(file):
    content = bytearray(file.read_bytes())
    content[20:60] = b"\xff" * 40
    file.write_bytes(content)


def lose_to_power_cut(file):
    file.write_bytes(bytes(len(file.read_bytes())))


def truncate(file):
    file.write_bytes(file.read_bytes()[:5_000])


def empty(file):
    file.write_bytes(b"")


def come_from_a_newer_version(file):
    db = apsw.Connection(str(file))
    db.pragma("user_version", 99)
    db.close()


@pytest.mark.parametrize(
    "harm",
    [
        damage_pages,
        damage_header,
        lose_to_power_cut,
        truncate,
        empty,
        come_from_a_newer_version,
    ],
)
def test_a_damaged_file_is_made_anew(path, harm):
    filled(path)
    harm(Path(path))
    disk = DiskCache(path)
    disk.find(SPACE, [A])
    disk.keep(SPACE, {C: b"c"})
    disk.flush()
    disk.keep(SPACE, {C: b"c"})
    disk.flush()
    assert disk.find(SPACE, [C]) == {C: b"c"}
    assert disk.problem is None
    disk.close()


def test_a_vector_with_changed_bytes_is_not_believed(path):
    filled(path)
    Path(path).write_bytes(Path(path).read_bytes().replace(b"vector a", b"vector ?"))
    disk = DiskCache(path)
    assert disk.find(SPACE, [A, B]) == {B: b"vector b"}
    disk.close()


def test_a_damaged_file_that_must_forget_is_deleted(path):
    filled(path)
    damage_pages(Path(path))
    disk = DiskCache(path)
    disk.forget([A])
    assert b"vector a" not in contents(path)
    disk.close()


@pytest.mark.parametrize("kind", ["text", "database"])
def test_a_file_of_another_kind_is_left_alone(tmp_path, kind):
    file = tmp_path / "memory.db"
    if kind == "text":
        file.write_text("My diary.\n" * 100)
    else:
        db = apsw.Connection(str(file))
        db.execute("CREATE TABLE precious (thing)")
        db.close()
    before = file.read_bytes()
    disk = DiskCache(str(file))
    disk.keep(SPACE, {A: b"a"})
    assert disk.find(SPACE, [A]) == {}
    disk.forget([A])
    disk.close()
    assert "file of another kind" in (disk.problem or "")
    assert file.read_bytes() == before


def test_a_full_disk_ends_the_caching_and_nothing_else(path):
    filled(path)
    disk = DiskCache(path)
    disk.find(SPACE, [A])
    assert disk._open is not None
    disk._open.pragma("max_page_count", disk._open.pragma("page_count"))
    disk.keep(SPACE, {n.to_bytes(16): bytes(800) for n in range(1_000)})
    assert disk.find(SPACE, [A]) == {}
    assert "full" in (disk.problem or "")
    with pytest.raises(Unavailable, match="delete that file"):
        disk.forget([A])


def test_a_damaged_file_that_cannot_be_deleted_is_given_up(path):
    filled(path)
    disk = DiskCache(path)
    disk.find(SPACE, [A])
    Path(path).unlink()
    Path(path).mkdir()
    disk._discard()
    assert "is damaged and cannot be deleted" in (disk.problem or "")
    assert disk.find(SPACE, [A]) == {}


def test_the_file_says_what_it_is(path):
    filled(path)
    assert Path(path).read_bytes()[68:72] == APPLICATION.to_bytes(4) == b"rcve"


def test_tables_that_another_process_made_meanwhile_are_used_as_they_are(path):
    filled(path)
    db = _opened(path)
    _create(db)
    db.close()
    disk = DiskCache(path)
    assert disk.find(SPACE, [A]) == {A: b"vector a"}
    disk.close()
