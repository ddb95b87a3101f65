"""Sentences that people and assistants wrote, really embedded: 100,000, where the data is there.

It takes minutes, once. What is made behaves like it, but vectors are what should not be taken on
trust: how close the neighbours of a text are decides how well codes can tell them apart.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench import stores
from bench.stores import CACHE, ROOT, open_store, say
from recollect import ops
from recollect.embed.bundled import MODEL, Bundled

if TYPE_CHECKING:
    from bench.stores import Floats

FOLDER = Path(os.environ.get("RECOLLECT_BENCH_DATA", ROOT.parent / "shared" / "bench"))
CORPUS = FOLDER / "longmemeval_pool.corpus.jsonl.gz"
QUESTIONS = ("longmemeval_pool.queries.jsonl.gz", "locomo.queries.jsonl.gz")
SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")
SHORTEST = 40
STORED = 100_000
AT_ONCE = 10_000


def there() -> bool:
    return CORPUS.exists()


@cache
def sentences() -> list[str]:
    """Different sentences in an order of chance, so that those left out are like those stored."""
    said = (part.strip() for text in _texts(CORPUS) for part in SENTENCE.split(text))
    found = list(dict.fromkeys(part for part in said if len(part) > SHORTEST))
    order = np.random.default_rng(0).permutation(len(found))
    return [found[i] for i in order]


def questions(count: int) -> list[str]:
    said = dict.fromkeys(text for name in QUESTIONS for text in _texts(FOLDER / name))
    order = np.random.default_rng(1).permutation(len(said))[:count]
    every = list(said)
    return [every[i] for i in order]


@cache
def vectors() -> Floats:
    """Those of all sentences, in their order."""
    path = CACHE / f"real-{MODEL.name}.npy"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        np.save(path, np.concatenate([_part(at) for at in range(0, len(sentences()), AT_ONCE)]))
    found: Floats = np.load(path)
    return found


def _part(at: int) -> Floats:
    path = CACHE / f"real-{MODEL.name}-{at}.npy"
    if not path.exists():
        say(f"embedding real sentences from {at:,}")
        np.save(path, Bundled().passages(sentences()[at : at + AT_ONCE]))
    found: Floats = np.load(path)
    return found


def built() -> Path:
    """A store of them."""
    folder = CACHE / stores.key() / "real"
    if not (folder / "seqs.npy").exists():
        vectors()
        folder.mkdir(parents=True, exist_ok=True)
        seqs: list[int] = []
        with open_store(folder, secrets="allow") as engine:
            for at in range(0, STORED, AT_ONCE):
                part = range(at, min(at + AT_ONCE, STORED))
                items = tuple(ops.Remember(sentences()[i]) for i in part)
                op = ops.RememberAll(items, [vectors()[i] for i in part])
                seqs += [record.seq for record in engine.run(op).records]
        np.save(folder / "seqs.npy", np.array(seqs))
    return folder


def _texts(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line)["text"] for line in file]
