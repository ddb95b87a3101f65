"""How well words fit a text: Okapi BM25 exactly as SQLite's FTS5 counts it, only positive."""

from __future__ import annotations

from itertools import accumulate
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.model import Corpus

# What FTS5 gives a term that more than half of the texts have, so that it still counts a little.
_LEAST = 1e-6


def idf(frequency: int, documents: int) -> float:
    """How much a term says that so many of the documents have.

    >>> idf(1, 100) > idf(10, 100) > idf(90, 100) > 0
    True
    """
    return max(log((documents - frequency + 0.5) / (frequency + 0.5)), _LEAST)


def score(  # noqa: PLR0913, PLR0917 -- the formula's own parameters
    terms: Sequence[str],
    document: Sequence[str],
    corpus: Corpus,
    k1: float = 1.2,
    b: float = 0.75,
    length: int | None = None,
) -> float:
    """How well a document, given as its tokens, fits the terms. More is better, 0 is not at all.

    Of a document whose length is given, tokens that are no terms may be left out.
    """
    counts = dict.fromkeys(terms, 0)
    for token in document:
        if token in counts:
            counts[token] += 1
    size = len(document) if length is None else length
    longness = k1 * (1 - b + b * size / (corpus.average_length or 1))
    return sum(
        idf(corpus.frequency.get(term, 0), corpus.documents)
        * (counts[term] * (k1 + 1) / (counts[term] + longness))
        for term in terms
        if counts[term]
    )


def weighted(  # noqa: PLR0913, PLR0917 -- what `score` takes, for several fields
    terms: Sequence[str],
    fields: Sequence[Sequence[str]],
    weights: Sequence[float],
    corpus: Corpus,
    k1: float = 1.2,
    b: float = 0.75,
) -> float:
    """How well a document of several fields fits, a word of one counting more than of another."""
    length = sum(map(len, fields))
    longness = k1 * (1 - b + b * length / (corpus.average_length or 1))
    total = 0.0
    for term in terms:
        often = sum(
            weight * field.count(term) for weight, field in zip(weights, fields, strict=True)
        )
        if often:
            rare = idf(corpus.frequency.get(term, 0), corpus.documents)
            total += rare * often * (k1 + 1) / (often + longness)
    return total


def selective(
    terms: Sequence[str], corpus: Corpus, share: float = 0.01, floor: int = 2_500
) -> tuple[str, ...]:
    """The terms worth looking up, rarest first; the others only add to the score.

    As many as have together at most `share` of the documents, or at most `floor` documents, and
    in any case the rarest that exists: each document looked at takes about a microsecond. A term
    that no document has is left out.
    """
    often = corpus.frequency
    found = sorted({term for term in terms if often.get(term)}, key=lambda t: (often[t], t))
    most = max(share * corpus.documents, floor)
    together = accumulate(often[term] for term in found)
    looked_at = sum(1 for total in together if total <= most)
    return tuple(found[: max(1, looked_at)])
