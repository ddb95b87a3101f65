"""Several processes, and several threads, on one file at once."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.errors import Busy
from recollect.model import Entry
from recollect.rules.analyse import tokens
from recollect.store import ledger
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, SMALL, apply, keep, record, unit
from tests.store.sqlite import child


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def store(path):
    with_model(path).close()
    opened = SqliteStore.open(path, patience=30)
    yield opened
    assert opened.verify() == []
    opened.close()


def with_model(path):
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    return store


def test_six_processes_write_at_once_and_nothing_is_lost(store, path):
    writers = [child.start("write", path, 40) for _ in range(6)]
    said = [
        line.split()
        for writer in writers
        for line in writer.communicate(timeout=60)[0].splitlines()
    ]
    assert [writer.returncode for writer in writers] == [0] * 6
    assert len({id_ for id_, _ in said}) == 240
    with store.reading() as reader:
        records = reader.records([id_ for id_, _ in said])
        assert len(records) == 240
        assert len({r.seq for r in records.values()}) == 240
        assert ledger.check(reader.events(0, 999)) is None
        assert reader.last_event() == 240
        for id_, seed in said[::10]:
            wanted = records[id_].seq
            assert wanted in {c.seq for c in reader.matching([tokens(id_)[-1]], ANY, 5)}
            assert wanted in {c.seq for c in reader.nearest(unit(int(seed)), ANY, 40)}


def test_what_one_process_commits_another_finds_in_its_very_next_call(store, path):
    with child.start("after", path) as other:
        assert other.hear() == "ready\n"
        for number in range(20):
            id_ = f"n{number}"
            apply(store, insert=(Entry(record(id_, f"this is {id_}"), unit(number)),))
            other.tell(f"{id_} {number}")
            assert other.hear() == "True True True\n"
        other.communicate()


def test_a_crash_inside_a_transaction_leaves_nothing(store, path):
    apply(store, insert=(Entry(record("a", "kept"), unit(1)),))
    assert child.run("crash", path) == []
    with store.reading() as reader:
        assert [r.id for r in reader.page(ANY, 9)] == ["a"]
        assert reader.matching(["lost"], ANY, 9) == []
        assert len(reader.nearest(unit(3), ANY, 9)) == 1
    (b,) = apply(store, insert=(Entry(record("b", "next"), unit(2)),))
    with store.reading() as reader:
        assert reader.nearest(unit(2), ANY, 9)[0].seq == b.seq


def test_a_writer_that_hangs_makes_others_busy_and_they_go_on_when_it_does(path):
    store = with_model(path)
    hasty = SqliteStore.open(path, patience=0.2)
    with child.start("hold", path) as holder:
        assert holder.hear() == "holding\n"
        holder.send_signal(signal.SIGSTOP)
        for _ in range(2):
            with pytest.raises(Busy, match="try again"):
                keep(hasty, record("a"))
        with hasty.reading() as reader:
            assert reader.count(ANY) == 0
        holder.send_signal(signal.SIGCONT)
        holder.tell()
        assert holder.hear() == "done\n"
    keep(hasty, record("a"))
    keep(store, record("b"))
    with hasty.reading() as reader:
        assert {r.id for r in reader.page(ANY, 9)} == {"held", "a", "b"}
    hasty.close()
    assert store.verify() == []
    store.close()


def test_a_second_transaction_of_the_same_thread_is_busy_rather_than_stuck_for_ever(path):
    store = SqliteStore.open(path, patience=0.1)
    with store.writing(), pytest.raises(Busy):
        keep(store, record("a"))
    keep(store, record("b"))
    store.close()


def test_eight_processes_open_a_new_store_at_once(path):
    children = [child.start("opened", path) for _ in range(8)]
    for each in children:
        assert each.hear() == "ready\n"
    for each in children:
        each.tell()
    assert [each.communicate(timeout=60)[0] for each in children] == ["done\n"] * 8
    store = SqliteStore.open(path)
    with store.reading() as reader:
        assert reader.count(ANY) == 8
    assert store.verify() == []
    store.close()


def test_eight_threads_read_and_write_one_store_at_once(store):
    def work(thread):
        for turn in range(15):
            id_ = f"t{thread}n{turn}"
            (made,) = apply(store, insert=(Entry(record(id_, f"says {id_}"), unit(thread)),))
            with store.reading() as reader:
                assert made.seq in {c.seq for c in reader.matching(tokens(id_), ANY, 9)}
                assert made.seq in {c.seq for c in reader.nearest(unit(thread), ANY, 130)}
                assert reader.records([id_])[id_].seq == made.seq

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, thread) for thread in range(8)]:
            done.result()
    with store.reading() as reader:
        assert reader.count(ANY) == 120


def test_many_readers_see_whole_writes_only(store, path):
    with child.start("write", path, 60) as writer:

        def look(_):
            with store.reading() as reader:
                count = reader.count(ANY)
                assert reader.last_event() == count
                assert len(reader.nearest(unit(1), ANY, 99)) == count
                return count

        with ThreadPoolExecutor(4) as pool:
            counts = list(pool.map(look, range(60)))
        writer.communicate(timeout=60)
    assert max(counts) <= 60
    assert look(0) == 60


def test_a_forked_process_is_told_to_open_the_store_itself(store):
    import os

    from recollect.errors import Unavailable

    reading, writing = os.pipe()
    forked = os.fork()
    if forked == 0:
        try:
            store.close()
            with store.reading():
                pass
        except Unavailable as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(forked, 0)
    assert b"forked" in os.read(reading, 999)
    os.close(reading)
    os.close(writing)
    keep(store, record("a"))
