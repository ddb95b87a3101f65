"""Writes the tables of docs/benchmarks.md from the results of `make bench`; cog calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "micro"
# Each with the heading of its table, in the order of the page.
BENCHMARKS = {
    "limits": "The machine",
    "store": "Remember",
    "recall": "Recall",
    "vector": "Search by vector",
    "bulk": "Many at once",
    "open": "Open",
    "rss": "Memory",
    "bytes": "Disk",
    "start": "Commands",
    "wire": "Over MCP on standard input and output",
    "http": "Over HTTP",
    "load": "Many clients over HTTP",
    "writers": "Sixteen writers",
    "kill": "Killed at any moment",
}
HEADING = "| | records | p50 | p99 | limit | of the limit | target | |"

Figure = dict[str, Any]


def runs() -> list[Figure]:
    """Every run on record, oldest first."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def newest(found: list[Figure]) -> dict[str, list[Figure]]:
    """By benchmark: each figure as it was measured last, with the commit of its run.

    >>> one = {"benchmark": "open", "what": "it", "value": 1}
    >>> two = {**one, "value": 2}
    >>> newest([{"commit": "a", "figures": [one]}, {"commit": "b", "figures": [two]}])
    {'open': [{'benchmark': 'open', 'what': 'it', 'value': 2, 'commit': 'b'}]}
    """
    latest: dict[tuple[str, str, int | None, str], Figure] = {}
    for run in found:
        for figure in run["figures"]:
            said = (figure["benchmark"], figure["what"], figure.get("records"))
            latest[*said, figure.get("limit_is", "")] = {**figure, "commit": run["commit"]}
    by_name = {
        name: [figure for figure in latest.values() if figure["benchmark"] == name]
        for name in BENCHMARKS
    }
    return {name: figures for name, figures in by_name.items() if figures}


def tables() -> str:
    """Every table of the page."""
    return "\n\n".join(
        f"## {BENCHMARKS[name]}\n\n{_table(figures)}" for name, figures in newest(runs()).items()
    )


def setting() -> str:
    """What the newest run was made on and with."""
    run = runs()[-1]
    machine, versions = run["machine"], dict(run["versions"])
    python = versions.pop("python")
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{machine['processor']}, {machine['cores']} cores that others use at the same time,"
        f" {machine['memory GB']} GB; {machine['system']}, Python {python}; {named}; the model is"
        f" {run['model']}; durability {run['configuration']['durability']}."
    )


def _table(figures: list[Figure]) -> str:
    ordered = sorted(figures, key=lambda f: f.get("records", 0))
    rows = ["| " + " | ".join(_cells(figure)) + " |" for figure in ordered]
    return "\n".join([HEADING, "|---|--:|--:|--:|--:|--:|--:|---|", *rows])


def _cells(figure: Figure) -> list[str]:
    limit = ""
    if "limit" in figure:
        limit = f"{_number(figure['limit'])} ({figure['limit_is']})"
    records = f"{figure['records']:,}" if "records" in figure else ""
    return [
        figure["what"],
        records,
        f"{_number(figure['value'])} {figure['unit']}",
        _number(figure["p99"]) if "p99" in figure else "",
        limit,
        f"{figure['ratio']:.2f}" if "ratio" in figure else "",
        "; ".join(map(_target, figure.get("targets", []))),
        _verdict(figure),
    ]


def _number(value: float) -> str:
    """As many digits as say something.

    >>> _number(1234.5), _number(12.34), _number(0.9987), _number(3)
    ('1,234', '12.3', '0.999', '3')
    """
    if isinstance(value, int) or value >= 1_000:  # noqa: PLR2004 -- no decimals from here on
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _target(target: Figure) -> str:
    of = {"value": "p50", "p99": "p99", "ratio": "ratio"}[target["of"]]
    if "at_most" in target:
        return f"{of} ≤ {target['at_most']:,}"
    return f"{of} ≥ {target['at_least']:,}"


def _verdict(figure: Figure) -> str:
    targets = figure.get("targets", [])
    if not targets:
        return ""
    return "met" if all(_met(figure[t["of"]], t) for t in targets) else "**missed**"


def _met(number: float, target: Figure) -> bool:
    low = "at_least" not in target or number >= target["at_least"]
    return bool(low and ("at_most" not in target or number <= target["at_most"]))
