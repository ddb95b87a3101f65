"""From nothing to the answer of a search by words."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, cast

from bench import words
from bench.child import asked
from bench.measure import Target, p50, timed
from bench.stores import built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Figure, Plan

TARGET = Target("value", at_most=100)


def run(plan: Plan) -> Iterator[Figure]:
    rounds = plan.rounds(20, 5)
    for records in plan.sizes:
        store = str(built(records) / "memory.db")
        whole, said = [], []
        for query in words.queries(4, rounds + 1):
            begun = perf_counter()
            said.append(asked("answer", store, query))
            whole.append((perf_counter() - begun) * 1e3)
        if sum(bool(one["hits"]) for one in said) <= rounds // 2:
            raise SystemExit("Most of the queries found nothing, so their times say nothing.")
        yield timed(
            "open",
            "a new process: import, open, search by words",
            [one["inside"] for one in said[1:]],
            records=records,
            targets=(TARGET,),
            detail={
                "import and open": round(p50([one["opened"] for one in said]), 1),
                "NumPy was needed": said[0]["imported numpy"],
            },
        )
        what = "the same, interpreter's start and end included"
        yield timed("open", what, whole[1:], records=records)
        again = cast("dict[str, list[float]]", asked("reopen", store, rounds))
        yield timed(
            "open",
            "a warm process: open, search by words",
            again["times"],
            records=records,
            targets=(TARGET,),
            detail={"open": round(p50(again["opens"]), 2)},
        )
