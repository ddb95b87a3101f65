"""How good a list of files is: normalised discounted cumulative gain, each file counting once."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 10


def ndcg(paths: Sequence[str], wanted: Sequence[str]) -> float:
    """By the first ten places, of pieces or of files; 1 where all that is wanted comes first."""
    left = list(wanted)
    gained = 0.0
    for place, path in enumerate(paths[:MOST]):
        for one in left:
            if f"/{path}".endswith(f"/{one}") or path.endswith(one):
                left.remove(one)
                gained += 1 / log2(place + 2)
                break
    return gained / sum(1 / log2(place + 2) for place in range(min(MOST, len(wanted))))
