"""Writes the part of docs/benchmarks.md on finding, from `make bench-recall`; cog calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "recall"
PEERS = Path(__file__).parent.parent / "bench" / "data" / "peers.json"
FIGURES = ("R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")
WAYS = {
    "recollect": "**Recollect**",
    "BM25": "BM25 alone (FTS5, Porter)",
    "vectors": "vectors alone",
    "grep": "grep",
}
# By set: what is asked of it, each as a figure of all its questions.
TARGETS = {
    "locomo": {"R@10": 0.80, "R@5": 0.72},
    "longmemeval_pool, pooled": {"R@5": 0.80, "any@5": 0.90},
}

Run = dict[str, Any]


def newest() -> Run:
    """The last run on record."""
    run: Run = json.loads(max(RESULTS.glob("*.json")).read_text("utf-8"))
    return run


def setting() -> str:
    """What that run was made on and with."""
    run = newest()
    machine = run["machine"]
    changed = ", with changes" if run["changed"] else ""
    return (
        f"Measured at commit {run['commit']}{changed}, on {machine['processor']},"
        f" {machine['cores']} cores that others use at the same time (load {run['load'][0]} before,"
        f" {run['load'][1]} after); the model is {run['model']}."
    )


def tables() -> str:
    """One part for each set."""
    run = newest()
    parts = [_set(name, found) for name, found in run["sets"].items()]
    return "\n\n".join([*parts, _time(run)])


def _set(name: str, found: Run) -> str:
    head = (
        f"### {name}\n\n{found['documents']:,} documents in {_many(found['stores'], 'store')},"
        f" {found['questions']:,} questions. Latency with the embedding of the question: p50"
        f" {found['milliseconds']['p50']} ms, p99 {found['milliseconds']['p99']} ms (load"
        f" {found['milliseconds']['load']})."
    )
    whole = [_row(WAYS[way], rows["all"]) for way, rows in found["figures"].items()]
    ours = found["figures"]["recollect"]
    parts = [_row(f"of it, {c}", row) for c, row in sorted(ours.items()) if c != "all"]
    return "\n\n".join([head, "\n".join([*_heading(), *whole, *parts]), *_targets(name, ours)])


def _heading() -> tuple[str, str]:
    return (
        f"| | questions | {' | '.join(FIGURES)} |",
        f"|---|--:|{'--:|' * len(FIGURES)}",
    )


def _row(label: str, row: Run) -> str:
    cells = [f"{row[figure]:.3f}".lstrip("0") or "0" for figure in FIGURES]
    return f"| {label} | {row['questions']} | {' | '.join(cells)} |"


def _targets(name: str, ours: Run) -> list[str]:
    said = [_verdict(figure, ours["all"][figure], at_least) for figure, at_least in
            TARGETS.get(name, {}).items()]  # fmt: skip
    return [f"Asked for: {'; '.join(said)}."] if said else []


def _verdict(figure: str, value: float, at_least: float) -> str:
    met = "met" if value >= at_least else "**missed**"
    return f"{figure} of {at_least} or more: {value:.3f}, {met}"


def _time(run: Run) -> str:
    lines = ["### Time and near duplicates", ""]
    for name, found in run["changes"].items():
        verdict = _verdict("share", found["as of then"], 0.99)
        lines.append(
            f"- {name}: {found['facts']} facts that replace each other, {found['questions']}"
            f" questions for what held in a year. The first hit is right: {verdict}. Answering with"
            f" what holds now would be right for {found['latest only']:.3f}."
        )
    for name, found in run["sets"].items():
        if order := found["newest first"]:
            verdict = _verdict("share", order["newest first"], 0.85)
            lines.append(
                f"- {name}: {order['questions']} questions about what has changed, with an older"
                f" and a newer statement in memory. The newest stands first: {verdict}."
            )
    for name, found in run["pairs"].items():
        verdict = _verdict("Spearman's correlation", found["Spearman"], 0.82)
        lines.append(f"- {name}: {found['pairs']} pairs of sentences judged by people: {verdict}.")
    return "\n".join(lines)


def lost() -> str:
    """Where another way of finding is better, or where less was found than was asked for."""
    lines = []
    for name, found in newest()["sets"].items():
        ours = found["figures"]["recollect"]
        for way, rows in found["figures"].items():
            for category in ours:
                theirs, own = rows[category]["R@5"], ours[category]["R@5"]
                if theirs > own:
                    lines.append(
                        f"- {name}, {category}: R@5 {own:.3f}, and {theirs:.3f} by {_plain(way)}."
                    )
        lines += [
            f"- {name}: {figure} {ours['all'][figure]:.3f}, and {at_least} was asked for."
            for figure, at_least in TARGETS.get(name, {}).items()
            if ours["all"][figure] < at_least
        ]
    return "\n".join(lines) or "Nowhere, in these sets."


def peers() -> str:
    """What others reach, where it was measured the same way, and what they say of themselves."""
    told = json.loads(PEERS.read_text("utf-8"))
    same, figure = told["measured"], told["measured"]["figure"]
    own = newest()["sets"][same["set"]]["figures"]["recollect"]["all"][figure]
    rows = [f"| {name} | {value:.3f} |" for name, value in same["systems"].items()]
    said = ["| | says | where | comparable |", "|---|---|---|---|"]
    said += [f"| {' | '.join(row)} |" for row in told["published"]]
    head = [f"| {same['set']} | {figure} |", "|---|--:|", f"| **Recollect**, five | {own:.3f} |"]
    return "\n".join([same["how"], "", *head, *rows, "", *said])


def _plain(way: str) -> str:
    return WAYS[way].strip("*")


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
