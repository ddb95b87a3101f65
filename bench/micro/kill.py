"""kill -9 at random moments: whatever was acknowledged is there, and all of it agrees."""

from __future__ import annotations

import json
import random
import time
from typing import TYPE_CHECKING

from bench import words
from bench.child import start
from bench.measure import Figure, Target, load
from bench.stores import copied, open_store, say
from recollect import ops
from tests.store.sqlite import killing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.measure import Plan
    from recollect.engine import Engine
    from recollect.model import Record

NONE = Target("value", at_most=0)
# So many rounds in one store: it is checked whole after each, so it should not grow for ever.
IN_ONE = 20
LONGEST = 0.35


def run(plan: Plan) -> Iterator[Figure]:
    rounds = plan.rounds(200, 8)
    yield _of_engine(rounds)
    yield _of_store(rounds)


def _of_store(rounds: int) -> Figure:
    """The same below the engine, as the tests do it, with edges, history and deletions."""
    chance = random.Random(words.GENERATOR)
    acknowledged = 0
    wrong: list[str] = []
    for first in range(0, rounds, IN_ONE):
        with copied(0) as folder:
            count = min(IN_ONE, rounds - first)
            said, found = killing.rounds(folder / "memory.db", chance, count)
            acknowledged += said
            wrong += found
    return Figure(
        "kill",
        f"the store alone, kill -9, {rounds} times: whatever is wrong after it",
        len(wrong),
        "faults",
        targets=(NONE,),
        rounds=rounds,
        detail={"acknowledged": acknowledged, "wrong": wrong[:5]},
        load=load(),
    )


def _of_engine(rounds: int) -> Figure:
    chance = random.Random(words.GENERATOR)
    acknowledged = lost = unsound = 0
    for first in range(0, rounds, IN_ONE):
        with copied(0) as folder:
            for number in range(first, min(first + IN_ONE, rounds)):
                said = _killed(folder, number, chance.uniform(0, LONGEST))
                acknowledged += len(said)
                with open_store(folder, embedding="hash") as engine:
                    lost += _lost(engine, said)
                    problems = engine.run(ops.Verify()).problems
                unsound += bool(problems)
                for problem in problems:
                    say(f"round {number}: {problem.what}: {problem.where}")
    return Figure(
        "kill",
        f"kill -9, {rounds} times: acknowledged writes lost, or rounds that left a fault",
        lost + unsound,
        "writes",
        targets=(NONE,),
        rounds=rounds,
        detail={"acknowledged": acknowledged, "lost": lost, "unsound": unsound},
        load=load(),
    )


def _killed(folder: Path, number: int, after: float) -> list[tuple[str, str, str]]:
    """What a writer had acknowledged when it was killed."""
    with start("write_until_killed", folder / "memory.db", number) as child:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        time.sleep(after)
        child.kill()
        said, _ = child.communicate()
    # The last line may be half of one; then its write may or may not be acknowledged.
    lines = said.split("\n")[:-1]
    return [tuple(json.loads(line)) for line in lines]


def _lost(engine: Engine, said: list[tuple[str, str, str]]) -> int:
    """How many are missing, are not as they were said to be, or cannot be found."""
    texts = {id_: text for id_, text, _ in said}
    old = {id_: by for by, _, id_ in said if id_}
    ids = tuple(texts)
    found: dict[str, Record] = {}
    for at in range(0, len(ids), 1_000):
        found |= {r.id: r for r in engine.run(ops.Get(ids[at : at + 1_000])).records}
    right = [
        id_ in found
        and found[id_].text == text
        and (id_ not in old or found[id_].superseded_by == old[id_])
        for id_, text in texts.items()
    ]
    # The last one that is still current is what a search for it finds first.
    current = [id_ for id_ in ids if id_ in found and not found[id_].superseded_by]
    if current:
        hits = engine.run(ops.Recall(texts[current[-1]], fold=False)).hits
        right.append(current[-1] in {hit.record.id for hit in hits})
    return right.count(False)
