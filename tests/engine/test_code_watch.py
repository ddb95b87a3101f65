"""A watched project is indexed again when its files change, and no more once it is dropped."""

from __future__ import annotations

import pytest

from recollect.model import Kind, Where
from recollect.ops import DropProject, IndexProject, ListProjects, SearchCode

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
