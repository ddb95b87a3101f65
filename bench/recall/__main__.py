"""The benchmarks of finding: `python -m bench.recall [SET ...]`, or `make bench-recall`.

Each set of `RECOLLECT_BENCH_DATA` is stored and asked through the public API, one store for each
group and once more with all groups in one. Results go to bench/results/recall, one file a run.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from bench.__main__ import PACKAGES, machine, model, repository, sqlite
from bench.measure import load, percentile
from bench.recall import facts, sets
from bench.recall.metrics import of_all
from bench.recall.ways import BASELINES, recollect

if TYPE_CHECKING:
    from bench.recall.ways import Answers

RESULTS = Path(__file__).parents[1] / "results" / "recall"
SITUATED, PAIRS = "situatedqa", "stsb_dev"
SHOWN = ("R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")


def main() -> int:
    asked = _arguments()
    begun, first_load = datetime.now(UTC), load()
    found: dict[str, object] = {"sets": {}, "changes": {}, "pairs": {}}
    runs: dict[str, object] = {}
    for name in asked.sets or sets.there():
        for pooled in (False, True):
            given = sets.load(name, pooled=pooled)
            # Without groups, both modes are the same.
            if pooled or len(given.documents) > 1:
                runs[given.name] = _set(given, asked.groups, baselines=not asked.alone)
    found["sets"] = runs
    if not asked.sets and _there(f"{SITUATED}.facts"):
        found["changes"] = {SITUATED: facts.as_of(SITUATED)}
        print(SITUATED, found["changes"])
    if not asked.sets and _there(PAIRS):
        found["pairs"] = {PAIRS: facts.near_duplicates(PAIRS)}
        print(PAIRS, found["pairs"])
    if not asked.no_file:
        path = _write(found, begun, first_load)
        print(f"Written to {path}. `make docs` brings docs/benchmarks.md up to date.")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="all of the folder where none is")
    parser.add_argument("--groups", type=int, help="only so many groups of each set, for a look")
    parser.add_argument("--alone", action="store_true", help="without the baselines")
    parser.add_argument("--no-file", action="store_true", help="print only")
    asked = parser.parse_args()
    if unknown := [name for name in asked.sets if name not in sets.there()]:
        parser.error(f"there is no set {', '.join(unknown)} in {sets.FOLDER}")
    if (asked.groups or asked.alone) and not asked.no_file:
        parser.error("what is not a whole run leaves no file; say --no-file too")
    return asked


def _there(name: str) -> bool:
    return bool(list(sets.FOLDER.glob(f"{name}.jsonl*")))


def _set(given: sets.Set, most: int | None, *, baselines: bool) -> dict[str, object]:
    groups = [group for group in given.documents if given.questions.get(group)][:most]
    times: list[float] = []
    ways: dict[str, Answers] = {"recollect": {}}
    for group in groups:
        documents, questions = given.documents[group], given.questions[group]
        ways["recollect"] |= recollect(documents, questions, times)
        for name, way in BASELINES.items() if baselines else ():
            ways[name] = ways.get(name, {}) | way(documents, questions)
    asked = [question for group in groups for question in given.questions[group]]
    figures = {name: of_all(asked, answers) for name, answers in ways.items()}
    latency = {share: round(percentile(times, q), 2) for share, q in (("p50", 0.5), ("p99", 0.99))}
    _print(given.name, figures, latency)
    changed = {} if most else facts.newest_first(given, ways["recollect"])
    if changed:
        print("  ", changed)
    return {
        "digest": given.digest,
        "stores": len(groups),
        "documents": given.size,
        "questions": len(asked),
        "figures": figures,
        "milliseconds": latency | {"load": load()},
        "newest first": changed,
    }


def _print(
    name: str, figures: dict[str, dict[str, dict[str, float]]], latency: dict[str, float]
) -> None:
    print(f"{name}: p50 {latency['p50']} ms, p99 {latency['p99']} ms, load {load()}")
    print(f"  {'':34}", *(f"{figure:>8}" for figure in SHOWN))
    for way, by_category in figures.items():
        for category, row in by_category.items():
            if way == "recollect" or category == "all":
                label = f"{way}, {category} ({row['questions']:.0f})"
                print(f"  {label:34}", *(f"{row[figure]:8.4f}" for figure in SHOWN), flush=True)


def _write(found: dict[str, object], begun: datetime, first_load: float) -> Path:
    commit, changed = repository()
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{begun:%Y-%m-%dT%H%M%S}-{commit}.json"
    told = {
        "at": begun.isoformat(timespec="seconds"),
        "commit": commit,
        "changed": changed,
        "machine": machine(),
        "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}}
        | {"sqlite": sqlite()},
        "model": model(),
        "load": [first_load, load()],
        **found,
    }
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
