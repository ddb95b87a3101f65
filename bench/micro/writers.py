"""Sixteen processes that write at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench.child import start
from bench.measure import Figure, Target, load, percentile
from bench.stores import copied, open_store
from recollect import ops

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.measure import Plan

PROCESSES = 16
LOST = Target("value", at_most=0)


def run(plan: Plan) -> Iterator[Figure]:
    for provider, count in (("hash", plan.rounds(500, 40)), ("bundled", plan.rounds(25, 4))):
        with copied(0) as folder:
            yield from _measured(folder, provider, count)


def _measured(folder: Path, provider: str, count: int) -> Iterator[Figure]:
    store = folder / "memory.db"
    with open_store(folder, embedding=provider) as engine:
        engine.run(ops.Remember("The first of all."))
    children = [start("write", store, provider, who, count) for who in range(PROCESSES)]
    for child in children:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [json.loads(child.communicate()[0].splitlines()[-1]) for child in children]
    assert not any(child.returncode for child in children)
    ids = [id_ for one in said for id_ in one["ids"]]
    errors = [error for one in said for error in one["errors"]]
    with open_store(folder, embedding=provider) as engine:
        parts = [tuple(ids[at : at + 1_000]) for at in range(0, len(ids), 1_000)]
        found = {r.id for part in parts for r in engine.run(ops.Get(part)).records}
        problems = engine.run(ops.Verify()).problems
    lost = len(set(ids) - found)
    seconds = [one["seconds"] for one in said]
    times = [time for one in said for time in one["times"]]
    who = f"{PROCESSES} processes, {count} writes each, {provider} embedder"
    yield Figure(
        "writers",
        f"{who}: lost, failed or unsound",
        lost + len(errors) + len(problems) + (PROCESSES * count - len(ids) - len(errors)),
        "writes",
        targets=(LOST,),
        detail={"acknowledged": len(ids), "errors": errors[:5], "problems": len(problems)},
        load=load(),
    )
    yield Figure(
        "writers",
        f"{who}: throughput",
        round(len(ids) / max(seconds)),
        "writes/s",
        detail={
            "slowest process / fastest": round(max(seconds) / min(seconds), 2),
            "one write p50 ms": round(percentile(times, 0.5), 1),
            "one write p99 ms": round(percentile(times, 0.99), 1),
            "one write at most ms": round(max(times), 1),
            "seconds": round(max(seconds), 1),
        },
        load=load(),
    )
