"""Models of two optional libraries, neither of which is imported before it is needed."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recollect.config import send_nothing
from recollect.embed import Model
from recollect.embed.identity import identity
from recollect.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    from recollect.embed import Vectors

T = TypeVar("T")


class Encoder(Protocol):
    """What is asked of either library. The vectors need not be of unit length."""

    def passages(self, texts: list[str]) -> Iterable[NDArray[Any]]:
        """One vector for each text."""

    def query(self, text: str) -> NDArray[Any]:
        """The vector of a query."""


class FastEmbed:
    """A model of `fastembed`."""

    def __init__(self, name: str) -> None:
        library = _library("fastembed", "fastembed")
        self._model = _loaded(library.TextEmbedding, name)

    def passages(self, texts: list[str]) -> Iterable[NDArray[Any]]:
        """One vector for each text."""
        vectors: Iterable[NDArray[Any]] = self._model.passage_embed(texts)
        return vectors

    def query(self, text: str) -> NDArray[Any]:
        """The vector of a query; the library knows the prefixes of its models."""
        (vector,) = self._model.query_embed(text)
        found: NDArray[Any] = vector
        return found


class SentenceTransformers:
    """A model of `sentence-transformers`."""

    def __init__(self, name: str) -> None:
        library = _library("sentence_transformers", "sentence-transformers")
        self._model = _loaded(library.SentenceTransformer, name)

    def passages(self, texts: list[str]) -> Iterable[NDArray[Any]]:
        """One vector for each text."""
        vectors: Iterable[NDArray[Any]] = self._model.encode_document(
            texts, show_progress_bar=False
        )
        return vectors

    def query(self, text: str) -> NDArray[Any]:
        """The vector of a query; the library knows the prompts of its models."""
        vector: NDArray[Any] = self._model.encode_query(text, show_progress_bar=False)
        return vector


class Extra:
    """An embedder over a library that is loaded when first needed."""

    def __init__(
        self,
        encoder: type[FastEmbed | SentenceTransformers],
        name: str,
        *,
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        self._kind = encoder
        self._name = name
        self._dimensions = dimensions
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._lock = Lock()
        self._encoder: Encoder | None = None

    @property
    def model(self) -> Model:
        """The model. Loads it when the number of dimensions is not configured."""
        dimensions = self._dimensions or self.query("dimensions").shape[0]
        self._dimensions = dimensions
        return Model(identity(self._name, self._query_prefix, self._passage_prefix), dimensions)

    def load(self) -> None:
        """Import the library and load the model."""
        self._ready()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        import numpy as np

        if not texts:
            return np.empty((0, self.model.dimensions), np.float32)
        return self._unit([*self._ready().passages([self._passage_prefix + t for t in texts])])

    def query(self, text: str) -> Vectors:
        """The vector of a text to search with."""
        row: Vectors = self._unit([self._ready().query(self._query_prefix + text)])[0]
        return row

    def close(self) -> None:
        """Let go of the model; the next use loads it again."""
        with self._lock:
            self._encoder = None

    def _ready(self) -> Encoder:
        with self._lock:
            if self._encoder is None:
                self._encoder = self._kind(self._name)
            return self._encoder

    def _unit(self, vectors: list[NDArray[Any]]) -> Vectors:
        import numpy as np

        rows = np.asarray(vectors, np.float32)
        if self._dimensions not in (None, rows.shape[1]):
            raise Unavailable(
                f"The vectors of {self._name} have {rows.shape[1]} dimensions, not the"
                f" {self._dimensions} configured. Correct the number, or leave it out."
            )
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def _library(module: str, extra: str) -> ModuleType:
    send_nothing()
    try:
        return import_module(module)
    except ImportError as error:
        raise Unavailable(
            f"The embedding provider {extra} is configured but not installed."
            f" Install it: pip install 'recollect[{extra}]'. ({error})"
        ) from error


def _loaded(kind: Callable[[str], T], name: str) -> T:
    try:
        return kind(name)
    # What both libraries raise for unknown names, missing files and a hub that is out of reach.
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"The embedding model {name!r} cannot be loaded: {error} Check its name, and that its"
            " files are on this machine or can be fetched."
        ) from error
