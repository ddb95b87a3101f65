"""Brings the store's model and the configured one together: which of them embeds what, and when.

The store says which model's vectors answer searches. A vector of another model is never compared
with them, and never written among them: what cannot be embedded now waits in the store's queue.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from recollect.engine import long
from recollect.errors import ModelNotReady, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.embed import Model
    from recollect.embed.background import Background
    from recollect.embed.cache import Cached
    from recollect.engine.beside import Beside
    from recollect.model import Candidate, Sense, Vector, Where
    from recollect.store import Reader, Writer

    Ready = Cached[Background]
    # The vector of a query, and what gives the candidates in the thread that reads.
    Near = tuple[Vector, Callable[[], list[Candidate]]]

# Who cannot say which model it is is not asked again for so many seconds: calls would wait for it.
_REST = 30.0


class Semantics:
    """The embedders of one engine, opened when something is first to be embedded."""

    def __init__(
        self,
        configured: Callable[[], Ready],
        older: Callable[[Model], Ready | None],
        beside: Beside,
    ) -> None:
        self._open_configured = configured
        self._open_older = older
        self._configured: Ready | None = None
        self._older: dict[Model, Ready | None] = {}
        self._lock = Lock()
        self._beside = beside
        self._prepared = False
        self._ask_again = 0.0
        # Why nobody can say which model is configured.
        self.trouble: Unavailable | None = None

    def configured(self) -> Ready:
        """The embedder that the settings name. Opening loads nothing yet."""
        with self._lock:
            if self._configured is None:
                self._configured = self._open_configured()
            return self._configured

    def model(self) -> Model | None:
        """The configured model; None while it is not to be had and only it knows its dimensions."""
        if self.trouble is not None:
            if monotonic() < self._ask_again:
                return None
            self._ask_again = monotonic() + _REST
        try:
            known = self.configured().model
        except Unavailable as error:
            self.trouble, self._ask_again = error, monotonic() + _REST
            return None
        self.trouble = None
        return known

    def of(self, model: Model) -> Ready | None:
        """The embedder of a model, if it can be had."""
        if model == self.model():
            return self.configured()
        with self._lock:
            if model not in self._older:
                self._older[model] = self._open_older(model)
            return self._older[model]

    def query_ahead(
        self, reader: Reader, text: str, *, needed: bool = False
    ) -> Callable[[], Sense | None]:
        """Begin to embed a query in a thread of its own; what is answered waits for that.

        Where it is needed, what is answered raises `ModelNotReady` in place of answering None.
        Embedding takes as long as everything else of a search together, and both run without
        the interpreter's lock for most of their time.
        """
        model = reader.serving_model()
        embedder = None if model is None else self.of(model)
        if embedder is None:
            # A store that nothing was written to has no model yet, and nothing to be found.
            return lambda: None
        return self._beside(partial(_query, embedder, text, needed))

    def near_ahead(
        self, reader: Reader, text: str, where: Where, limit: int
    ) -> Callable[[], Near | None]:
        """Begin to embed a query and to look for what is near it, in a thread of its own."""
        model = reader.serving_model()
        embedder = None if model is None else self.of(model)
        if embedder is None:
            return lambda: None
        approach = reader.approach(where, limit)
        return self._beside(partial(_near, embedder, text, approach))

    def senses(
        self,
        model: Model | None,
        texts: Sequence[str],
        *,
        needed: bool = False,
        most: int | None = long.AT_ONCE,
    ) -> list[Sense] | None:
        """What each text means, or its first passages; None while the model is not to be had.

        Raises:
            ModelNotReady: it is needed, and the model is not to be had.

        """
        embedder = None if model is None else self.of(model)
        if texts and embedder is not None:
            try:
                return long.senses(embedder.senses, texts, most)
            except Unavailable as error:
                if needed:
                    raise ModelNotReady(str(error)) from error
        elif texts and needed:
            raise ModelNotReady(str(self.trouble or "") or None)
        return None

    def target(self, reader: Reader) -> Model | None:
        """The model that new vectors are to be of: the serving one, else the configured one."""
        return reader.serving_model() or self.model()

    def prepare(self, writer: Writer) -> None:
        """Once for each process: tell the store which model it is to be filled with."""
        if not self.prepared(writer) and (model := self.model()) is not None:
            writer.prepare(model)

    def prepared(self, reader: Reader) -> bool:
        """Whether this process has told the store, or found that it knows."""
        # What this process told it counts once it is read back: a transaction may come to nothing.
        # Later on another process may tell it otherwise, and two would do so by turns.
        if not self._prepared:
            model = self.model()
            self._prepared = model is not None and reader.filling_model() == model
        return self._prepared

    def forget(self, texts: Sequence[str]) -> None:
        """Take texts out of every cache, and all that they are made of."""
        said = long.pieces(texts)
        for embedder in (self.configured(), *filter(None, self._older.values())):
            embedder.forget(said)

    def forget_all(self) -> None:
        """Empty every cache."""
        for embedder in (self.configured(), *filter(None, self._older.values())):
            embedder.forget_all()

    def close(self) -> None:
        """Let go of the models that were opened."""
        for embedder in (self._configured, *self._older.values()):
            if embedder is not None:
                embedder.close()


def _near(
    embedder: Ready, text: str, approach: Callable[[Vector], Callable[[], list[Candidate]]]
) -> Near | None:
    sense = _query(embedder, text, needed=False)
    return None if sense is None else (sense.vector, approach(sense.vector))


def _query(embedder: Ready, text: str, needed: bool) -> Sense | None:  # noqa: FBT001 -- to a thread
    try:
        return embedder.asked(text)
    except Unavailable as error:
        if needed:
            raise ModelNotReady(str(error)) from error
        return None
