from __future__ import annotations

import json

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository that is worked in."""
    made = tmp_path / "atlas"
    (made / ".git").mkdir(parents=True)
    (made / "decisions.md").write_text("# Store\nSQLite.\n# Wire\nMCP.\n")
    monkeypatch.chdir(made)
    return made


def test_documents_are_kept_for_the_project_that_is_worked_in(recollect, project):
    said = recollect("ingest")
    assert (said.code, said.err) == (0, "")
    assert said.out == "Read 1 document: kept 2 sections; 0 were known already.\n"
    records = recollect("list", "--json").json["records"]
    assert {one["scope"]["project"] for one in records} == {"atlas"}
    assert "2 were known already" in recollect("ingest", ".").out


def test_what_is_left_out_is_said_beside_the_answer(recollect, project):
    said = recollect("ingest", "nothing.md", "decisions.md")
    assert said.code == 0
    assert said.err == "recollect: left out nothing.md: is not there\n"


def test_what_was_named_and_gives_nothing_to_read_is_no_success(recollect, project):
    assert recollect("ingest", "nothing.md").code == 1
    assert recollect("ingest", "nothing.md", "--json").code == 1


def test_a_person_may_have_any_folder_read(recollect, project, tmp_path):
    (tmp_path / "other.md").write_text("Elsewhere.")
    assert recollect("ingest", str(tmp_path / "other.md"), "--json").json["created"] == 1


def test_a_timeline_marks_the_record_that_was_asked_for(recollect, remember):
    ids = [remember(f"entry {number}") for number in range(3)]
    lines = recollect("timeline", ids[1]).out.splitlines()
    assert [line[0] for line in lines] == [" ", ">", " "]
    assert ids[1] in lines[1]


def test_retention_deletes_what_it_lists_and_nothing_else(recollect, remember):
    ids = [remember(f"entry {number}") for number in range(3)]
    tried = recollect("retention", "dry-run", "--max-entries", "1", "--json").json
    assert (tried["ids"], tried["deleted"]) == (ids[:2], [])
    assert len(recollect("list", "--json").json["records"]) == 3
    shown = recollect("retention", "dry-run", "--max-entries", "1").out
    done = recollect("retention", "apply", "--max-entries", "1", "--yes").out
    assert done == shown + "Deleted 2 memories.\n"
    assert all(id_ in shown for id_ in ids[:2])
    left = json.loads(recollect("list", "--json").out)["records"]
    assert [one["id"] for one in left] == ids[2:]


def test_retention_asks_first_and_shows_what_would_go(recollect, remember):
    id_ = remember("old news")
    args = ("retention", "apply", "--max-age-days", "1", "--now", "2999-01-01")
    assert "Add --yes" in recollect(*args).err
    said = recollect(*args, stdin=b"no\n", terminal=True)
    assert (said.code, said.out) == (1, "Nothing was deleted.\n")
    assert id_ in said.err
    assert "1 memory in all: 1 too old, 0 too many" in said.err
    assert recollect("get", id_).code == 0
    assert recollect(*args, stdin=b"yes\n", terminal=True).code == 0
    assert recollect("get", id_).code == 1


def test_retention_without_a_limit_is_refused(recollect):
    said = recollect("retention", "apply", "--yes")
    assert said.code == 2
    assert "Give --max-age-days" in said.err
