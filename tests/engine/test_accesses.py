"""When records were last returned: known at once, written down later, and never in the way."""

from __future__ import annotations

from datetime import timedelta

from recollect.engine.upkeep import write_down
from recollect.ops import Get, List, Recall, Wipe
from recollect.store.sqlite import SqliteStore
from recollect.testing import FixedClock
from tests.engine.build import get, ledger, now, opened, remember
from tests.store.build import STORES

HOUR = timedelta(hours=1)


def looked_at(engine, record):
    return engine.run(Get((record.id,), touch=True)).records[0].accessed_at


def stored(engine, record):
    """What is written down of it, whatever this process knows."""
    with engine.ports.store.reading() as reader:
        return reader.records([record.id])[record.id].accessed_at


def test_what_was_looked_at_is_known_at_once_and_written_down_later(engine, clock):
    record = remember(engine, "the heron nests")
    clock.move(HOUR)
    assert looked_at(engine, record) == clock()
    assert now(engine, record).accessed_at == clock()
    assert engine.run(List()).records[0].accessed_at == clock()
    assert stored(engine, record) is None
    before = ledger(engine)
    write_down(engine.ports)
    assert stored(engine, record) == clock()
    assert not engine.ports.accesses.pending
    assert ledger(engine) == before


def test_who_does_not_say_so_leaves_no_trace(engine, clock):
    record = remember(engine, "the heron nests")
    clock.move(HOUR)
    get(engine, record)
    engine.run(Recall("heron"))
    assert now(engine, record).accessed_at is None


def test_only_what_is_answered_counts(engine, clock):
    heron, moon = remember(engine, "the heron nests"), remember(engine, "the moon has no wind")
    clock.move(HOUR)
    (hit,) = engine.run(Recall("heron nests", limit=1, touch=True)).hits
    assert (hit.record.id, hit.record.accessed_at) == (heron.id, clock())
    assert now(engine, moon).accessed_at is None


def test_the_last_of_several_times_is_written_down(engine, clock):
    record, other = remember(engine, "the heron nests"), remember(engine, "the moon")
    for each in (record, other, record):
        clock.move(HOUR)
        looked_at(engine, each)
    write_down(engine.ports)
    assert stored(engine, record) == clock()
    assert stored(engine, other) == clock() - HOUR


def test_a_clock_that_is_set_back_takes_nothing_back(engine, clock):
    record = remember(engine, "the heron nests")
    clock.move(2 * HOUR)
    looked_at(engine, record)
    write_down(engine.ports)
    clock.move(-HOUR)
    assert looked_at(engine, record) == clock() + HOUR


def test_an_engine_that_ends_writes_down_what_was_looked_at(tmp_path):
    clock = FixedClock()
    with opened(STORES["sqlite"](tmp_path), clock) as engine:
        record = remember(engine, "the heron nests")
        clock.move(HOUR)
        looked_at(engine, record)
    with opened(STORES["sqlite"](tmp_path), clock) as engine:
        assert now(engine, record).accessed_at == clock()


def test_a_store_that_is_busy_loses_nothing(tmp_path, clock, caplog):
    path = tmp_path / "memory.db"
    other = SqliteStore.open(path)
    with opened(SqliteStore.open(path, patience=0.01), clock) as engine:
        record = remember(engine, "the heron nests")
        clock.move(HOUR)
        looked_at(engine, record)
        with other.writing():
            write_down(engine.ports)
        assert "noting what was read" in caplog.text
        assert engine.ports.accesses.pending
        write_down(engine.ports)
        assert stored(engine, record) == clock()
    other.close()


def test_what_was_deleted_lends_its_accesses_to_nobody(engine, clock):
    remember(engine, "the heron nests")
    clock.move(HOUR)
    engine.run(Recall("heron", touch=True))
    engine.run(Wipe())
    assert not engine.ports.accesses.pending
    assert now(engine, remember(engine, "the moon")).accessed_at is None
