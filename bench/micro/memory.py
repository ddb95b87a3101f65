"""The memory of a process that has the model loaded and has searched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench import words
from bench.child import start
from bench.measure import Figure, Target, load
from bench.stores import built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Plan

TARGET = Target("value", at_most=350)


def run(plan: Plan) -> Iterator[Figure]:
    recalls = plan.rounds(200, 30)
    for records in plan.sizes:
        store = built(records) / "memory.db"
        with start("resident", store, recalls) as child:
            said, _ = child.communicate("\n".join(words.queries(5, recalls)))
        assert child.returncode == 0
        found = json.loads(said.splitlines()[-1])
        after = found["after"]
        yield Figure(
            "rss",
            f"resident memory after {recalls} recalls",
            after["rss"],
            "MB",
            records,
            targets=(TARGET,) if records <= 100_000 else (),
            detail={
                "anonymous": after["anonymous"],
                "proportional": after["pss"],
                "after the first recall": found["first recall"]["rss"],
                "bare interpreter": found["before"]["rss"],
            },
            load=load(),
        )
