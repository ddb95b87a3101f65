"""Carrying a memory over on the command line: export, restore, backup."""

from __future__ import annotations

import json
import resource
import signal
import stat

import apsw
import pytest

from recollect.store.sqlite import SqliteStore


@pytest.fixture
def folder(tmp_path):
    """Where files go, apart from the store."""
    made = tmp_path / "files"
    made.mkdir()
    return made


@pytest.fixture
def full(recollect, remember):
    """Runs commands on a store with something in it."""
    remember("Ada lives in Turin.")
    remember("The build uses make.", "--project", "shop")
    return recollect


def listed(recollect, *options):
    """What `list` says of every record, but for how long ago that was."""
    return recollect("list", "--kind", "all", "--json", *options).json["records"]


def test_what_was_exported_is_restored_elsewhere_and_verified(full, folder):
    file, store = str(folder / "memory.jsonl"), ("--store", str(folder / "new.db"))
    said = full("export", file)
    assert said.code == 0
    assert f"to {file}." in said.out
    assert full("restore", file, *store).code == 0
    assert full("verify", *store).code == 0
    assert listed(full, *store) == listed(full)
    ends = [full("changes", "--json", *which).json for which in ((), store)]
    assert ends[0] == ends[1]
    assert "Turin" in full("recall", "where does Ada live", *store).out


def test_an_export_can_only_be_read_by_its_owner_and_is_never_written_over(full, folder):
    file = folder / "memory.jsonl"
    full("export", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    again = full("export", str(file))
    assert again.code == 3
    assert "is there already" in again.err
    assert file.read_bytes() == before


def test_an_export_goes_to_standard_output_and_comes_from_standard_input(full, folder):
    said = full("export", "-")
    assert said.code == 0
    assert "recollect: exported" in said.err
    store = ("--store", str(folder / "new.db"))
    assert full("restore", "-", *store, stdin=said.out.encode()).code == 0
    assert listed(full, *store) == listed(full)


def test_an_export_to_a_full_disk_says_so_and_leaves_no_file(full, folder):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        said = full("export", str(folder / "memory.jsonl"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert said.code == 4
    assert "Errno" not in said.err
    assert list(folder.iterdir()) == []


def test_without_vectors_a_restore_says_how_to_make_them(full, folder):
    file, store = str(folder / "small.jsonl"), ("--store", str(folder / "new.db"))
    assert full("export", file, "--no-vectors", "--json").json["vectors"] == 0
    said = full("restore", file, *store)
    assert "recollect embed" in said.err
    assert full("embed", *store).out == "Made 2 vectors.\n"
    assert full("verify", *store).code == 0


def test_a_cut_file_a_full_store_and_a_missing_file_are_told_apart(full, folder):
    file = folder / "memory.jsonl"
    full("export", str(file))
    assert full("restore", str(file)).code == 3
    assert full("restore", str(folder / "none.jsonl")).code == 1
    file.write_bytes(file.read_bytes()[:-20])
    store = ("--store", str(folder / "new.db"))
    cut = full("restore", str(file), *store)
    assert cut.code == 4
    assert "Nothing was restored" in cut.err
    assert [one.name for one in folder.iterdir()] == ["memory.jsonl"]


def test_a_refused_restore_leaves_a_store_that_was_there_as_it_was(full, folder):
    file, store = folder / "memory.jsonl", folder / "empty.db"
    full("export", str(file))
    file.write_bytes(file.read_bytes()[:-20])
    SqliteStore.open(store).close()
    assert full("restore", str(file), "--store", str(store)).code == 4
    assert store.exists()
    assert listed(full, "--store", str(store)) == []


def test_json_is_refused_where_the_export_itself_is_the_output(full):
    said = full("export", "-", "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "invalid_request")


def test_a_backup_is_a_sound_store_of_one_file_with_the_same_answers(full, folder):
    copy = str(folder / "copy.db")
    said = full("backup", copy)
    assert said.code == 0
    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((folder / "copy.db").stat().st_mode) == 0o600
    assert listed(full, "--store", copy) == listed(full)
    assert "Turin" in full("recall", "where does Ada live", "--store", copy).out
    assert full("remember", "Bob came.", "--store", copy).code == 0
    assert full("verify", "--store", copy).code == 0


def test_a_backup_writes_over_nothing(full, folder):
    copy = folder / "copy.db"
    copy.write_text("mine")
    assert full("backup", str(copy)).code == 3
    assert copy.read_text() == "mine"
    assert full("backup", str(folder / "no" / "copy.db")).code == 4


def test_an_unsound_copy_is_not_kept(full, folder, tmp_path):
    broken = apsw.Connection(str(tmp_path / "memory.db"))
    broken.execute("UPDATE content SET text = 'Ada lives in Rome.' WHERE seq = 1")
    broken.close()
    said = full("backup", str(folder / "copy.db"))
    assert said.code == 4
    assert "not kept" in said.err
    assert list(folder.iterdir()) == []


def test_the_first_line_says_what_the_file_is(full, folder):
    full("export", str(folder / "memory.jsonl"))
    first, *_, last = (folder / "memory.jsonl").read_text().splitlines()
    assert json.loads(first)["recollect_export"]["format"] == 1
    assert json.loads(last)["end"]["lines"] > 1
