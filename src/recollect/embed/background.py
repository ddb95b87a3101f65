"""Loading a model behind the scenes, so that a server answers its client at once."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from recollect.embed import asked, senses
from recollect.errors import ModelNotReady, RecollectError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.embed import Embedder, Model, Vectors
    from recollect.model import Sense

# Longer than any load on a machine that is not overwhelmed, shorter than a client's patience.
PATIENCE = 20.0


class Status(StrEnum):
    """How far loading has come."""

    LOADING = "loading"
    READY = "ready"
    ERROR = "error"


class Background:
    """An embedder that loads in a thread of its own; who needs it sooner waits for a while."""

    def __init__(self, inner: Embedder, *, patience: float = PATIENCE) -> None:
        self._inner = inner
        self._patience = patience
        self._lock = Lock()
        self._attempt: _Attempt | None = None
        # Why it did not do its work the last time, though it was loaded: a server may have left.
        self._failed: RecollectError | None = None

    @property
    def model(self) -> Model:
        """The model, known without loading it."""
        return self._inner.model

    @property
    def status(self) -> Status:
        """How far loading has come. What was not started yet counts as loading."""
        attempt = self._attempt
        if attempt is None or not attempt.over.is_set():
            return Status.LOADING
        return Status.READY if self.error is None else Status.ERROR

    @property
    def error(self) -> RecollectError | None:
        """Why the last attempt to load it, or to use it, failed, if it did."""
        attempt = self._attempt
        if attempt is None or not attempt.over.is_set():
            return None
        return attempt.error or self._failed

    def start(self) -> None:
        """Begin to load, unless that was done. After a failure this tries once more."""
        self._begun()

    def ready(self, timeout: float | None = None) -> None:
        """Wait until the model can be used.

        Raises:
            ModelNotReady: it is still loading after `timeout` seconds.
            Unavailable: it cannot be loaded, for the reason given.

        """
        attempt = self._begun()
        if not attempt.over.wait(timeout):
            raise ModelNotReady(
                f"The embedding model {self._inner.model.name} is still loading after"
                f" {timeout:g} seconds. Nothing was changed; try again in a moment."
            )
        if attempt.error is not None:
            raise attempt.error

    def load(self) -> None:
        """Wait until the model is loaded, however long that takes."""
        self.ready()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        with self._used():
            return self._inner.passages(texts)

    def query(self, text: str) -> Vectors:
        """The vector of a text to search with."""
        with self._used():
            return self._inner.query(text)

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What each text to be found means."""
        with self._used():
            return senses(self._inner, texts)

    def asked(self, text: str) -> Sense:
        """What a text to search with means."""
        with self._used():
            return asked(self._inner, text)

    def close(self) -> None:
        """Wait for a load that is under way, then close the model."""
        attempt = self._attempt
        if attempt is not None:
            attempt.over.wait()
        self._inner.close()

    @contextmanager
    def _used(self) -> Iterator[None]:
        self.ready(self._patience)
        try:
            yield
        except Unavailable as error:
            self._failed = error
            raise
        self._failed = None

    def _begun(self) -> _Attempt:
        with self._lock:
            attempt = self._attempt
            if attempt is None or (attempt.over.is_set() and attempt.error is not None):
                attempt = self._attempt = _Attempt(self._inner)
                attempt.start()
            return attempt


class _Attempt(Thread):
    """One attempt to load."""

    # Not a daemon: a thread that is killed inside onnxruntime takes the process down with it
    # (in 18 of 50 runs that ended while loading). Exit waits for the load instead.
    def __init__(self, inner: Embedder) -> None:
        super().__init__(name="recollect-load", daemon=False)
        self._inner = inner
        self.over = Event()
        # Stands if the thread ends by a fault of the program, which threading then reports.
        self.error: RecollectError | None = Unavailable(
            "The embedding model could not be loaded, through a fault in the program; its log"
            " says more. Nothing was changed."
        )

    def run(self) -> None:
        """Load, and keep what became of it."""
        try:
            self._inner.load()
            self.error = None
        except RecollectError as error:
            self.error = error
        finally:
            self.over.set()
