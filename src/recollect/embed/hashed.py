"""Vectors without a model: a hashed bag of words and character trigrams.

Texts that share words get similar vectors, the same ones on every machine. It serves tests, the
benchmarks of the store, and whoever wants no model at all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import shake_128
from typing import TYPE_CHECKING
from zlib import crc32

from recollect.embed import Model
from recollect.model import Sense
from recollect.rules.english import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.embed import Vectors

_WORDS = re.compile(r"\w+")
# A whole word tells more than any of its trigrams, of which a word has about as many as letters.
_WORD = 3.0
_TRIGRAM = 1.0
# As many words of a text have codes.
_MOST = 128


class HashEmbedder:
    """A deterministic embedder that needs no model.

    >>> embed = HashEmbedder()
    >>> like, unlike = embed.passages(["the build uses make", "lunch was late"])
    >>> query = embed.query("what does the build use?")
    >>> bool(query @ like > query @ unlike)
    True
    """

    def __init__(self, dimensions: int = 384) -> None:
        self._model = Model(f"hash-{dimensions}", dimensions)

    @property
    def model(self) -> Model:
        """The model, which names its number of dimensions."""
        return self._model

    def load(self) -> None:
        """Nothing has to be loaded."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        import numpy as np

        rows = np.empty((len(texts), self._model.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self.query(text)
        return rows

    def query(self, text: str) -> Vectors:
        """The vector of a text; a query is embedded as a passage is."""
        import numpy as np

        features = [f for word in _WORDS.findall(text.casefold()) for f in _features(word)]
        # A text without words points somewhere too, and every such text to the same place.
        hashes = np.array([h for h, _ in features] or [0], np.uint32)
        weights = np.array([w for _, w in features] or [1.0])
        sums = np.bincount(hashes % self._model.dimensions, weights, self._model.dimensions)
        length = float(np.linalg.norm(sums))
        if length == 0:
            sums[0], length = 1.0, 1.0
        return (sums / length).astype(np.float32)

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What each text to be found means."""
        rows = self.passages(texts)
        return [Sense(row, self._codes(text)) for row, text in zip(rows, texts, strict=True)]

    def asked(self, text: str) -> Sense:
        """What a text to search with means."""
        return Sense(self.query(text), self._codes(text))

    def _codes(self, text: str) -> bytes:
        """Each telling word as bits that no other word shares more of than chance has it."""
        size = self._model.dimensions // 8
        words = _WORDS.findall(text.casefold())
        telling = [word for word in words if word not in STOP_WORDS] or words
        return b"".join(_code(word, size) for word in telling[:_MOST])

    def close(self) -> None:
        """Nothing has to be closed."""


@lru_cache(maxsize=65_536)
def _code(word: str, size: int) -> bytes:
    return shake_128(word.encode("utf-8", "surrogatepass")).digest(size)


@lru_cache(maxsize=65_536)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Hash and signed weight of a word and of its trigrams."""
    framed = f"#{word}#"
    trigrams = [framed[i : i + 3] for i in range(len(framed) - 2)]
    return (_feature(word, _WORD), *(_feature(f"~{t}", _TRIGRAM) for t in trigrams))


def _feature(name: str, weight: float) -> tuple[int, float]:
    # Opposite signs let collisions cancel out on average; the top bit is free for that.
    code = crc32(name.encode("utf-8", "surrogatepass"))
    return code & 0x7FFF_FFFF, weight if code >> 31 else -weight
