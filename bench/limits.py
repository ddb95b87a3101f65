"""The physical limits, measured without any of the engine's code."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import apsw
import numpy as np
import onnxruntime as ort
import simsimd
from tokenizers import Tokenizer

from bench import words
from bench.measure import Figure, load, milliseconds, p50, timed
from bench.stores import CACHE
from recollect.embed.bundled import QUERY_PREFIX, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bench.measure import Plan

MEGABYTES = 154
DIMENSIONS = 384


class RawModel:
    """The tokenizer and the model with the settings that the engine gives them."""

    def __init__(self) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = str(WEIGHTS / "model.onnx")
        self._session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
        self._tokenizer.no_padding()

    def embed(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.run(self.tokenized([text]))[0]
        return row

    def query(self, text: str) -> NDArray[np.float32]:
        return self.embed(QUERY_PREFIX + text)

    def tokenized(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._tokenizer.encode(text).ids for text in texts]

    def run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        """The vectors of a batch, padded to the longest."""
        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, of_one in enumerate(tokens):
            ids[row, : len(of_one)] = of_one
            mask[row, : len(of_one)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(["last_hidden_state"], feed)
        first: NDArray[np.float32] = states[:, 0]
        unit: NDArray[np.float32] = first / np.linalg.norm(first, axis=1, keepdims=True)
        return unit


@cache
def raw_model() -> RawModel:
    return RawModel()


class OneRow:
    """A table of one column, and commits of one row each that wait for the disk."""

    def __init__(self, folder: Path) -> None:
        self._db = apsw.Connection(str(folder / "limit.db"))
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")
        self._db.execute("CREATE TABLE IF NOT EXISTS row (text TEXT)")

    def commit(self, text: str) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO row (text) VALUES (?)", (text,))
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()


@contextmanager
def one_row(folder: Path) -> Iterator[Callable[[str], None]]:
    table = OneRow(folder)
    try:
        yield table.commit
    finally:
        table.close()


def bandwidth() -> float:
    """What one thread reads in a millisecond, in bytes."""
    floats = np.ones(MEGABYTES * 250_000, np.float32)
    one, other = np.split(floats, 2)
    # NumPy's own dot product would use every core.
    best = p50([milliseconds(lambda: simsimd.dot(one, other)) for _ in range(15)])
    return floats.nbytes / best


def fsync_times(folder: Path, rounds: int) -> list[float]:
    block = os.urandom(4096)
    path = folder / "fsync"
    with path.open("wb", buffering=0) as file:

        def once() -> None:
            file.write(block)
            os.fdatasync(file.fileno())

        times = [milliseconds(once) for _ in range(rounds)]
    path.unlink()
    return times


def run(plan: Plan) -> Iterator[Figure]:
    rounds = plan.rounds(400, 60)
    CACHE.mkdir(parents=True, exist_ok=True)
    yield timed("limits", "fsync of 4 KB", fsync_times(CACHE, rounds))
    raw, texts, asked = raw_model(), words.texts(2_000_000, rounds), words.queries(1, rounds)
    short = [" ".join(text.split()[:5]) for text in texts]
    for what, embed, of in (
        ("raw embedding, 5 words", raw.embed, short),
        ("raw embedding, 40 words", raw.embed, texts),
        ("raw embedding, query with its prefix", raw.query, asked),
    ):
        raw.embed("warm")
        yield timed("limits", what, [milliseconds(embed, t) for t in of])
    yield Figure(
        "limits", "memory read by one thread", round(bandwidth() / 1e6, 1), "GB/s", load=load()
    )
