"""What is worth reading of what was found: each thing once, and no more than there is room for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.analyse import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.model import Vector

THRESHOLD = 0.97

_wide = re.compile("[^\0-\u10ff\u2000-\u2bff]").findall
_NEGATIONS = frozenset(("no", "not", "never", "none", "neither", "nor", "without", "cannot"))


def fold(
    order: Sequence[int],
    texts: Mapping[int, str],
    vectors: Mapping[int, Vector],
    threshold: float = THRESHOLD,
) -> list[int]:
    """Those of the records, best first, that say something which none before them says."""
    said: set[tuple[str, ...]] = set()
    kept: list[int] = []
    for seq in order:
        words = tuple(tokens(texts[seq])) or (texts[seq],)
        if words in said:
            continue
        if any(_alike(seq, other, texts, vectors, threshold) for other in kept):
            continue
        said.add(words)
        kept.append(seq)
    return kept


def _alike(
    seq: int,
    other: int,
    texts: Mapping[int, str],
    vectors: Mapping[int, Vector],
    threshold: float,
) -> bool:
    if seq not in vectors or other not in vectors:
        return False
    near = float(vectors[seq] @ vectors[other]) >= threshold
    return near and _particulars(texts[seq]) == _particulars(texts[other])


def _particulars(text: str) -> frozenset[str]:
    """What changes the meaning and hardly the vector: numbers, and whether it is denied."""
    return frozenset(
        word
        for word in tokens(text)
        if not word.isalpha() or word in _NEGATIONS or word.endswith("nt")
    )


def count(text: str) -> int:
    """About how many tokens a language model sees: one for 4 characters, or for one CJK one.

    >>> count("four words of text"), count("東京都"), count("")
    (5, 3, 0)
    """
    wide = len(_wide(text))
    return wide + (len(text) - wide + 3) // 4


def within(budget: int, texts: Iterable[str]) -> int:
    """How many of the texts, from the first on, fit into so many tokens.

    >>> within(10, ["four words of text", "four words of text", "one"])
    2
    """
    left, fit = budget, 0
    for text in texts:
        left -= count(text)
        if left < 0:
            break
        fit += 1
    return fit
