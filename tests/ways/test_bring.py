"""Bringing in what other programs remembered, on the command line."""

from __future__ import annotations

import json

import pytest

LINES = (
    '{"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes tea"]}\n'
    '{"type": "entity", "name": "Db", "entityType": "", "observations": ["db_password=%s"]}\n'
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder to work in with an export in it."""
    made = tmp_path / "files"
    made.mkdir()
    (made / "memory.json").write_text(LINES % ("hunter" + "2"))
    monkeypatch.chdir(made)
    return made


def test_an_import_is_previewed_done_listed_and_undone(recollect, files):
    tried = recollect("import", "memory.json", "--dry-run")
    assert tried.code == 0
    assert "Ada: Likes tea" in tried.out
    assert "Read 1 file (server-memory): would keep 1 memory, 2 entities; 0 were known" in tried.out
    assert "left out memory.json, line 2: holds what looks like a live secret" in tried.err
    assert "hunter" not in tried.out + tried.err
    assert recollect("import", "--list").err == "recollect: There is no batch yet.\n"
    done = recollect("import", "memory.json", "--json")
    batch = json.loads(done.out)["batch"]
    assert f"{batch}  " in recollect("import", "--list").out
    assert recollect("import", "memory.json").out.endswith("kept nothing; 1 were known already.\n")
    asked = recollect("import", "--undo", batch, stdin=b"no\n", terminal=True)
    assert (asked.code, asked.out) == (1, "Nothing was changed.\n")
    undone = recollect("import", "--undo", batch, "--yes")
    assert undone.out == "Undone: 3 deleted, 0 as they were before.\n"
    assert recollect("list", "--kind", "all", "--json").json["records"] == []
    assert recollect("import", "--list").out.endswith(", undone\n")


def test_a_long_preview_says_how_much_more_there_is(recollect, files):
    (files / "many.json").write_text(
        json.dumps([{"id": n, "memory": f"Fact {n}"} for n in range(25)])
    )
    assert "and 5 more\n" in recollect("import", "many.json", "--dry-run").out


def test_secrets_that_were_taken_out_are_counted(recollect, files, monkeypatch):
    monkeypatch.setenv("RECOLLECT_SECRETS", "redact")
    said = recollect("import", "memory.json").out
    assert "Secrets were taken out of 1." in said
    assert "To undo this: recollect import --undo batch_" in said


def test_without_a_path_nothing_is_guessed(recollect):
    assert "Name a file or folder to import" in recollect("import").err
