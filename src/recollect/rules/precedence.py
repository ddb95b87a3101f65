"""Which of the decisions found come first: by how well they fit, whether they stand, and whose
they are.

The score is similarity, times the penalty of its status where that is asked for, plus 1 for one
that is active, plus 0.1 for a person's.
"""  # noqa: D205 -- one sentence

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.decisions import Mode, Ranked, Stand
from recollect.model import AuthorKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.model import Record

ACTIVE_BOOST = 1.0
AUTHORITY_BOOST = 0.1
PENALTIES = {Stand.SUPERSEDED.value: 0.2, Stand.DEPRECATED.value: 0.05, Stand.DRAFT.value: 0.4}


def score(record: Record, similarity: float, mode: Mode) -> float:
    """What a decision comes to."""
    penalty = PENALTIES.get(record.status, 1.0) if mode is Mode.BALANCED else 1.0
    total = similarity * penalty
    if record.status == Stand.ACTIVE:
        total += ACTIVE_BOOST
    if record.author.kind is AuthorKind.HUMAN:
        total += AUTHORITY_BOOST
    return total


def ranked(
    found: Iterable[tuple[Record, float]], standing: Mapping[str, Record], mode: Mode
) -> tuple[Ranked, ...]:
    """Decisions and their similarities in order, best first.

    `standing` is, by the id of one that does not stand, the active one in its place.
    """
    best: dict[str, tuple[Record, float]] = {}
    for hit, similarity in found:
        record = hit if mode is Mode.AUDIT else standing.get(hit.id, hit)
        known = best.get(record.id)
        best[record.id] = (record, max(similarity, known[1] if known else 0.0))
    every = [Ranked(record, score(record, fit, mode), fit) for record, fit in best.values()]
    if mode is Mode.STRICT:
        every = [one for one in every if one.record.status == Stand.ACTIVE]
    # Of two that come to the same, what stands is above what it took the place of.
    every.sort(key=lambda one: (-one.score, one.record.status != Stand.ACTIVE, one.record.id))
    return tuple(every if mode is Mode.AUDIT else _once(every))


def _once(ordered: Sequence[Ranked]) -> list[Ranked]:
    """The first of each target. What is active has the highest score, and so comes first."""
    kept: dict[tuple[object, str], Ranked] = {}
    for one in ordered:
        record = one.record
        kept.setdefault((record.scope, record.key or record.id), one)
    return list(kept.values())
