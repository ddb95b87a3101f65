"""Writes the part of docs/benchmarks.md on code, from `make bench-code`; cog calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "code"
TITLES = {
    "speed": "Indexing the standard library of the running Python, without its tests",
    "latency": "Searching many pieces that all have vectors, each query embedded anew",
    "branch": "Another branch of ten thousand files under watch",
    "quality": "Docstrings that ask for their functions, changelogs that ask for files",
    "questions": "Questions as people ask them about repositories in fifteen languages",
}
# By stage and figure: what is asked for, at most or else at least.
TARGETS: dict[str, dict[str, tuple[str, float]]] = {
    "speed": {
        "cold, s": ("≤", 40),
        "first files found, s": ("≤", 3),
        "nothing changed, s": ("≤", 1.5),
        "one file changed, ms (median)": ("≤", 300),
        "one file saved under watch, ms (median)": ("≤", 2_000),
    },
    "latency": {"p50, ms": ("≤", 12)},
    "branch": {"lost or stale": ("≤", 0), "rounds": ("≤", 1)},
    "quality": {
        "MRR@10, times that of windows": ("≥", 1.3),
        "files: recall@5, times that of windows": ("≥", 1.15),
    },
    "questions": {},
}

Run = dict[str, Any]


def tables() -> str:
    """One part for each stage, as it was measured last."""
    newest: dict[str, tuple[Run, Run]] = {}
    for path in sorted(RESULTS.glob("*.json")):
        run: Run = json.loads(path.read_text("utf-8"))
        newest |= {stage: (run, found) for stage, found in run["figures"].items()}
    parts = [_part(stage, *newest[stage]) for stage in TITLES if stage in newest]
    return "\n\n".join(parts)


def _part(stage: str, run: Run, found: Run) -> str:
    commit, changed = run["repository"]
    machine = run["machine"]
    head = (
        f"### {TITLES[stage]}\n\nAt commit {commit}{', with changes' if changed else ''}, on"
        f" {machine['processor']}, {machine['cores']} cores that others use at the same time (load"
        f" {found['load']}).\n\n| | figure | asked for | |\n|---|--:|--:|---|"
    )
    rows = [_row(stage, name, value) for name, value in found.items() if name != "load"]
    return "\n".join([head, *rows])


def _row(stage: str, name: str, value: Any) -> str:  # noqa: ANN401 -- what a stage found
    shown = " and ".join(map(str, value)) if isinstance(value, list) else f"{value:,}"
    target = TARGETS[stage].get(name)
    if target is None:
        return f"| {name} | {shown} | | |"
    sign, bound = target
    met = value <= bound if sign == "≤" else value >= bound
    return f"| {name} | {shown} | {sign} {bound:g} | {'met' if met else '**missed**'} |"
