"""What is counted over the answers to many questions."""

from __future__ import annotations

from collections import defaultdict
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.recall.sets import Question

DEPTHS = (5, 10, 20)
DEPTH = max(DEPTHS)


def of_one(found: Sequence[str], relevant: frozenset[str]) -> dict[str, float]:
    """The figures of one question.

    >>> of_one(["a", "b"], frozenset("b"))["MRR"]
    0.5
    """
    figures: dict[str, float] = {}
    for depth in DEPTHS:
        hits = len(relevant.intersection(found[:depth]))
        figures[f"R@{depth}"] = hits / len(relevant)
        figures[f"any@{depth}"] = float(hits > 0)
        figures[f"all@{depth}"] = float(hits == len(relevant))
    gain = sum(1 / log2(at + 2) for at, one in enumerate(found[:10]) if one in relevant)
    best = sum(1 / log2(at + 2) for at in range(min(10, len(relevant))))
    figures["nDCG@10"] = gain / best
    figures["MRR"] = next((1 / at for at, one in enumerate(found, 1) if one in relevant), 0.0)
    return figures


def of_all(
    questions: Sequence[Question], answers: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """The mean of each figure: of all questions, and by category."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for question in questions:
        figures = of_one(answers[question.id], question.relevant)
        rows["all"].append(figures)
        rows[question.category].append(figures)
    return {
        category: {"questions": len(some)}
        | {name: round(sum(one[name] for one in some) / len(some), 4) for name in some[0]}
        for category, some in rows.items()
    }
