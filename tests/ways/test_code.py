from __future__ import annotations

import subprocess

import pytest

from recollect.ways.cli import bar


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that is worked in."""
    made = tmp_path / "atlas"
    made.mkdir()
    lines = "".join(f"    step_{number}(note)\n" for number in range(9))
    (made / "store.py").write_text(f"def append_note(note):\n{lines}")
    (made / "logo.png").write_bytes(b"\0")
    monkeypatch.chdir(made)
    return made


def test_a_project_is_indexed_searched_listed_and_dropped(recollect, project):
    said = recollect("index", ".")
    assert (said.code, said.out) == (
        0,
        "Indexed 1 file in 1 piece. atlas has 1 piece of 1 file.\n",
    )
    found_by, left_out = said.err.splitlines()
    assert found_by.startswith("recollect: 1 piece without a vector yet.")
    assert left_out == "recollect: left out 1 (binary): logo.png"
    assert recollect("index", ".").out.startswith("Nothing has changed.")
    shown = recollect("code", "append", "note").out
    assert shown.startswith("store.py:1-10  function append_note\n    def append_note(note):\n")
    assert shown.endswith("    …\n")
    assert recollect("code", "note", "--language", "rust").out.startswith("Nothing was found.")
    assert recollect("projects").out.startswith("atlas: completed, 1 of 1 file, 1 piece, ")
    assert "left out 1 (binary)" in recollect("projects", "atlas").out
    assert recollect("projects", "atlas", "--json").json["total_chunks"] == 1
    assert recollect("projects", "atlas", "--drop").out == (
        "Deleted the index of atlas: 1 piece. Its files are as before.\n"
    )
    assert recollect("projects").out.startswith("There is no indexed project.")


def test_what_is_wrong_is_said_with_what_to_do(recollect, project):
    none = "Invalid path: nowhere is no folder. Name the folder of a project. Nothing was indexed."
    assert none in recollect("index", "nowhere").err
    said = recollect("index", "store.py").err
    assert "store.py is a file, not a folder. Name the folder" in said
    recollect("index", ".")
    assert "Say which project" in recollect("projects", "--drop").err
    assert "There are: atlas" in recollect("projects", "other").err


def test_a_terminal_shows_how_far_it_is(recollect, project, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(bar, "_QUICK", 0)
    assert recollect("index", ".").err.startswith("\rindexing… 0 s\x1b[K")
    assert "indexing" not in recollect("index", ".", "--json").err


def test_why_tells_memories_and_commits_behind_a_line(recollect, project):
    for call in (
        ["init", "-q"],
        ["add", "store.py"],
        ["-c", "user.name=Ann", "-c", "user.email=a@b.c", "commit", "-qm", "Append notes"],
    ):
        subprocess.run(["git", "-C", str(project), *call], check=True)  # noqa: S607 -- as people have it
    recollect("index", ".")
    recollect("remember", "Notes go through `append_note` alone.")
    said = recollect("why", "store.py:2").out
    assert said.startswith("store.py:1-10  function append_note\nMemories:\n")
    assert "Notes go through" in said
    assert said.endswith("Ann: Append notes\n")
    assert recollect("why", "store.py", "--json").json["commits"][0]["subject"] == "Append notes"


def test_why_says_so_where_nothing_is_known(recollect, project):
    recollect("index", ".")
    assert recollect("why", "store.py").out.endswith("git knows no commit.\n")
    assert "in no indexed project" in recollect("why", "other.py").err


def test_a_line_that_is_in_no_piece_is_said_to_be(recollect, project):
    recollect("index", ".")
    said = recollect("why", "store.py:99999")
    assert said.code == 0
    assert "No piece of store.py that is indexed holds line 99999" in said.err
    said = recollect("why", "store.py:0")
    assert (said.code, said.out) == (2, "")
    assert "line" in said.err
    assert recollect("why", "store.py:2").err == ""
