"""How often texts that say the same are taken for that, and decisions of one matter for that.

Run from the root: python -m bench.lessons
"""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.conflicts import share
from recollect.embed.bundled import Bundled
from recollect.model import Sense
from recollect.rules import mine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).parent
GROUPS = HERE / "data" / "lessons.jsonl"
RESULTS = HERE / "results" / "lessons.json"
HALVES = ("development", "held")
ORDERS = 20


class Text:
    """A text with what it says, and what that is about."""

    def __init__(self, row: dict[str, str], taught: mine.Taught) -> None:
        self.topic = row["topic"]
        self.says = (row["topic"], row["says"])
        self.taught = taught


def texts(half: str, model: Bundled) -> list[Text]:
    rows = [json.loads(line) for line in GROUPS.read_text("utf-8").splitlines()]
    said = [(row, text) for row in rows if row["half"] == half for text in row["texts"]]
    senses = model.senses([text for _, text in said])
    return [
        Text(row, mine.Taught(f"dec_{place}", text, mine.LESSON, *sense[:2]))
        for place, ((row, text), sense) in enumerate(zip(said, senses, strict=True))
    ]


def pairs(
    every: Sequence[Text],
    right: Callable[[Text, Text], bool],
    said: Callable[[mine.Taught, mine.Taught], bool],
) -> dict[str, Any]:
    """Precision and recall over all pairs."""
    judged = [(right(a, b), said(a.taught, b.taught)) for a, b in combinations(every, 2)]
    hits = sum(true and found for true, found in judged)
    return {
        "pairs": len(judged),
        "precision": share(hits, sum(found for _, found in judged)),
        "recall": share(hits, sum(true for true, _ in judged)),
    }


def gathered(every: Sequence[Text]) -> dict[str, object]:
    """Clusters of at least three, over several orders in which the texts may come."""
    known = {one.taught.decision: one for one in every}
    there = {one.says for one in every}
    there = {says for says in there if sum(one.says == says for one in every) >= mine.FEWEST}
    clusters = pure = found = 0
    for order in range(ORDERS):
        mixed = list(every)
        random.Random(order).shuffle(mixed)
        seen = set()
        for cluster in mine.clusters((), [one.taught for one in mixed]):
            if len(cluster.decisions) < mine.FEWEST:
                continue
            says = [known[id_].says for id_ in cluster.decisions]
            most = max({*says}, key=says.count)
            clusters += 1
            pure += 2 * says.count(most) > len(says)
            if most in there and says.count(most) >= mine.FEWEST:
                seen.add(most)
        found += len(seen)
    return {
        "clusters of which most say one thing": share(pure, clusters),
        "groups found": share(found, len(there) * ORDERS),
    }


def near(one: mine.Taught, other: mine.Taught) -> bool:
    likeness = mine.likeness(Sense(one.vector, one.codes), Sense(other.vector, other.codes))
    return mine.of_one_matter(one.text, other.text, likeness or 0.0)


def main() -> None:
    model = Bundled()
    results: dict[str, object] = {}
    for half in HALVES:
        every = texts(half, model)
        chosen = [one for one in every if one.topic.startswith("choice-")]
        results[half] = {
            "say the same": pairs(every, lambda a, b: a.says == b.says, mine.same),
            "gathered": gathered(every),
            "decisions of one matter": pairs(chosen, lambda a, b: a.topic == b.topic, near),
        }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
