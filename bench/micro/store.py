"""One durable Remember against embedding its text and committing one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import words
from bench.limits import one_row, raw_model
from bench.measure import Target, milliseconds, p50, timed
from bench.stores import copied, open_store
from recollect import ops

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.measure import Figure, Plan

ATMOST = Target("ratio", at_most=1.3)


def run(plan: Plan) -> Iterator[Figure]:
    for number, records in enumerate((0, *plan.sizes)):
        with copied(records) as folder:
            yield from _measured(plan, folder, records, number)


def _measured(plan: Plan, folder: Path, records: int, series: int) -> Iterator[Figure]:
    rounds = plan.rounds(300, 40)
    texts = words.texts(3_000_000 + series, 2 * rounds + 3)
    raw = raw_model()
    times: dict[str, list[float]] = {"default": [], "none": [], "embed": [], "commit": []}
    with open_store(folder) as engine, one_row(folder) as commit:
        for text in texts[2 * rounds :]:
            engine.run(ops.Remember(text))
            raw.embed(text)
        for one, other in zip(texts[:rounds], texts[rounds : 2 * rounds], strict=True):
            times["default"].append(milliseconds(engine.run, ops.Remember(one)))
            times["embed"].append(milliseconds(raw.embed, one))
            times["commit"].append(milliseconds(commit, one))
            times["none"].append(milliseconds(engine.run, ops.Remember(other, similar=0)))
        assert engine.run(ops.Status()).counts.memories >= records + 2 * rounds
    both = [embed + commit for embed, commit in zip(times["embed"], times["commit"], strict=True)]
    detail: dict[str, object] = {
        "raw embedding": round(p50(times["embed"]), 3),
        "one-row commit": round(p50(times["commit"]), 3),
    }
    for what, name in (("Remember", "default"), ("Remember, similar=0", "none")):
        yield timed(
            "store",
            what,
            times[name],
            records=records,
            limit=p50(both),
            limit_is="raw embedding + one-row commit",
            targets=(ATMOST,),
            detail=detail,
        )
