"""Two processes at one project: each piece is kept once, and the end of it is told once."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import uuid4

import pytest

from recollect.errors import NotFound
from recollect.ops import DropProject, IndexProject, ListProjects, SearchCode, Verify
from recollect.store.sqlite import SqliteStore
from recollect.testing import FixedClock
from tests.engine.build import opened


def fresh(prefix):
    return prefix + uuid4().hex[:20]


class Interrupted(FixedClock):
    """A clock that has something happen when it is asked for the time once more."""

    def __init__(self):
        super().__init__()
        self.then = []

    def __call__(self):
        if len(self.then) > 1:
            self.then.pop()
        elif self.then:
            self.then.pop()()
        return super().__call__()


@pytest.fixture
def root(tmp_path):
    made = tmp_path / "atlas"
    made.mkdir()
    (made / "run.py").write_text("def lift():\n    pass\n\n\ndef lower():\n    pass\n")
    return made


@pytest.fixture
def both(tmp_path):
    """Two engines on one file, and the clock of the first."""
    clock = Interrupted()
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(opened(SqliteStore.open(tmp_path / "memory.db"), at, new_id=fresh))
            for at in (clock, FixedClock())
        )
        yield one, two, clock


def test_what_another_indexes_meanwhile_is_not_indexed_again(both, root):
    one, two, clock = both
    # The time is asked for as the project is made, and when its files were looked at.
    clock.then = [lambda: two.run(IndexProject(str(root))), None]
    answer = one.run(IndexProject(str(root)))
    assert not clock.then
    assert (answer.files, answer.chunks) == (0, 0)
    assert len(two.run(SearchCode("lift lower", limit=50)).hits) == answer.project.total_chunks
    assert one.run(Verify()).problems == ()


def test_what_another_deletes_meanwhile_is_indexed_anew(both, root):
    one, two, clock = both
    clock.then = [lambda: two.run(DropProject("atlas")), None]
    answer = one.run(IndexProject(str(root)))
    assert not clock.then
    assert answer.files == 1
    assert [one.id for one in two.run(ListProjects()).projects] == ["atlas"]


def test_what_another_has_deleted_meanwhile_is_not_there(both, root):
    one, two, clock = both
    one.run(IndexProject(str(root)))
    clock.then = [lambda: two.run(DropProject("atlas"))]
    with pytest.raises(NotFound, match="no indexed project 'atlas'"):
        one.run(DropProject("atlas"))
