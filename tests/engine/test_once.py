"""What comes with a key is carried out once, whoever asks again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from recollect.engine.once import KEPT, LARGEST, Mark
from recollect.errors import Conflict, DoneBefore, InvalidRequest, KeyUsed
from recollect.ops import Forget, Get, IndexProject, IndexState, List, Remember, Supersede, Wipe
from recollect.store.memory import MemoryStore
from recollect.store.sqlite import SqliteStore
from recollect.testing import FixedClock
from tests.engine.build import opened

MARK = Mark("key", "print", "local")
FACT = Remember("Ada wrote the first program.", once=False)


@pytest.fixture
def clock():
    return FixedClock()


@pytest.fixture(params=["sqlite", "memory"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else SqliteStore.open(tmp_path / "m.db")


@pytest.fixture
def engine(store, clock):
    with opened(store, clock) as made:
        yield made


def ask(engine, op=FACT, mark=MARK, shown=None):
    return engine.once(op, mark, shown or (lambda answer: answer.record.id))


def total(engine):
    return engine.run(List()).total


def test_what_is_asked_again_is_answered_as_it_was_shown(engine):
    first = ask(engine)
    assert ask(engine) == first.record.id
    assert total(engine) == 1


def test_a_store_that_is_opened_anew_knows_it_still(tmp_path, clock):
    path = tmp_path / "m.db"
    with opened(SqliteStore.open(path), clock) as engine:
        id_ = ask(engine).record.id
    with opened(SqliteStore.open(path), clock) as engine:
        assert ask(engine) == id_
        assert total(engine) == 1


def test_another_request_with_the_same_key_is_refused_and_does_nothing(engine):
    ask(engine)
    with pytest.raises(KeyUsed):
        ask(engine, Remember("Something else."), Mark("key", "other print", "local"))
    assert total(engine) == 1


def test_after_a_day_a_key_is_as_good_as_new(engine, clock):
    ask(engine)
    clock.move(KEPT - timedelta(seconds=1))
    assert isinstance(ask(engine), str)
    clock.move(timedelta(seconds=1))
    assert not isinstance(ask(engine), str)
    assert total(engine) == 2


@pytest.mark.parametrize("shown", ["", "x" * (LARGEST + 1)])
def test_an_answer_that_is_not_kept_is_not_made_up(engine, shown):
    ask(engine, shown=lambda _: shown)
    with pytest.raises(DoneBefore):
        ask(engine)
    assert total(engine) == 1


def test_deleting_takes_the_answer_along_and_not_that_it_was_done(engine):
    id_ = ask(engine).record.id
    engine.run(Forget((id_,)))
    with pytest.raises(DoneBefore):
        ask(engine)
    assert total(engine) == 0


def test_what_fails_changes_nothing_and_may_be_asked_again(engine):
    old, new = (engine.run(Remember(text)).record.id for text in ("It is red.", "It is blue."))
    mark = Mark("other", "print", "local")
    with pytest.raises(Conflict):
        ask(engine, Supersede(old, old), mark)
    done = ask(engine, Supersede(old, new), mark, lambda answer: answer.old.id)
    assert ask(engine, Supersede(old, new), mark) == done.old.id


def test_what_changes_nothing_is_noted_all_the_same(engine):
    engine.run(Remember("Once.", once=True))
    assert ask(engine, Remember("Once.")).created is False
    assert isinstance(ask(engine, Remember("Once.")), str)
    unconfirmed = Mark("wipe", "print", "local")
    assert ask(engine, Wipe(confirmed=False), unconfirmed, lambda _: "no").counts is None
    assert ask(engine, Wipe(confirmed=False), unconfirmed) == "no"


def test_a_failure_to_show_it_undoes_it(engine):
    def fail(answer):
        raise InvalidRequest(answer.record.id)

    with pytest.raises(InvalidRequest):
        ask(engine, shown=fail)
    assert total(engine) == 0


def test_forgetting_with_a_key_is_done_once(engine):
    id_ = engine.run(FACT).record.id
    first = ask(engine, Forget((id_,)), shown=lambda answer: "".join(answer.ids))
    assert (first.ids, ask(engine, Forget((id_,)))) == ((id_,), id_)
    assert engine.run(Get((id_,))).missing == (id_,)


def test_a_project_is_indexed_once_and_noted(engine, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("def one():\n    return 1\n")
    op = IndexProject(str(tmp_path / "src"), roots=(str(tmp_path),))
    first = ask(engine, op, shown=lambda answer: answer.project.id)
    assert ask(engine, op) == first.project.id
    assert engine.run(IndexState(first.project.id)).total_chunks


def test_of_several_at_once_one_is_carried_out(engine):
    start = Barrier(4)

    def go(_):
        start.wait()
        came = ask(engine)
        return came if isinstance(came, str) else came.record.id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(go, range(4)))) == 1
    assert total(engine) == 1
