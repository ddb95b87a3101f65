"""Stores of many records, built once and kept in a folder that git ignores.

Really embedding 100,000 texts would take a quarter of an hour, so a few texts of each topic are,
and the vector of a record is a mixture of those of its topic with noise that is the difference
of two others. Queries are always really embedded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

import recollect
from bench import words
from recollect import ops
from recollect.config import Config
from recollect.embed.bundled import MODEL, Bundled
from recollect.wiring import open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from recollect.engine import Engine

    Floats = NDArray[np.float32]

ROOT = Path(__file__).parent.parent
CACHE = Path(os.environ.get("RECOLLECT_BENCH_CACHE", ROOT / "build" / "bench"))
OF_A_TOPIC = 6
# What decides on the bytes of a store: a change of these builds the stores anew.
SHAPE = (
    "store/sqlite/migrations/*.sql", "store/sqlite/layout.py", "store/sqlite/codes.py",
    "rules/analyse.py", "rules/english.py", "rules/entities.py",
)  # fmt: skip


@cache
def key() -> str:
    package = Path(recollect.__file__).parent
    seen = blake2b(f"{words.GENERATOR} {MODEL}".encode(), digest_size=5)
    for pattern in SHAPE:
        for path in sorted(package.glob(pattern)):
            seen.update(path.read_bytes())
    return seen.hexdigest()


@cache
def embedded() -> Floats:
    """Really embedded texts: topics, texts of each, numbers."""
    path = CACHE / f"embedded-{words.GENERATOR}-{MODEL.name}.npy"
    if not path.exists():
        say(f"embedding {words.TOPICS * OF_A_TOPIC} texts")
        of = np.repeat(np.arange(words.TOPICS), OF_A_TOPIC)
        rows = Bundled().passages(words.texts(1_000_000, len(of), of))
        CACHE.mkdir(parents=True, exist_ok=True)
        np.save(path, rows)
    found: Floats = np.load(path).reshape(words.TOPICS, OF_A_TOPIC, -1)
    return found


def vectors(chunk: int, count: int = words.CHUNK) -> Floats:
    """The vectors of `words.texts(chunk, count)`."""
    known = embedded()
    flat = known.reshape(-1, known.shape[-1])
    rng = np.random.default_rng([words.GENERATOR, 5, chunk])
    topic = words.topics(chunk, count)
    shares = rng.dirichlet(np.full(OF_A_TOPIC, 0.8), count).astype(np.float32)
    rows = np.empty((count, known.shape[-1]), np.float32)
    for number in range(OF_A_TOPIC):
        part = shares[:, number, None] * known[topic, number]
        rows = part if number == 0 else rows + part
    one, other = rng.integers(0, len(flat), (2, count))
    rows += 0.6 * (flat[one] - flat[other])
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def open_store(folder: Path, *, embedding: str = "bundled", secrets: str = "block") -> Engine:
    """The engine as a user gets it, except that nothing is known in its cache file yet."""
    for path in folder.glob("memory.db-cache*"):
        path.unlink()
    store = str(folder / "memory.db")
    return open_engine(Config(store=store, embedding=embedding, secrets=secrets))


def built(records: int) -> Path:
    """The folder of a store with so many memories. Do not write to it."""
    folder = CACHE / key() / str(records)
    if not (folder / "done.json").exists():
        for old in (p for p in CACHE.glob("*/[0-9r]*") if p.parent.name != key()):
            shutil.rmtree(old)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        say(f"building a store of {records:,} records")
        _build(folder, records)
    return folder


@contextmanager
def copied(records: int) -> Iterator[Path]:
    """A store of that size to write to, gone afterwards. None has no records."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=CACHE, prefix="copy-") as name:
        folder = Path(name)
        if records:
            shutil.copytree(built(records), folder, dirs_exist_ok=True)
            os.sync()
        yield folder


def numbers(records: int) -> NDArray[np.int64]:
    """The store's own numbers of the records, in the order of their texts and vectors."""
    found: NDArray[np.int64] = np.load(built(records) / "seqs.npy")
    return found


def items(chunk: int, count: int) -> tuple[ops.Remember, ...]:
    """The texts of a chunk as they are remembered: of several users and projects, in sessions."""
    return tuple(
        ops.Remember(text, session=f"session-{chunk}-{i // 20}", similar=0)
        for i, text in enumerate(words.texts(chunk, count))
    )


def _build(folder: Path, records: int) -> None:
    begun = time.perf_counter()
    seqs: list[int] = []
    with open_store(folder) as engine:
        for chunk, begin in enumerate(range(0, records, words.CHUNK)):
            count = min(words.CHUNK, records - begin)
            op = ops.RememberAll(items(chunk, count), list(vectors(chunk, count)))
            seqs += [record.seq for record in engine.run(op).records]
        wrong = engine.run(ops.Verify()).problems if records <= 100_000 else ()
        assert not wrong, wrong
    np.save(folder / "seqs.npy", np.array(seqs))
    seconds = round(time.perf_counter() - begun, 1)
    (folder / "done.json").write_text(json.dumps({"records": records, "seconds": seconds}))
    say(f"built in {seconds} s")


def say(what: str) -> None:
    print(f"  {what}", file=sys.stderr, flush=True)
