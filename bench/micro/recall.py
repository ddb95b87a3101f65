"""Recall from the question's text to the hits, and where the time goes."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from bench import words
from bench.limits import DIMENSIONS, bandwidth, raw_model
from bench.measure import Target, milliseconds, p50, timed
from bench.stores import built, open_store
from recollect import ops
from recollect.config import Config
from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.engine import Engine
from recollect.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.measure import Figure, Plan

LARGEST = 100_000
TARGETS = (Target("value", at_most=8), Target("p99", at_most=40))
OF_A_MILLION = (Target("value", at_most=40),)
PASSES = 3


def run(plan: Plan) -> Iterator[Figure]:
    for records in plan.sizes:
        folder = built(records)
        yield _measured(plan, folder, records)
        if plan.stages:
            yield from _stages(plan, folder, records)


def _measured(plan: Plan, folder: Path, records: int) -> Figure:
    asked = words.queries(10 + records, plan.rounds(1_000, 100) + 20)
    raw = raw_model()
    whole: list[float] = []
    alone: list[float] = []
    found = 0
    with open_store(folder) as engine:
        for query in asked[:20]:
            engine.run(ops.Recall(query))
            raw.query(query)
        for query in asked[20:]:
            begun = perf_counter()
            answer = engine.run(ops.Recall(query))
            whole.append((perf_counter() - begun) * 1e3)
            alone.append(milliseconds(raw.query, query))
            assert answer.semantic
            found += len(answer.hits)
    scan = records * DIMENSIONS / bandwidth()
    return timed(
        "recall",
        "Recall",
        whole,
        records=records,
        limit=p50(alone) + scan,
        limit_is="raw embedding + reading the codes once",
        targets=OF_A_MILLION if records > LARGEST else TARGETS,
        detail={
            "raw embedding": round(p50(alone), 3),
            "reading the codes": round(scan, 3),
            "p90": round(sorted(whole)[int(len(whole) * 0.9)], 3),
            "hits per query": round(found / len(whole), 2),
        },
    )


class Clocked:
    """Anything, with the time that its methods take added up by name."""

    def __init__(self, inner: object, spent: dict[str, float]) -> None:
        self._inner = inner
        self._spent = spent

    def __getattr__(self, name: str) -> object:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def clocked(*args: object, **named: object) -> object:
            begun = perf_counter()
            try:
                return found(*args, **named)
            finally:
                self._spent[name] += (perf_counter() - begun) * 1e3

        return clocked


class ClockedStore:
    """A store whose snapshots are clocked."""

    def __init__(self, inner: SqliteStore, spent: dict[str, float]) -> None:
        self._inner = inner
        self._spent = spent
        self.close = inner.close

    @contextmanager
    def reading(self) -> Iterator[object]:
        begun = perf_counter()
        with self._inner.reading() as reader:
            self._spent["snapshot"] += (perf_counter() - begun) * 1e3
            yield Clocked(reader, self._spent)


def _stages(plan: Plan, folder: Path, records: int) -> Iterator[Figure]:
    asked = words.queries(11 + records, plan.rounds(400, 60) + 20)
    spent: dict[str, float] = defaultdict(float)
    rows: dict[str, list[float]] = defaultdict(list)
    config = Config(store=str(folder / "memory.db"))
    store = ClockedStore(SqliteStore.open(config.store), spent)
    embedder = Clocked(open_embedder(EmbedSettings()), spent)
    with Engine(store, lambda: embedder) as engine:  # type: ignore[arg-type, return-value]
        for number, query in enumerate(asked):
            spent.clear()
            whole = milliseconds(engine.run, ops.Recall(query))
            if number < 20:
                continue
            for name, time in spent.items():
                rows[name].append(time)
            rows["everything else"].append(whole - sum(spent.values()))
    for name, times in sorted(rows.items(), key=lambda row: -p50(row[1])):
        yield timed("recall", f"Recall, stage `{name}`", times, records=records)
