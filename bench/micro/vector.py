"""How many of the ten exactly nearest vectors the store's search answers."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bench import real, words
from bench.limits import DIMENSIONS
from bench.measure import Figure, Target, load, p50, percentile
from bench.stores import built, numbers, open_store, vectors
from recollect.embed.bundled import Bundled
from recollect.model import Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from bench.measure import Plan
    from bench.stores import Floats
    from recollect.store import Store

TARGET = Target("value", at_least=0.99)
LIMIT = 10


def run(plan: Plan) -> Iterator[Figure]:
    yield from _made(plan)
    if real.there() and not plan.quick:
        yield from _real(plan)


def _made(plan: Plan) -> Iterator[Figure]:
    each = plan.rounds(300, 60)
    kinds = _kinds(each)
    for records in plan.sizes:
        chunks = range(0, records, words.CHUNK)
        parts = (vectors(i, min(words.CHUNK, records - at)) for i, at in enumerate(chunks))
        exact = _exact(np.concatenate(list(kinds.values())), parts, numbers(records))
        folder = built(records)
        with open_store(folder) as engine:
            for number, (kind, asked) in enumerate(kinds.items()):
                rows = exact[number * each : (number + 1) * each]
                yield _measured(engine.ports.store, kind, asked, rows, records)


def _kinds(each: int) -> dict[str, Floats]:
    """Vectors to search with: of the sorts that are asked for, and one that is hard."""
    model = Bundled()
    rng = np.random.default_rng([words.GENERATOR, 6])
    random = rng.normal(size=(each, DIMENSIONS)).astype(np.float32)
    return {
        "questions": np.array([model.query(text) for text in words.queries(2, each)]),
        "texts": model.passages(words.texts(2_500_000, each)),
        "made vectors": vectors(2_500_000, each),
        "random directions": random / np.linalg.norm(random, axis=1, keepdims=True),
    }


def _real(plan: Plan) -> Iterator[Figure]:
    """The same among real sentences, with real questions and sentences that are not stored."""
    model, count = Bundled(), plan.rounds(1_000, 100)
    kinds = {
        "real questions": np.array([model.query(text) for text in real.questions(count)]),
        "real sentences": real.vectors()[real.STORED :][:count],
    }
    folder = real.built()
    stored, seqs = real.vectors()[: real.STORED], np.load(folder / "seqs.npy")
    with open_store(folder) as engine:
        for kind, asked in kinds.items():
            parts = (stored[at : at + words.CHUNK] for at in range(0, real.STORED, words.CHUNK))
            exact = _exact(asked, parts, seqs)
            yield _measured(engine.ports.store, kind, asked, exact, real.STORED)


def _exact(asked: Floats, parts: Iterable[Floats], seqs: NDArray[np.int64]) -> list[set[int]]:
    """For each vector, the numbers of the records that are nearest."""
    best: list[list[tuple[float, int]]] = [[] for _ in asked]
    begin = 0
    for rows in parts:
        cosines = asked @ rows.T
        tops = np.argpartition(-cosines, LIMIT, axis=1)[:, :LIMIT]
        for number, top in enumerate(tops):
            found = [(float(cosines[number, i]), int(seqs[begin + i])) for i in top]
            best[number] = sorted(best[number] + found, reverse=True)[:LIMIT]
        begin += len(rows)
    return [{seq for _, seq in one} for one in best]


def _measured(
    store: Store, kind: str, asked: Floats, exact: Sequence[set[int]], records: int
) -> Figure:
    shares: list[float] = []
    times: list[float] = []
    with store.reading() as reader:
        for vector, right in zip(asked, exact, strict=True):
            begun = perf_counter()
            found = reader.nearest(vector, Where(), LIMIT)
            times.append((perf_counter() - begun) * 1e3)
            shares.append(len({c.seq for c in found} & right) / LIMIT)
    return Figure(
        "vector",
        f"recall@10 against exact float32, {kind}",
        round(float(np.mean(shares)), 4),
        "share",
        records,
        targets=(TARGET,),
        rounds=len(shares),
        detail={
            "nearest p50 ms": round(p50(times), 3),
            "nearest p99 ms": round(percentile(times, 0.99), 3),
            "lowest": min(shares),
        },
        load=load(),
    )
