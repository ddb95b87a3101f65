"""What is worth reading of what was found: each thing once, and no more than there is room for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.rules.analyse import folded, tokens
from recollect.rules.closeness import alike
from recollect.rules.passages import LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.model import Sense

THRESHOLD = 0.97
# The same where the words of both texts have codes: of pairs that people were asked about, as many
# are above it as above a cosine of 0.98, and more of them say the same.
ALIKE = 0.8
# What is alike word by word has vectors that are no further apart than this.
_WORTH_COMPARING = 0.93

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
    senses: Mapping[int, Sense],
    threshold: float = THRESHOLD,
) -> list[int]:
    """Those of the records, best first, that say something which none before them says.

    Texts that differ in case, spacing and a full stop only are the same, and long ones that do not
    differ at all. Others are when they are alike word by word, or where there are no codes of words
    when their vectors are nearly the same, unless they differ in a number or in a negation, which
    hardly moves a vector and says something else, or one may be the other with another value. A
    record without a vector, or with many passages, is compared by its text.
    """
    near = _near(order, senses, threshold)
    kept: list[int] = []
    said: set[str] = set()
    for seq in order:
        text = plainly(texts[seq])
        if text in said:
            continue
        said.add(text)
        others = near.get(seq, set()).intersection(kept)
        if any(_no_other(texts[seq], texts[other]) for other in others):
            continue
        kept.append(seq)
    return kept


def plainly(text: str) -> str:
    """What texts that are the same have in common.

    >>> plainly("It is  so."), plainly("it is so")
    ('it is so', 'it is so')
    """
    return text if len(text) > LONG else " ".join(folded(text).split()).rstrip(" .!")


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


def likeness(one: Sense, other: Sense) -> float:
    """How much two texts say the same, 1 where they do: word by word where both have codes."""
    if one.codes and other.codes:
        return alike(one.codes, other.codes, len(one.vector) // 8)
    return float(one.vector @ other.vector)


def _near(
    order: Sequence[int], senses: Mapping[int, Sense], threshold: float
) -> dict[int, set[int]]:
    """By record: those before it that are nearly the same."""
    # Long texts that are nearly the same tell of the same things, and need not say the same.
    known = [seq for seq in order if seq in senses and not senses[seq].parts]
    near: dict[int, set[int]] = {}
    if len(known) <= 1:
        return near
    import numpy as np

    rows = np.stack([senses[seq].vector for seq in known]).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1)
    cosines = rows @ rows.T
    worth = min(threshold, _WORTH_COMPARING)
    for earlier, later in np.argwhere(np.triu(cosines >= worth, 1)).tolist():
        one, other = known[earlier], known[later]
        if senses[one].codes and senses[other].codes:
            same = likeness(senses[one], senses[other]) >= ALIKE
        else:
            same = bool(cosines[earlier, later] >= threshold)
        if same:
            near.setdefault(other, set()).add(one)
    return near


def _no_other(text: str, other: str) -> bool:
    """Whether two texts that are nearly the same do not say the one thing and another one."""
    if particulars(text) != particulars(other):
        return False
    # Takes long to load, and few searches find texts that are nearly the same.
    from recollect.rules.conflict import judge

    return not (judge(text, other, None).conflict or judge(other, text, None).conflict)


@lru_cache(maxsize=1_024)
def particulars(text: str) -> frozenset[str]:
    """What tells texts apart that hardly differ else: numbers, and whether something is not so."""
    return frozenset(word for word in tokens(text) if word in _NEGATIONS or _digit(word))
