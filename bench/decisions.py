"""How long decisions take: their context, an outcome with its recalculation, and mining.

Run it as `python -m bench.decisions`; it needs a quiet machine. `--size` says how many decisions.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config import load
from recollect.decisions import Decide
from recollect.decisions.measured import Depth, GatherContext, Mine, RecordOutcome
from recollect.engine.ports import prefix_of
from recollect.model import Author, AuthorKind, Edge, Entry, Kind, Link, Plan, Record, Scope
from recollect.rules.decide import record, written
from recollect.wiring import open_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.engine import Engine
    from recollect.model import Sense

DOMAINS = ("database", "auth", "api", "frontend", "backend", "infra")
THINGS = ("PostgreSQL", "Redis", "OAuth", "GraphQL", "React", "Kafka", "Terraform", "SQLite")
PLACES = ("billing", "orders", "search", "users", "reports", "mail", "stock", "audit")
WAYS = ("behind a flag", "in one step", "with a fallback", "after a benchmark", "without tests")
LESSONS = (
    "Set up connection pooling early",
    "Benchmark the alternatives first",
    "Test migrations on a copy of the data",
    "Roll out behind a feature flag",
    "Write the runbook before the release",
)
BOT = Author(AuthorKind.AGENT, "bench")
START = datetime(2025, 1, 1, tzinfo=UTC)
AT_ONCE = 1_000


def filled(engine: Engine, size: int, *, outcomes: bool) -> list[str]:
    """Decisions, and what came of them, each with its vector; their ids."""
    chance = random.Random(7)
    said = [
        f"Use {chance.choice(THINGS)} for {chance.choice(PLACES)} {chance.choice(WAYS)},"
        f" case {place % 400}"
        for place in range(size)
    ]
    with engine.ports.store.reading() as reader:
        model = engine.ports.semantics.target(reader)
    texts = sorted({*said, *LESSONS})
    made = engine.ports.semantics.senses(model, texts)
    assert made is not None
    senses = dict(zip(texts, made, strict=True))
    ids: list[str] = []
    for start in range(0, size, AT_ONCE):
        ids += _some(engine, said[start : start + AT_ONCE], senses, chance, outcomes=outcomes)
    return ids


def _some(
    engine: Engine,
    said: list[str],
    senses: dict[str, Sense],
    chance: random.Random,
    *,
    outcomes: bool,
) -> list[str]:
    ports = engine.ports
    decided, came, links = [], [], []
    for place, text in enumerate(said):
        at = START + timedelta(minutes=place)
        op = Decide(text, alternatives=("nothing",), confidence=0.8, author=BOT)
        new = record(op, ports.new_id(prefix_of(Kind.DECISION)), chance.choice(DOMAINS), at)
        decided.append(Entry(new, *senses[text]))
        if outcomes:
            lesson, score = chance.choice(LESSONS), chance.betavariate(4, 2)
            other = Record(
                id=ports.new_id(prefix_of(Kind.OUTCOME)),
                kind=Kind.OUTCOME,
                scope=Scope(),
                author=BOT,
                text=lesson,
                created_at=at,
                updated_at=at,
                event_time=at,
                valid_from=at,
                type=new.type,
                key=new.id,
                status="success" if score > 0.5 else "failure",
                confidence=score,
                facts=written({"stated": 0.8, "lessons": [lesson]}),
            )
            came.append(Entry(other, *senses[lesson]))
            links.append(Edge(other.id, Link.OUTCOME_OF, new.id, at, at))
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        tx.apply(Plan("fill", BOT, START, insert=(*decided, *came), link=tuple(links)))
    return [entry.record.id for entry in decided]


def timed(work: Callable[[int], object], times: int) -> list[float]:
    """Milliseconds of each."""
    found = []
    for place in range(times):
        start = time.perf_counter()
        work(place)
        found.append((time.perf_counter() - start) * 1000)
    return found


def told(name: str, found: list[float], most: float) -> None:
    """One line of the table."""
    half = statistics.median(found)
    worst = sorted(found)[int(len(found) * 0.95) - 1]
    print(f"{name:<44} {half:8.1f} {worst:8.1f} {most:8.0f}")


def main() -> None:
    """Fill a store and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=100)
    args = parser.parse_args()
    print(f"{'milliseconds':<44} {'p50':>8} {'p95':>8} {'most':>8}")
    with tempfile.TemporaryDirectory() as folder:
        config = load({"store": str(Path(folder) / "memory.db")}, {})
        with open_engine(config) as engine:
            ids = filled(engine, args.size, outcomes=True)
            start = time.perf_counter()
            mined = engine.run(Mine())
            first = (time.perf_counter() - start) * 1000
            engine.settle()
            for depth in Depth:
                found = timed(
                    lambda place, depth=depth: engine.run(
                        GatherContext(
                            f"Use {THINGS[place % 8]} for the new thing {place}",
                            DOMAINS[place % 6],
                            0.8,
                            depth,
                        )
                    ),
                    args.times,
                )
                told(f"get_decision_context, {depth}", found, 25)
            found = timed(
                lambda place: engine.run(
                    RecordOutcome(
                        ids[place * 7], "success", 0.9, author=BOT, lessons=(LESSONS[place % 5],)
                    )
                ),
                args.times,
            )
            told("record_outcome, known lesson", found, 15)
            told(f"mine {mined.outcomes} outcomes ({len(mined.made)} lessons)", [first], 10_000)
            again = timed(lambda _: engine.run(Mine()), 1)
            told(f"mine {args.times} more", again, 10_000)


if __name__ == "__main__":
    main()
