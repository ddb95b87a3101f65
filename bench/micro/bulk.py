"""Many texts at once: with embedding against the model alone, and with vectors given."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import apsw

from bench import words
from bench.limits import raw_model
from bench.measure import Figure, Target, load, p50
from bench.stores import copied, items, open_store, vectors
from recollect import ops
from recollect.embed.bundled import Bundled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bench.measure import Plan

EMBEDDED = Target("ratio", at_least=0.9)
GIVEN = Target("value", at_least=25_000)
# Texts a run of the model and runs side by side, of which the best counts.
BATCHES = ((1, 2), (4, 2), (8, 2), (16, 2))


def run(plan: Plan) -> Iterator[Figure]:
    yield from _embedded(plan)
    yield _given(plan)


def _rate(count: int, work: Callable[..., object], *arguments: object) -> float:
    begun = perf_counter()
    work(*arguments)
    return count / (perf_counter() - begun)


def _ratio(rates: Sequence[float], limits: Sequence[float]) -> float:
    """The ratio of an ordinary round, each to the limit of its own round."""
    return round(p50([rate / limit for rate, limit in zip(rates, limits, strict=True)]), 3)


def _batched(texts: Sequence[str], size: int, side_by_side: int) -> None:
    raw = raw_model()
    tokens = sorted(raw.tokenized(texts), key=len)
    batches = [tokens[i : i + size] for i in range(0, len(tokens), size)]
    with ThreadPoolExecutor(side_by_side) as pool:
        list(pool.map(raw.run, batches))


def _embedded(plan: Plan) -> Iterator[Figure]:
    count, rounds = plan.rounds(512, 64), plan.rounds(5, 2)
    model = Bundled()
    rates: dict[str, list[float]] = {}
    with copied(0) as folder, open_store(folder) as engine:
        engine.run(ops.Remember("The model is loaded."))
        model.query("The model is loaded.")
        for number in range(rounds):
            texts = words.texts(4_000_000 + number, count)
            op = ops.RememberAll(tuple(ops.Remember(text) for text in texts))
            ways: dict[str, Callable[[], object]] = {
                "RememberAll": partial(engine.run, op),
                "Bundled.passages": partial(model.passages, texts),
            }
            for size, beside in BATCHES:
                name = f"onnxruntime, {size} a run, {beside} runs side by side"
                ways[name] = partial(_batched, texts, size, beside)
            for name, work in ways.items():
                rates.setdefault(name, []).append(_rate(count, work))
    found = {name: round(p50(of), 1) for name, of in rates.items()}
    raw = max((name for name in found if name.startswith("onnx")), key=found.__getitem__)
    for limit in ("Bundled.passages", raw):
        yield Figure(
            "bulk",
            f"RememberAll of {count}, embedding included",
            found["RememberAll"],
            "records/s",
            limit=found[limit],
            limit_is=limit,
            ratio=_ratio(rates["RememberAll"], rates[limit]),
            targets=(EMBEDDED,),
            rounds=rounds,
            detail=dict(found),
            load=load(),
        )


def _plain(folder: Path, texts: Sequence[str], rows: Sequence[bytes]) -> float:
    """Texts, their words and their vectors in SQLite, and nothing else."""
    db = apsw.Connection(str(folder / "plain.db"))
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", "full")
    db.execute("CREATE TABLE IF NOT EXISTS record (id INTEGER PRIMARY KEY, text TEXT, data BLOB)")
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content='')")

    def work() -> None:
        with db:
            first = (db.execute("SELECT max(id) FROM record").get or 0) + 1
            every = range(first, first + len(texts))
            whole = zip(every, texts, rows, strict=True)
            db.executemany("INSERT INTO record VALUES (?, ?, ?)", whole)
            indexed = zip(every, texts, strict=True)
            db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", indexed)

    try:
        return _rate(len(texts), work)
    finally:
        db.close()


def _given(plan: Plan) -> Figure:
    records, rounds = plan.largest, plan.rounds(5, 1)
    count = min(words.CHUNK, records)
    rates: list[float] = []
    plain: list[float] = []
    with copied(records) as folder, open_store(folder) as engine:
        for number in range(rounds):
            chunk = 5_000_000 + number
            op = ops.RememberAll(items(chunk, count), list(vectors(chunk, count)))
            rates.append(_rate(count, partial(engine.run, op)))
            texts = words.texts(chunk, count)
            codes = [row.astype("float16").tobytes() for row in vectors(chunk, count)]
            plain.append(_plain(folder, texts, codes))
    return Figure(
        "bulk",
        f"RememberAll of {count:,}, vectors given",
        round(p50(rates)),
        "records/s",
        records,
        limit=round(p50(plain)),
        limit_is="text, words and vector in plain SQLite",
        ratio=_ratio(rates, plain),
        targets=(GIVEN,),
        rounds=rounds,
        load=load(),
    )
