"""Ways of finding: Recollect as a client uses it, and what it has to be better than."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import apsw
import numpy as np

from bench.recall.metrics import DEPTH
from bench.stores import CACHE
from recollect import ops
from recollect.config import Config
from recollect.embed.bundled import Bundled
from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.engine import Engine
from recollect.rules.english import STOP_WORDS
from recollect.store.sqlite import SqliteStore
from recollect.wiring import open_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.recall.sets import Document, Question
    from recollect.embed.background import Background
    from recollect.embed.cache import Cached

Answers = dict[str, list[str]]
WORD = re.compile(r"[^\W_]+").findall
# A file of vectors that were made before, since a run is seldom the first one. It holds no more
# than this many, and what is asked is never looked up in it.
KNOWN = CACHE / "recall-vectors"


@contextmanager
def stored(documents: Sequence[Document]) -> Iterator[tuple[Engine, dict[str, str]]]:
    """An engine as a user gets it, on a store of these documents; and which record each is."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=CACHE, prefix="recall-") as folder:
        path = str(Path(folder) / "memory.db")
        with Engine(SqliteStore.open(path), known) as engine:
            made = engine.run(ops.RememberAll(tuple(map(_remember, documents))))
        ids = {r.id: d.id for r, d in zip(made.records, documents, strict=True)}
        with open_engine(Config(store=path)) as engine:
            engine.run(ops.Recall("a first question, for which the model is loaded"))
            yield engine, ids


def _remember(document: Document) -> ops.Remember:
    """What a client would say of it."""
    return ops.Remember(
        document.text,
        event_time=document.time,
        session=document.session,
        speaker=document.speaker,
        title=document.title,
        # A chat may say the same thing twice.
        once=False,
    )


def known() -> Cached[Background]:
    """The bundled model, for documents only."""
    return open_embedder(EmbedSettings(cache_path=str(KNOWN)))


def recollect(
    documents: Sequence[Document], questions: Sequence[Question], times: list[float]
) -> Answers:
    """The engine's own answers, with nothing set. `times` gets the milliseconds of each."""
    answers: Answers = {}
    with stored(documents) as (engine, ids):
        for question in questions:
            begun = perf_counter()
            # Asked when the set says, of all that there is: what came later is not left out.
            op = ops.Recall(question.text, limit=DEPTH, as_of=question.time, any_time=True)
            found = engine.run(op)
            times.append((perf_counter() - begun) * 1e3)
            answers[question.id] = [ids[hit.record.id] for hit in found.hits]
    return answers


def words(documents: Sequence[Document], questions: Sequence[Question]) -> Answers:
    """SQLite's FTS5 with Porter's stemmer, any word of the question, its BM25."""
    base = apsw.Connection(":memory:")
    base.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    base.executemany("INSERT INTO said VALUES (?)", ((document.text,) for document in documents))
    answers: Answers = {}
    for question in questions:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(WORD(question.text.lower())))
        rows = base.execute(
            "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        )
        answers[question.id] = [documents[row - 1].id for (row,) in rows]
    return answers


def meaning(documents: Sequence[Document], questions: Sequence[Question]) -> Answers:
    """The bundled model's vectors of the bare texts."""
    model = known()
    rows = model.passages([document.text for document in documents])
    model.close()
    asked = _queries()
    answers: Answers = {}
    for question in questions:
        near = rows @ asked(question.text)
        best = np.argsort(-near, kind="stable")[:DEPTH]
        answers[question.id] = [documents[at].id for at in best]
    return answers


@cache
def _queries() -> Callable[[str], np.ndarray]:  # type: ignore[type-arg]
    return Bundled().query


def grep(documents: Sequence[Document], questions: Sequence[Question]) -> Answers:
    """What a reader with a search for strings would find: most words of the question, newest."""
    texts = [document.text.lower() for document in documents]
    answers: Answers = {}
    for question in questions:
        asked = {word for word in WORD(question.text.lower()) if word not in STOP_WORDS}
        hits = np.array([sum(word in text for word in asked) for text in texts])
        best = sorted(np.flatnonzero(hits), key=lambda at: (-hits[at], -at))[:DEPTH]
        answers[question.id] = [documents[at].id for at in best]
    return answers


BASELINES = {"BM25": words, "vectors": meaning, "grep": grep}
