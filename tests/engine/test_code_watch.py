"""A watched project is indexed again when its files change, and no more once it is dropped."""

from __future__ import annotations

import os
import sys
from errno import ENOENT, ENOSPC

import pytest

from bench.code import branches
from recollect.errors import InvalidRequest
from recollect.model import Kind, Where
from recollect.ops import DropProject, IndexProject, IndexState, ListProjects, SearchCode

CODE = Where(kinds=(Kind.CODE,))


@pytest.fixture
def root(tmp_path):
    made = tmp_path / "atlas"
    made.mkdir()
    (made / "first.py").write_text("def first(): pass\n")
    (made / ".gitignore").write_text("build/\n")
    (made / "build").mkdir()
    return made


def names(engine, query):
    return {hit.record.title for hit in engine.run(SearchCode(query, CODE)).hits}


def changed(engine, write):
    """Do something to the files, and wait for the index to follow."""
    before = engine.ports.watchers.rounds
    write()
    assert engine.ports.watchers.wait(before)


def test_a_watched_project_follows_its_files_until_it_is_dropped(engine, root):
    engine.run(IndexProject(str(root), watch=True))
    changed(engine, lambda: (root / "second.py").write_text("def second_one(): pass\n"))
    assert "second_one" in names(engine, "second_one")
    changed(engine, lambda: (root / "second.py").rename(root / "third.py"))
    assert {hit.record.source_ref for hit in engine.run(SearchCode("second_one")).hits} == {
        "third.py"
    }
    changed(engine, (root / "third.py").unlink)
    assert names(engine, "second_one") == set()
    engine.run(DropProject("atlas"))
    assert engine.ports.watchers._watched == {}
    assert engine.run(ListProjects()).projects == ()


def test_what_is_ignored_causes_no_round(engine, root):
    engine.run(IndexProject(str(root), watch=True))
    before = engine.ports.watchers.rounds
    (root / "build" / "out.py").write_text("def built(): pass\n")
    changed(engine, lambda: (root / "second.py").write_text("def second_one(): pass\n"))
    assert names(engine, "built") == set()
    assert engine.ports.watchers.rounds == before + 1


def test_a_project_is_watched_once_however_often_that_is_asked_for(engine, root):
    for _ in range(2):
        engine.run(IndexProject(str(root), watch=True))
    assert len(engine.ports.watchers._watched) == 1
    engine.ports.watchers.stop()
    engine.watching()


def test_a_run_that_is_cancelled_is_not_gone_on_with_at_the_next_change(engine, root):
    class Gone(Exception):
        pass

    def leave(*_):
        raise Gone

    with pytest.raises(Gone):
        engine.run(IndexProject(str(root), watch=True), leave)
    assert not engine.ports.watchers.watching
    engine.run(IndexProject(str(root), watch=True))
    # Who asked for that before still has it, whatever becomes of a later run.
    assert not engine.ports.watchers.watch(os.path.realpath(root), lambda: None)


def test_without_the_package_that_watches_nothing_is_done_and_that_is_said(
    engine, root, monkeypatch
):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(InvalidRequest, match="pip install watchfiles"):
        engine.run(IndexProject(str(root), watch=True))
    assert engine.run(IndexProject(str(root))).files == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(ENOSPC, "OS file watch limit reached"), "max_user_watches"),
        (OSError(ENOENT, "No such file"), "not followed any more: No such file"),
        (RuntimeError("lost"), "not followed any more: lost"),
    ],
)
def test_what_the_system_does_not_let_be_watched_is_indexed_and_told(
    engine, root, monkeypatch, error, said
):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr("watchfiles.watch", refuse)
    project = engine.run(IndexProject(str(root), watch=True)).project
    assert project.total_files == 1
    assert said in project.warnings[0]
    assert said in engine.run(IndexState("atlas")).warnings[0]
    assert not engine.ports.watchers.watching
    monkeypatch.undo()
    assert engine.run(IndexProject(str(root), watch=True)).project.warnings == ()
    assert engine.ports.watchers.watching


def test_another_branch_of_a_thousand_files_is_one_round_and_nothing_is_lost_or_stale(
    engine, tmp_path
):
    root = branches.made(tmp_path / "atlas", 1_000)
    engine.run(IndexProject(str(root), watch=True))
    assert branches.indexed(engine) == branches.written(root)
    for branch in ("next", "main"):
        before = engine.ports.watchers.rounds
        changed(engine, lambda branch=branch: branches.switch(root, branch))
        assert branches.indexed(engine) == branches.written(root)
        assert engine.ports.watchers.rounds == before + 1
    # Folders that came with the other branch are watched too.
    branches.switch(root, "next")
    (root / "fresh5" / "last.py").write_text("def last_of_all(): pass\n")
    engine.ports.watchers.wait(engine.ports.watchers.rounds)
    changed(engine, lambda: (root / "fresh5" / "later.py").write_text("def later_yet(): pass\n"))
    assert branches.indexed(engine) == branches.written(root)
