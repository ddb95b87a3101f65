"""How near records are to a few others by the links between them: personalised PageRank."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.model import Arc


def walk(
    seeds: Mapping[int, float], arcs: Sequence[Arc], alpha: float = 0.15, rounds: int = 20
) -> dict[int, float]:
    """Where a random walker is, who starts at the seeds and goes back to them with `alpha`.

    The answers of all records add up to 1. Arcs lead one way, so an edge that is to be walked
    in both directions is given twice. A walker who can go nowhere goes back to the seeds.
    """
    import numpy as np

    kept = [arc for arc in arcs if arc.weight > 0]
    nodes = dict.fromkeys(seed for seed, weight in seeds.items() if weight > 0)
    if not nodes:
        return {}
    nodes.update(dict.fromkeys(end for arc in kept for end in (arc.src, arc.dst)))
    place = {node: at for at, node in enumerate(nodes)}
    src = np.array([place[arc.src] for arc in kept], dtype=np.intp)
    dst = np.array([place[arc.dst] for arc in kept], dtype=np.intp)
    weight = np.array([arc.weight for arc in kept])
    start = np.array([max(seeds.get(node, 0.0), 0.0) for node in nodes])
    start /= start.sum()
    out = np.bincount(src, weight, len(place))
    step = weight / out[src]
    rank = start
    for _ in range(rounds):
        moved = (1 - alpha) * np.bincount(dst, step * rank[src], len(place))
        rank = moved + (1 - moved.sum()) * start
    return dict(zip(nodes, rank.tolist(), strict=True))
