"""A store that goes away and comes back: captures wait and are replayed once each."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.decisions import Decide
from recollect.decisions.measured import (
    Calibrate,
    CalibrateAll,
    GatherContext,
    ListDecisions,
    RecordOutcome,
)
from recollect.engine import aside
from recollect.errors import Busy, Unavailable
from recollect.model import Author, AuthorKind
from recollect.ops import Forget, Get
from recollect.testing import FixedClock
from recollect.value import replace
from tests.engine.build import opened
from tests.store.build import STORES

BOT = Author(AuthorKind.AGENT, "bot")


class Leaving:
    """A store that can be away: a port before a port."""

    def __init__(self, store):
        self._store = store
        self.away = False
        self.failure = Unavailable

    def __getattr__(self, name):
        return getattr(self._store, name)

    @contextmanager
    def reading(self):
        self._reached()
        with self._store.reading() as reader:
            yield reader

    @contextmanager
    def writing(self):
        self._reached()
        with self._store.writing() as tx:
            yield tx

    def _reached(self):
        if self.away:
            raise self.failure("The database cannot be reached.")


@pytest.fixture
def leaving(store):
    return Leaving(store)


@pytest.fixture
def engine(leaving, clock, tmp_path):
    with opened(leaving, clock) as made:
        governance = replace(made.ports.governance, aside=str(tmp_path / "aside"))
        made.ports = replace(made.ports, governance=governance)
        yield made
        leaving.away = False


def captured(engine, said="Use one pool for all"):
    return engine.run(Decide(said, alternatives=("a pool each",), author=BOT))


def all_of(engine):
    return [one.decision.statement for one in engine.run(ListDecisions(limit=100)).decisions]


def test_captures_wait_while_the_store_is_away_and_are_recorded_once(engine, leaving):
    leaving.away = True
    ids = [captured(engine, f"Use pool number {n} for it") for n in range(5)]
    assert all(one.queued for one in ids)
    with pytest.raises(Unavailable):
        all_of(engine)
    leaving.away = False
    assert sorted(all_of(engine)) == [f"Use pool number {n} for it" for n in range(5)]
    assert not aside.waiting(engine.ports)
    assert {one.decision.record.id for one in ids} == {
        one.decision.record.id for one in engine.run(ListDecisions()).decisions
    }
    assert not captured(engine, "Use another pool").queued


def test_what_is_captured_keeps_its_time_and_its_author(engine, leaving, clock):
    leaving.away = True
    at = clock()
    waiting = captured(engine).decision.record
    clock.move(timedelta(hours=3))
    leaving.away = False
    (record,) = engine.run(Get((waiting.id,))).records
    assert (record.created_at, record.author) == (at, BOT)
    assert replace(record, seq=0) == waiting


def test_a_replay_that_was_cut_short_records_nothing_twice(engine, leaving):
    leaving.away = True
    ids = [captured(engine, f"Use pool number {n} for it").decision.record.id for n in range(3)]
    path = Path(engine.ports.governance.aside) / "captures.jsonl"
    waiting = path.read_bytes()
    leaving.away = False
    assert len(all_of(engine)) == 3
    # As after a crash between the last commit and the emptying of the journal.
    path.write_bytes(waiting)
    engine.run(Forget((ids[0],), author=BOT))
    assert len(all_of(engine)) == 2
    path.write_bytes(waiting)
    # Not even what was forgotten comes back.
    assert len(all_of(engine)) == 2


def test_a_line_that_a_crash_cut_off_is_left_out_and_the_next_one_is_whole(engine, leaving):
    leaving.away = True
    captured(engine)
    path = Path(engine.ports.governance.aside) / "captures.jsonl"
    with path.open("ab") as file:
        file.write(b'{"id":"dec_half')
    captured(engine, "Use a second pool")
    leaving.away = False
    assert sorted(all_of(engine)) == ["Use a second pool", "Use one pool for all"]


@pytest.mark.parametrize(
    "op",
    [
        Decide("Use it", "Because of that.", "pools", author=BOT),
        Decide("Use it", author=BOT, supersedes=("dec_x",)),
        RecordOutcome("dec_x", "success", 1.0, author=BOT),
        GatherContext("Use one pool"),
        Get(("dec_x",)),
    ],
)
def test_what_has_to_see_the_store_fails_while_it_is_away(engine, leaving, op):
    leaving.away = True
    with pytest.raises(Unavailable):
        engine.run(op)
    assert not aside.waiting(engine.ports)


def test_a_store_that_is_only_slow_is_not_away(engine, leaving):
    leaving.away, leaving.failure = True, Busy
    with pytest.raises(Busy):
        captured(engine)
    assert not aside.waiting(engine.ports)


def test_calibrations_come_from_their_last_copy_with_its_age(engine, leaving, clock):
    for n in range(4):
        said = Decide(f"Use database number {n}", author=BOT, module="database")
        id_ = engine.run(said).decision.record.id
        engine.run(RecordOutcome(id_, "success", 0.9, author=BOT))
    known = engine.run(Calibrate("database"))
    every = engine.run(CalibrateAll())
    at = clock()
    clock.move(timedelta(hours=2))
    leaving.away = True
    copy = engine.run(Calibrate("database"))
    assert (copy.rate, copy.cached_at) == (known.rate, at)
    assert engine.run(CalibrateAll()) == replace(every, cached_at=at)
    with pytest.raises(Unavailable):
        engine.run(Calibrate("auth"))


def test_without_a_place_aside_nothing_is_queued(leaving, clock):
    with opened(leaving, clock) as plain:
        leaving.away = True
        with pytest.raises(Unavailable):
            captured(plain)
        leaving.away = False


CHILD = """
import sys
from recollect.store.memory import MemoryStore
from recollect.value import replace
from tests.engine.build import opened
from tests.engine.test_aside import Leaving, captured
from recollect.engine.ports import Ids
from recollect.testing import FixedClock
store = Leaving(MemoryStore())
store.away = True
engine = opened(store, FixedClock(), new_id=Ids(FixedClock()))
engine.ports = replace(engine.ports, governance=replace(engine.ports.governance, aside=sys.argv[1]))
for n in range(10_000):
    captured(engine, f"Use pool number {n} for it")
    print(n, flush=True)
"""


def test_every_capture_that_was_acknowledged_survives_kill_9(tmp_path):
    folder = str(tmp_path / "aside")
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, folder], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    acknowledged = [int(child.stdout.readline()) for _ in range(50)][-1]
    child.send_signal(signal.SIGKILL)
    child.wait()
    acknowledged = max([acknowledged, *map(int, child.stdout.read().split()[:-1])])
    child.stdout.close()
    with opened(STORES["sqlite"](tmp_path), FixedClock()) as engine:
        governance = replace(engine.ports.governance, aside=folder)
        engine.ports = replace(engine.ports, governance=governance)
        said = engine.run(ListDecisions(limit=1000)).decisions
        numbers = sorted(int(one.decision.statement.split()[3]) for one in said)
        assert numbers == [*range(len(numbers))]
        assert len(numbers) > acknowledged
