"""What a long text means: what each of its passages means, put together.

A model reads the beginning of a text only, and one vector for many things is like any other. So a
long text has a vector for each passage, the codes of all its words, and as its own vector the mean.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from recollect.model import Sense
from recollect.rules.passages import passages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# A write embeds the passages of so many characters of a text, for which it takes a second or two;
# the record then waits for the rest.
AT_ONCE = 51_200
# A short turn takes a model as long as so many characters more.
_EACH = 40
# Codes of more words are not kept: those of a book would be found in every question.
MOST_WORDS = 4_096
# Of so many texts the passages are held at once.
_TEXTS = 512


def pieces(texts: Iterable[str]) -> list[str]:
    """All that a model is given of some texts."""
    return [part for text in texts for part in passages(text)]


def senses(
    embed: Callable[[Sequence[str]], list[Sense]], texts: Sequence[str], most: int | None = None
) -> list[Sense]:
    """What each text means; where its passages have more than `most` characters, of these alone."""
    return [
        sense
        for start in range(0, len(texts), _TEXTS)
        for sense in _senses(embed, texts[start : start + _TEXTS], most)
    ]


def complete(text: str, sense: Sense) -> bool:
    """Whether all of a text's passages are known."""
    return not sense.parts or len(sense.parts) == 2 * len(sense.vector) * len(passages(text))


def _senses(
    embed: Callable[[Sequence[str]], list[Sense]], texts: Sequence[str], most: int | None
) -> list[Sense]:
    cut = [passages(text) for text in texts]
    begun = [parts[: _within(parts, most)] for parts in cut]
    made = iter(embed([part for parts in begun for part in parts]))
    return [
        _together([next(made) for _ in first], len(parts))
        for first, parts in zip(begun, cut, strict=True)
    ]


def _within(parts: Sequence[str], most: int | None) -> int | None:
    """How many of the first passages have so many characters together; all where it is None."""
    if most is None:
        return None
    return sum(length <= most for length in accumulate(len(part) + _EACH for part in parts))


def _together(parts: Sequence[Sense], many: int) -> Sense:
    if many == 1:
        return parts[0]
    import numpy as np

    rows = np.stack([part.vector for part in parts])
    mean = rows.sum(axis=0)
    size = len(mean) // 8
    return Sense(
        (mean / (np.linalg.norm(mean) or 1.0)).astype(np.float32),
        b"".join(part.codes for part in parts)[: MOST_WORDS * size],
        rows.astype(np.float16).tobytes(),
        partial=len(parts) < many,
    )
