"""Many clients of one server at once, against the engine alone and against a single client.

Twice: each of 32 clients sends its next request as soon as it has its answer, so that 31 others are
always before it; and each keeps a pace at which all of them together ask for four fifths of what
the engine alone does, as people and agents do who think in between.
"""

from __future__ import annotations

import asyncio
import random
import time
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from bench import words
from bench.http import RATIO, SERVE, Client, call, served
from bench.measure import Figure, Target, load, percentile
from bench.stores import copied, open_store
from recollect import ops
from recollect.value import Value
from recollect.ways.turns import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from bench.measure import Plan
    from recollect.engine import Engine

    Pace = Callable[[int, float], AsyncIterator[float]]

CLIENTS = 32
# Of a hundred requests.
RECALLS = 70
# Of what the engine alone does.
PACED = 0.8
SINGLE = "half of the requests of a single client"


def run(plan: Plan) -> Iterator[Figure]:
    size, seconds = plan.largest, min(plan.seconds, 3) if plan.quick else plan.seconds
    with copied(size) as folder, open_store(folder) as engine:
        engine.run(ops.Recall(_said()[0][0], needs_vector=True))
        _alone(engine, 2)
        with served(SERVE, folder / "memory.db") as (port, pid):
            asyncio.run(_mixed(port, 1, 2, _at_once))
            rounds = [_round(engine, port, pid, least) for least in _lengths(seconds)]
    single, closed, paced = (
        [time for one in rounds for time in getattr(one, name)]
        for name in ("single", "closed", "paced")
    )
    half, mean, worst = percentile(single, 0.5), sum(closed) / len(closed), percentile(closed, 0.99)
    rate, alone = (
        sum(getattr(one, name) for one in rounds) / len(rounds) for name in ("rate", "alone")
    )
    yield Figure(
        "load",
        f"{CLIENTS} clients without a pause, {RECALLS} % recall and the rest new memories",
        round(rate, 1),
        "1/s",
        size,
        limit=round(alone, 1),
        limit_is=f"the engine alone, {AT_ONCE} threads, same mix",
        ratio=round(rate / alone, 3),
        targets=(RATIO,),
        rounds=len(closed),
        detail={
            "seconds": seconds,
            "alone": [round(one.alone, 1) for one in rounds],
            "rates": [round(one.rate, 1) for one in rounds],
        },
        load=load(),
    )
    yield Figure(
        "load",
        "the same: 99 of 100 requests take at most, against the mean",
        round(worst, 1),
        "ms",
        size,
        limit=round(mean, 1),
        limit_is="the mean, which is clients / throughput and no order of turns changes",
        ratio=round(worst / mean, 3),
        targets=(Target("ratio", at_most=2),),
        load=load(),
    )
    yield _against(half, "the same: 99 of 100 requests take at most", closed, size)
    what = f"{CLIENTS} clients at a pace, {PACED:.0%} of the engine alone: 99 of 100 take at most"
    yield _against(half, what, paced, size, {"single": _spread(single)})
    sizes = [kilobytes for one in rounds for kilobytes in one.sizes]
    later = sizes[len(sizes) // 3 :]
    yield Figure(
        "load",
        "memory of the server over the last two thirds, furthest from its mean",
        round(100 * max(abs(one * len(later) / sum(later) - 1) for one in later), 1),
        "%",
        size,
        targets=(Target("value", at_most=10),),
        detail={"kilobytes": sizes[:: max(1, len(sizes) // 60)]},
        load=load(),
    )


class _Round(Value):
    """What came of one turn of all: they go by turns, so that what else goes on meets all alike."""

    # Requests a second: of the engine alone, and of clients without a pause.
    alone: float
    rate: float
    # In milliseconds: of a single client, of many without a pause, of many at a pace.
    single: list[float]
    closed: list[float]
    paced: list[float]
    # Of the server without a pause, in kilobytes.
    sizes: list[int]


def _lengths(seconds: float) -> list[float]:
    many = max(1, round(seconds / 10))
    return [seconds / many] * many


def _round(engine: Engine, port: int, pid: int, seconds: float) -> _Round:
    single, _ = asyncio.run(_mixed(port, 1, seconds / 3, _at_once))
    alone = _alone(engine, seconds)
    sizes: list[int] = []
    watching = _watched(pid, sizes, seconds)
    closed, rate = asyncio.run(_mixed(port, CLIENTS, seconds, _at_once))
    watching.join()
    paced, _ = asyncio.run(_mixed(port, CLIENTS, seconds, _every(CLIENTS / (PACED * alone))))
    return _Round(alone, rate, single, closed, paced, sizes)


def _against(
    half: float,
    what: str,
    times: list[float],
    size: int,
    detail: dict[str, object] | None = None,
) -> Figure:
    worst = percentile(times, 0.99)
    return Figure(
        "load",
        what,
        round(worst, 1),
        "ms",
        size,
        limit=round(half, 2),
        limit_is=SINGLE,
        ratio=round(worst / half, 2),
        targets=(Target("ratio", at_most=10),),
        rounds=len(times),
        detail={**_spread(times), **(detail or {})},
        load=load(),
    )


def _spread(times: list[float]) -> dict[str, object]:
    shares = {"half": 0.5, "90 %": 0.9, "99 %": 0.99, "99.9 %": 0.999, "all": 1.0}
    found = {name: round(percentile(times, share), 1) for name, share in shares.items()}
    return {**found, "mean": round(sum(times) / len(times), 1)}


async def _at_once(number: int, end: float) -> AsyncIterator[float]:
    """When the requests of a client are due: as soon as there is an answer."""
    del number
    while (now := time.perf_counter()) < end:
        yield now


def _every(seconds: float) -> Pace:
    """One after so many seconds each, whether the one before was answered or not."""

    async def paced(number: int, end: float) -> AsyncIterator[float]:
        due = time.perf_counter() + random.Random(-1 - number).random() * seconds
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            yield due
            due += seconds

    return paced


async def _mixed(port: int, clients: int, seconds: float, pace: Pace) -> tuple[list[float], float]:
    """How long after it was due each request was answered, in milliseconds, and how many a second.

    Who is late because the answer before came late is late by that as well.
    """
    times: list[float] = []
    begun = time.perf_counter()
    end = begun + seconds

    async def one(number: int) -> None:
        chance = random.Random(f"{number} {clients} {begun}")
        async with Client(port) as client:
            async for due in pace(number, end):
                answer = await client.ask(_body(chance))
                times.append((time.perf_counter() - due) * 1e3)
                assert b'"isError":false' in answer, answer[:500]

    await asyncio.gather(*(one(number) for number in range(clients)))
    return times, len(times) / (time.perf_counter() - begun)


@cache
def _said() -> tuple[list[str], list[str]]:
    """Questions, and texts that no store of ours has."""
    return words.queries(7, 2000), words.texts(7_000_000, 2000)


def _body(chance: random.Random) -> bytes:
    queries, texts = _said()
    if chance.randrange(100) < RECALLS:
        return call("recall", query=chance.choice(queries), limit=10)
    return call("store_memory", content=f"{chance.choice(texts)} {chance.random()}")


def _alone(engine: Engine, seconds: float) -> float:
    """The same mix by as many threads as the server gives turns at once, without a server."""
    done = [0] * AT_ONCE
    queries, texts = _said()
    begun = time.perf_counter()

    def work(number: int) -> None:
        chance = random.Random(f"{number} {begun}")
        while time.perf_counter() < begun + seconds:
            if chance.randrange(100) < RECALLS:
                engine.run(ops.Recall(chance.choice(queries)))
            else:
                engine.run(ops.Remember(f"{chance.choice(texts)} {chance.random()}"))
            done[number] += 1

    threads = [Thread(target=work, args=(number,)) for number in range(len(done))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - begun)


def _watched(pid: int, sizes: list[int], seconds: float) -> Thread:
    """Writes down how large a process is, ten times a second."""

    def watch() -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            found = next(line for line in status.splitlines() if line.startswith("VmRSS"))
            sizes.append(int(found.split()[1]))
            time.sleep(0.1)

    thread = Thread(target=watch)
    thread.start()
    return thread
