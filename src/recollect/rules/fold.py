"""What is worth reading of what was found: each thing once, and no more than there is room for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.rules.analyse import folded, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.model import Vector

THRESHOLD = 0.97

_digit = re.compile(r"\d").search
_NEGATIONS = frozenset(
    word
    for line in (
        "no not never none neither nor without cannot cant couldnt dont doesnt didnt isnt arent",
        "wasnt werent wont wouldnt shouldnt hasnt havent hadnt mustnt",
    )
    for word in line.split()
)


def fold(
    order: Sequence[int],
    texts: Mapping[int, str],
    vectors: Mapping[int, Vector],
    threshold: float = THRESHOLD,
) -> list[int]:
    """Those of the records, best first, that say something which none before them says.

    Texts that differ in case, spacing and a full stop only are the same. Others are when their
    vectors are nearly so, unless they differ in a number or in a negation, which hardly moves a
    vector and says something else. A record without a vector is compared by its text.
    """
    near = _near(order, vectors, threshold)
    kept: list[int] = []
    said: set[str] = set()
    for seq in order:
        text = " ".join(folded(texts[seq]).split()).rstrip(" .!")
        if text in said:
            continue
        said.add(text)
        alike = near.get(seq, set()).intersection(kept)
        if alike:
            own = _particulars(text)
            if any(own == _particulars(texts[other]) for other in alike):
                continue
        kept.append(seq)
    return kept


def count(text: str) -> int:
    """About how many tokens a language model sees in a text.

    One for 4 ASCII characters and one for 3 bytes of any others, which is one for a Chinese or
    Japanese character. Measured against a WordPiece tokenizer, all English texts together come
    out 5 to 9 % too high and Python code 15 % too low.

    >>> count("four words of text"), count("東京都"), count("")
    (5, 3, 0)
    """
    plain = len(text.encode("ascii", "ignore"))
    other = 0 if plain == len(text) else len(text.encode(errors="surrogatepass")) - plain
    return (plain + 3) // 4 + (other + 2) // 3


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


def _near(
    order: Sequence[int], vectors: Mapping[int, Vector], threshold: float
) -> dict[int, set[int]]:
    """By record: those before it whose vectors are nearly its own."""
    known = [seq for seq in order if seq in vectors]
    near: dict[int, set[int]] = {}
    if len(known) <= 1:
        return near
    import numpy as np

    rows = np.stack([vectors[seq] for seq in known]).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1)
    pairs = np.argwhere(np.triu(rows @ rows.T >= threshold, 1))
    for earlier, later in pairs.tolist():
        near.setdefault(known[later], set()).add(known[earlier])
    return near


@lru_cache(maxsize=1_024)
def _particulars(text: str) -> frozenset[str]:
    return frozenset(word for word in tokens(text) if word in _NEGATIONS or _digit(word))
