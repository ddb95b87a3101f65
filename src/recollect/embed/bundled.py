"""The bundled model: snowflake-arctic-embed-s in 8 bits, run by onnxruntime, with no network.

The model's linear layers choose their 8-bit scale from everything in the run. In a batch, the
vector of a text would depend on its neighbours (cosine down to 0.994 to the same text alone), so
each text is a run of its own, and several runs go side by side. docs/adr/0004-embedding.md has
the figures.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from recollect.config import send_nothing
from recollect.embed import Model, codes
from recollect.errors import Unavailable
from recollect.model import Sense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from onnxruntime import InferenceSession, RunOptions
    from tokenizers import Tokenizer

    from recollect.embed import Vectors

# The quantisation is part of the name: vectors of the full model are a little different.
MODEL = Model("snowflake-arctic-embed-s-int8", 384)
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
# The start of the text and the eight words of the prefix.
QUERY_TOKENS = 9
WEIGHTS = Path(__file__).parent / "weights"
SHA256 = {
    "model.onnx": "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
    "tokenizer.json": "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
}

# The model reads 512 tokens, of 4 to 5 characters each in most text. Tokenising the rest of a
# long text only to cut it off would take longer than the model itself.
LONGEST = 16_384
# A run of more tokens gives its memory back. Without that, the longest texts decide for good
# how large the process is: 290 MB in place of 155 after two runs of 512 tokens side by side.
LONG = 128
# More runs side by side compete for the memory bandwidth, and for the user's machine.
MOST_WORKERS = 4


class Bundled:
    """The model that comes with Recollect."""

    def __init__(self, folder: Path = WEIGHTS, *, workers: int | None = None) -> None:
        self._folder = folder
        self._workers = workers or min(MOST_WORKERS, os.cpu_count() or 1)
        self._lock = Lock()
        self._encoder: _Encoder | None = None

    @property
    def model(self) -> Model:
        """The model, known without loading it."""
        return MODEL

    def load(self) -> None:
        """Check and load the weights. Raises `Unavailable` when they are not as shipped."""
        self._ready()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        import numpy as np

        rows = np.empty((len(texts), MODEL.dimensions), np.float32)
        for row, sense in zip(rows, self.senses(texts), strict=True):
            row[:] = sense.vector
        return rows

    def query(self, text: str) -> Vectors:
        """The vector of a text to search with."""
        return self.asked(text).vector

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What each text to be found means."""
        encode = self._ready().encode
        made: dict[int, Sense] = {}
        # Taken from the end, longest first, so that no worker is left with a long text at last.
        waiting = sorted(range(len(texts)), key=lambda i: len(texts[i]))

        def work() -> None:
            for i in _taken(waiting):
                made[i] = encode(texts[i])

        _side_by_side(work, min(self._workers, len(texts)), waiting.clear)
        return [made[i] for i in range(len(texts))]

    def asked(self, text: str) -> Sense:
        """What a text to search with means."""
        return self._ready().encode(QUERY_PREFIX + text, skip=QUERY_TOKENS)

    def close(self) -> None:
        """Let go of the weights; the next use loads them again."""
        with self._lock:
            self._encoder = None

    def _ready(self) -> _Encoder:
        encoder = self._encoder
        if encoder is not None:
            return encoder
        with self._lock:
            if self._encoder is None:
                self._encoder = _open(self._folder)
            return self._encoder


class _Encoder:
    """The loaded tokenizer and model. All that onnxruntime leaves untyped is met here."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._tells = codes.telling(tokenizer)
        self._shrinking = _shrinking()

    def encode(self, text: str, skip: int = 0) -> Sense:
        """The unit vector of one text, and the codes of its words without the first tokens."""
        import numpy as np

        tokens, states = self.states(text)
        first: Vectors = states[0]
        vector: Vectors = first / np.linalg.norm(first)
        return Sense(vector, codes.of(tokens, states, self._tells, skip))

    def states(self, text: str) -> tuple[list[int], Vectors]:
        """The tokens of one text, and the model's state at each of them."""
        import numpy as np

        # Halves of surrogate pairs are not text; the tokenizer refuses them.
        clean = text[:LONGEST].encode("utf-8", "replace").decode("utf-8")
        # One text at a time: `encode_batch` starts threads that do not survive a fork.
        tokens = self._tokenizer.encode(clean).ids
        ids = np.array([tokens], np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        options = self._shrinking if ids.size > LONG else None
        (states,) = self._session.run(["last_hidden_state"], feed, options)
        return tokens, states[0]


def _taken(waiting: list[int]) -> Iterator[int]:
    """One number after the other, each to one of the threads that take from the list."""
    with suppress(IndexError):
        while True:
            yield waiting.pop()


def _side_by_side(work: Callable[[], None], workers: int, stop: Callable[[], None]) -> None:
    """Do the work in several threads, and have all of them stop when one fails."""
    if workers <= 1:
        work()
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers, "recollect-embed") as pool:
        try:
            for done in [pool.submit(work) for _ in range(workers)]:
                done.result()
        finally:
            stop()


def _open(folder: Path) -> _Encoder:
    """Load the model while a second thread hashes its files."""
    check = _Check(folder)
    check.start()
    try:
        return _Encoder(_session(folder / "model.onnx"), _tokenizer(folder / "tokenizer.json"))
    finally:
        # Raised here, it takes the place of whatever a damaged file made the loaders say.
        check.finish()


class _Check(Thread):
    """Compares the files with the hashes of those that were shipped."""

    def __init__(self, folder: Path) -> None:
        super().__init__(name="recollect-weights")
        self._folder = folder
        self._wrong: str | None = None

    def run(self) -> None:
        """Find the first file that is missing or not as shipped."""
        self._wrong = next(filter(self._differs, SHA256), None)

    def finish(self) -> None:
        """Wait for the verdict. Raises `Unavailable` when a file is wrong."""
        self.join()
        if self._wrong is not None:
            path = self._folder / self._wrong
            raise Unavailable(
                f"{path} is missing or is not the file that came with Recollect, so it was not"
                " used. Reinstall Recollect: pip install --force-reinstall recollect",
                path=str(path),
            )

    def _differs(self, name: str) -> bool:
        from hashlib import file_digest

        try:
            with (self._folder / name).open("rb") as file:
                return file_digest(file, "sha256").hexdigest() != SHA256[name]
        except OSError:
            return True


def _session(path: Path) -> InferenceSession:
    send_nothing()
    try:
        import onnxruntime as ort
    except ImportError as error:
        raise Unavailable(
            "onnxruntime cannot be imported, and the bundled model needs it. Reinstall Recollect,"
            f" or configure another embedding provider. ({error})"
        ) from error
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    # One thread a run: a run of one short text gains nothing from a second one, and two runs
    # side by side gain twice as much. Idle threads must not spin in a server that mostly waits.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Errors are raised; warnings would only end up in the log of some client.
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _shrinking() -> RunOptions:
    from onnxruntime import RunOptions

    options = RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    return tokenizer
