"""The port to whatever turns text into vectors, and nothing of any particular model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.typing import NDArray

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
