"""The port to whatever turns text into vectors, and nothing of any particular model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.typing import NDArray

    from recollect.model import Sense

    Vectors = NDArray[float32]


class Model(Value):
    """Which model made a vector. Vectors of different models are never compared."""

    name: str
    dimensions: int


class CacheStats(Value):
    """How often a text had been embedded before."""

    hits: int = 0
    misses: int = 0
    size: int = 0


class Embedder(Protocol):
    """Turns text into unit vectors. Any method may be called from any thread."""

    @property
    def model(self) -> Model:
        """The model, known without loading it."""

    def load(self) -> None:
        """Make ready, if that was not done yet. Raises `Unavailable` when it cannot be."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""

    def query(self, text: str) -> Vectors:
        """The one vector of a text to search with."""

    def close(self) -> None:
        """Let go of connections and files. Closing twice does no harm."""


@runtime_checkable
class Worded(Embedder, Protocol):
    """An embedder that tells of the single words of a text as well."""

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What each text to be found means."""

    def asked(self, text: str) -> Sense:
        """What a text to search with means."""


def senses(embedder: Embedder, texts: Sequence[str]) -> list[Sense]:
    """What each text means, with codes of its words where the embedder has them."""
    from recollect.model import Sense

    if isinstance(embedder, Worded):
        return embedder.senses(texts)
    return [Sense(row) for row in embedder.passages(texts)]


def asked(embedder: Embedder, text: str) -> Sense:
    """The same of a text to search with."""
    from recollect.model import Sense

    return embedder.asked(text) if isinstance(embedder, Worded) else Sense(embedder.query(text))
