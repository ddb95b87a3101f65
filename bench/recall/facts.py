"""Facts that replace each other: what was so then, what is so now, and what is nearly the same."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.recall.sets import FOLDER, lines
from bench.recall.ways import known
from bench.stores import CACHE
from recollect import ops
from recollect.config import Config
from recollect.rules.fold import likeness
from recollect.wiring import open_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.recall.sets import Question, Set

CHANGED = "knowledge-update"


def as_of(name: str) -> dict[str, object]:
    """Each fact is stored and takes the place of the one before; then it is asked what held when.

    The answer is the first hit. Facts go in oldest first, as they were learned.
    """
    told: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in lines(name, "facts"):
        told[row["key"]].append(row)
    right: list[bool] = []
    latest: list[bool] = []
    CACHE.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=CACHE, prefix="facts-") as folder,
        open_engine(Config(store=str(Path(folder) / "memory.db"))) as engine,
    ):
        values: dict[str, list[str]] = {}
        for key, facts in told.items():
            before: tuple[str, ...] = ()
            for fact in sorted(facts, key=_since):
                text = f"{key}: {' / '.join(dict.fromkeys(fact['value']))}"
                op = ops.Remember(text, valid_from=_since(fact), supersedes=before)
                made = engine.run(op).record
                values[made.id] = fact["value"]
                before = (made.id,)
        for row in lines(name, "asof"):
            for found, year in ((right, row["as_of"]), (latest, None)):
                op = ops.Recall(row["key"], limit=1, as_of=_end_of(year))
                hits = engine.run(op).hits
                said = values[hits[0].record.id] if hits else []
                found.append(bool(set(said).intersection(row["answer"])))
    return {
        "facts": len(values),
        "questions": len(right),
        "as of then": round(sum(right) / len(right), 4),
        "latest only": round(sum(latest) / len(latest), 4),
    }


def _since(fact: dict[str, Any]) -> datetime:
    """The day that a fact gives, or the first one of its year."""
    said = fact["valid_from"]
    form = "%Y" if said.isdigit() else "%B %d, %Y"
    return datetime.strptime(said, form).replace(tzinfo=UTC)


def _end_of(year: str | None) -> datetime | None:
    """What was so as of a year was so at its end."""
    return datetime(int(year), 12, 31, tzinfo=UTC) if year else None


def newest_first(given: Set, answers: dict[str, list[str]]) -> dict[str, object]:
    """Of statements that replace each other, how often the newest stands before the others.

    What is not found at all does not stand anywhere, so that a question of which only the older
    statement is found counts as wrong.
    """
    asked: list[Question] = [
        question
        for some in given.questions.values()
        for question in some
        if question.category == CHANGED and len(question.relevant) > 1
    ]
    if not asked:
        return {}
    time = {d.id: d.time for some in given.documents.values() for d in some}
    right = sum(_newest_first(answers[question.id], question, time) for question in asked)
    return {"questions": len(asked), "newest first": round(right / len(asked), 4)}


def _newest_first(
    found: Sequence[str], question: Question, time: dict[str, datetime | None]
) -> bool:
    newest = max(question.relevant, key=lambda id_: str(time[id_]))
    return next((one for one in found if one in question.relevant), None) == newest


def near_duplicates(name: str) -> dict[str, object]:
    """How the similarity by which near duplicates are folded orders pairs that people judged."""
    rows = list(lines_of_pairs(name))
    model = known()
    first, second = (model.senses([row[side] for row in rows]) for side in "ab")
    model.close()
    said = np.array([likeness(one, other) for one, other in zip(first, second, strict=True)])
    judged = np.array([row["score"] for row in rows])
    return {"pairs": len(rows), "Spearman": round(spearman(said, judged), 4)}


def lines_of_pairs(name: str) -> list[dict[str, Any]]:
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def spearman(one: np.ndarray, other: np.ndarray) -> float:  # type: ignore[type-arg]
    """The correlation of ranks, those of equal values being their mean."""
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean: np.ndarray = ((ends - counts + ends - 1) / 2)[inverse]  # type: ignore[type-arg]
    return mean
