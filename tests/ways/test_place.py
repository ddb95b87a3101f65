from __future__ import annotations

import os

import pytest

from recollect.config import Config, load
from recollect.ways.place import project, roots


def test_a_project_is_what_is_configured():
    assert project(Config("s", project="atlas"), "/") == "atlas"


def test_else_it_is_the_repository_around_the_working_directory(tmp_path, monkeypatch):
    inner = tmp_path / "atlas" / "docs" / "adr"
    inner.mkdir(parents=True)
    (tmp_path / "atlas" / ".git").mkdir()
    assert project(Config("s"), str(inner)) == "atlas"
    monkeypatch.chdir(inner)
    assert project(Config("s")) == "atlas"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("gitdir: {}/atlas/.git/worktrees/fix\n", "atlas"),
        ("gitdir: ../atlas/.git/worktrees/fix", "atlas"),
        ("gitdir: ../atlas/.git/modules/fix", "fix"),
        ("gitdir: elsewhere", "fix"),
        ("", "fix"),
        ("\0", "fix"),
    ],
)
def test_a_work_tree_belongs_to_its_repository_and_a_submodule_is_one(tmp_path, said, named):
    (tmp_path / "fix" / "docs").mkdir(parents=True)
    (tmp_path / "fix" / ".git").write_text(said.format(tmp_path))
    assert project(Config("s"), str(tmp_path / "fix" / "docs")) == named


def test_outside_of_any_repository_there_is_no_project(tmp_path):
    assert project(Config("s"), os.path.sep) == ""


def test_the_working_directory_is_the_first_of_the_folders_that_may_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = load({}, {"RECOLLECT_ROOTS": f"/srv/docs{os.pathsep}/notes"})
    assert roots(config) == (str(tmp_path), "/srv/docs", "/notes")
    assert roots(config, "/elsewhere")[0] == "/elsewhere"
