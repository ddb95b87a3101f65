"""What lies near a text by meaning, or by its words while there is no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Kind, Where
from recollect.rules.analyse import terms
from recollect.rules.bm25 import selective

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.engine.ports import Ports
    from recollect.model import Record, Sense, Vector
    from recollect.store import Reader

# Nearer than this two texts are of one matter; further off, only if they share a word.
CLOSE = 0.72


def meaning(ports: Ports, reader: Reader, text: str) -> Vector | None:
    """The vector of a text, as the texts in the store have theirs; None while there is no model."""
    found = sense(ports, reader, text)
    return None if found is None else found.vector


def sense(ports: Ports, reader: Reader, text: str) -> Sense | None:
    """The same with the codes of its words."""
    model = reader.serving_model()
    senses = ports.semantics.senses(model, [text]) if model is not None else None
    return None if senses is None else senses[0]


def near(
    reader: Reader, vector: Vector | None, text: str, where: Where, limit: int
) -> list[tuple[Record, float]]:
    """The records that match and are nearest to a text, with how near in [0, 1], best first."""
    asked = frozenset(terms(text))
    if vector is None:
        chosen = selective(tuple(asked), reader.corpus(asked))
        seqs = [one.seq for one in reader.matching(chosen, where, limit)]
        found = reader.rows(seqs)
        shares = [(found[seq], _shared(asked, found[seq])) for seq in seqs]
        return sorted(shares, key=lambda one: (-one[1], one[0].seq))
    close = reader.nearest(vector, where, limit)
    found = reader.rows([one.seq for one in close])
    return [
        (found[one.seq], min(1.0, max(0.0, one.score)))
        for one in close
        if one.score >= CLOSE or _shared(asked, found[one.seq])
    ]


def _shared(asked: frozenset[str], record: Record) -> float:
    """How much of the shorter text is in the other."""
    words = frozenset(terms(record.title or record.text))
    return len(asked & words) / (min(len(asked), len(words)) or 1)


def outcomes(reader: Reader, tenant: str, decisions: Iterable[str]) -> dict[str, Record]:
    """By decision: the outcome that holds."""
    found = reader.keyed(Where(tenant, kinds=(Kind.OUTCOME,)), list(decisions))
    return {one.key: one for one in found if not one.superseded_by}
