"""How long commands take, against the interpreter that does nothing.

They run from byte code, as they do wherever a package was installed.
"""

from __future__ import annotations

import compileall
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import recollect
from bench import words
from bench.measure import Target, milliseconds, p50, timed
from bench.stores import copied, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Figure, Plan

COMMAND = str(Path(sys.executable).with_name("recollect"))
VERSION = (Target("ratio", at_most=2),)
GET = (Target("ratio", at_most=4),)
RECALL = (Target("value", at_most=1_000),)


def run(plan: Plan) -> Iterator[Figure]:
    records, rounds = plan.largest, plan.rounds(30, 5)
    compileall.compile_dir(Path(recollect.__file__).parent, quiet=1)
    with copied(records) as folder:
        store = str(folder / "memory.db")
        bare = [sys.executable, "-c", "pass"]
        ways = {"recollect --version": ([COMMAND, "--version"], VERSION)}
        times: dict[str, list[float]] = {"bare": []}
        id_ = _some_id(store)
        if id_ is None:
            say("the command line is not complete yet: get and recall are left out")
        else:
            ways["recollect get"] = ([COMMAND, "--store", store, "get", id_], GET)
        for _ in range(rounds + 1):
            times["bare"].append(_took(bare))
            for name, (command, _) in ways.items():
                times.setdefault(name, []).append(_took(command))
        limit = p50(times["bare"][1:])
        yield timed("start", "bare interpreter", times["bare"][1:])
        for name, (_, targets) in ways.items():
            yield timed(
                "start",
                name,
                times[name][1:],
                records=records if "get" in name else None,
                limit=limit,
                limit_is="bare interpreter",
                targets=targets,
                detail={"first run": round(times[name][0], 1)},
            )
        if id_ is not None:
            yield _recall(store, records, rounds, limit)


def _recall(store: str, records: int, rounds: int, limit: float) -> Figure:
    asked = words.queries(6, rounds + 1)
    times = [_took([COMMAND, "--store", store, "recall", query]) for query in asked]
    return timed(
        "start",
        "recollect recall, the model included",
        times[1:],
        records=records,
        limit=limit,
        limit_is="bare interpreter",
        targets=RECALL,
        detail={"first run": round(times[0], 1)},
    )


def _some_id(store: str) -> str | None:
    """The id of a record, as the command line lists it; None while it cannot."""
    command = [COMMAND, "--store", store, "list", "--limit", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    listed = json.loads(done.stdout)
    records = listed["records"] if isinstance(listed, dict) else listed
    return str(records[0]["id"])


def _took(command: list[str]) -> float:
    return milliseconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
