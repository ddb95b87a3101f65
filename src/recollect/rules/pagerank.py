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

    # Every record's place, in the order in which it is first met.
    place = {seed: at for at, seed in enumerate(s for s, weight in seeds.items() if weight > 0)}
    if not place:
        return {}
    start = np.array([seeds[seed] for seed in place])
    kept = [arc for arc in arcs if arc.weight > 0]
    src = np.array([place.setdefault(one, len(place)) for one, _, _ in kept], dtype=np.intp)
    dst = np.array([place.setdefault(other, len(place)) for _, other, _ in kept], dtype=np.intp)
    weight = np.array([heavy for _, _, heavy in kept])
    size = len(place)
    home = np.zeros(size)
    home[: len(start)] = start / start.sum()
    step = (1 - alpha) * weight / np.bincount(src, weight, size)[src]
    rank = home
    for _ in range(rounds):
        moved = np.bincount(dst, step * rank[src], size)
        rank = moved + (1 - moved.sum()) * home
    return dict(zip(place, rank.tolist(), strict=True))
