"""What a long text means: what each of its passages means, put together.

A model reads the beginning of a text only, and one vector for many things is like any other. So a
long text has a vector for each passage, the codes of all its words, and as its own vector the mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Sense
from recollect.rules.passages import passages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# A write embeds so many passages of a text, for which it takes up to a second; the record then
# waits for the rest.
AT_ONCE = 64
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
    """What each text means; where it has more than `most` passages, of these alone."""
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
    made = iter(embed([part for parts in cut for part in parts[:most]]))
    return [_together([next(made) for _ in parts[:most]], len(parts)) for parts in cut]


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
