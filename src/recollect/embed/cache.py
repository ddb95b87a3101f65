"""Texts that were embedded before are not embedded again, in this process or the next.

A query whose vector is known here never loads the model. Vectors are kept as 16-bit floats, and
what has just been embedded goes through the same rounding, so a text has the same vector whether
it was known or not.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from recollect.embed import CacheStats, Embedder, asked, senses
from recollect.model import Sense

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.embed import Model, Vectors
    from recollect.embed.disk import DiskCache

E = TypeVar("E", bound=Embedder)


class Cached(Generic[E]):
    """An embedder that remembers, in memory and on disk, what `inner` has said."""

    def __init__(self, inner: E, disk: DiskCache | None = None, size: int = 4096) -> None:
        self.inner = inner
        self.disk = disk
        self._size = size
        self._lock = Lock()
        # Least recently used first. Keys are (digest of the text, space).
        self._memory: dict[tuple[bytes, bytes], bytes] = {}
        self._hits = 0
        self._misses = 0
        self._times_forgotten = 0

    @property
    def model(self) -> Model:
        """The model, known without loading it."""
        return self.inner.model

    @property
    def stats(self) -> CacheStats:
        """How many texts were known and were not, and how many are held in memory."""
        with self._lock:
            return CacheStats(self._hits, self._misses, len(self._memory))

    def load(self) -> None:
        """Load the model, though nothing may need it yet."""
        self.inner.load()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        import numpy as np

        made = self.senses(texts)
        if not made:
            return np.empty((0, self.model.dimensions), np.float32)
        return np.stack([sense.vector for sense in made])

    def query(self, text: str) -> Vectors:
        """The vector of a text to search with."""
        return self.asked(text).vector

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What each text to be found means."""
        return self._senses("passage", texts)

    def asked(self, text: str) -> Sense:
        """What a text to search with means."""
        return self._senses("query", (text,))[0]

    def forget(self, texts: Iterable[str]) -> None:
        """Remove every trace of these texts. Raises `Unavailable` when the file resists."""
        gone = {_digest(text) for text in texts}
        with self._lock:
            self._times_forgotten += 1
            for key in [key for key in self._memory if key[0] in gone]:
                del self._memory[key]
        if self.disk is not None and gone:
            self.disk.forget(gone)

    def forget_all(self) -> None:
        """Remove every vector there is. Raises `Unavailable` when the file resists."""
        with self._lock:
            self._times_forgotten += 1
            self._memory.clear()
        if self.disk is not None:
            self.disk.forget_all()

    def flush(self) -> None:
        """Write down what the file does not have yet."""
        if self.disk is not None:
            self.disk.flush()

    def close(self) -> None:
        """Write down the rest, then close the file and the model."""
        if self.disk is not None:
            self.disk.close()
        self.inner.close()

    def _senses(self, role: str, texts: Sequence[str]) -> list[Sense]:
        model = self.model
        space = _space(model, role)
        digests = [_digest(text) for text in texts]
        times = self._times_forgotten
        known = self._find(space, dict.fromkeys(digests), times)
        missing = {d: t for d, t in zip(digests, texts, strict=True) if d not in known}
        with self._lock:
            self._misses += len(missing)
            self._hits += len(texts) - len(missing)
        if missing:
            fresh = dict(zip(missing, self._embed(role, [*missing.values()]), strict=True))
            self._keep(space, fresh, times, fresh=True)
            known |= fresh
        return _unpack([known[d] for d in digests], model.dimensions)

    def _find(self, space: bytes, digests: Iterable[bytes], times: int) -> dict[bytes, bytes]:
        known: dict[bytes, bytes] = {}
        unknown: list[bytes] = []
        with self._lock:
            for digest in digests:
                codes = self._memory.pop((digest, space), None)
                if codes is None:
                    unknown.append(digest)
                else:
                    known[digest] = self._memory[digest, space] = codes
        if unknown and self.disk is not None:
            found = self.disk.find(space, unknown)
            self._keep(space, found, times, fresh=False)
            known |= found
        return known

    def _keep(
        self, space: bytes, vectors: Mapping[bytes, bytes], times: int, *, fresh: bool
    ) -> None:
        with self._lock:
            # What was asked for before a text was forgotten must not bring it back.
            if times != self._times_forgotten:
                return
            for digest, codes in vectors.items():
                self._memory[digest, space] = codes
            for key in [*islice(self._memory, max(0, len(self._memory) - self._size))]:
                del self._memory[key]
            if fresh and self.disk is not None:
                self.disk.keep(space, vectors)

    def _embed(self, role: str, texts: list[str]) -> list[bytes]:
        if role == "query":
            return [_pack(asked(self.inner, texts[0]))]
        return [_pack(sense) for sense in senses(self.inner, texts)]


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _space(model: Model, role: str) -> bytes:
    """What tells apart the vectors of one text."""
    # Rows of older versions have no codes.
    named = f"{model.name}\0{model.dimensions}\0{role}\0codes"
    return blake2b(named.encode(), digest_size=8).digest()


def _pack(sense: Sense) -> bytes:
    import numpy as np

    return sense.vector.astype(np.float16).tobytes() + sense.codes


def _unpack(rows: list[bytes], dimensions: int) -> list[Sense]:
    import numpy as np

    size = dimensions * 2
    found = np.frombuffer(b"".join(row[:size] for row in rows), np.float16)
    matrix = found.reshape(-1, dimensions).astype(np.float32)
    unit: Vectors = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return [Sense(vector, row[size:]) for vector, row in zip(unit, rows, strict=True)]
