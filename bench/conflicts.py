"""How often the hints of `recollect.rules.conflict` are right.

Run from the root: python bench/conflicts.py [--held] [--read N]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import time
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.embed.bundled import Bundled
from recollect.rules import conflict as rule
from recollect.rules import roles

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
PAIRS = HERE / "data" / "conflicts.jsonl"
EVERYDAY = HERE / "data" / "everyday.jsonl"
ROLES = HERE / "data" / "roles.jsonl"
PUBLIC = Path(os.environ.get("RECOLLECT_BENCH_DATA", HERE.parent.parent / "shared" / "bench"))
RESULTS = HERE / "results" / "conflicts.json"
LOCOMO, SITUATED = "locomo.corpus.jsonl.gz", "situatedqa.facts.jsonl.gz"
NEAREST = 5
# As many as are looked at when something is stored.
NEIGHBOURS = 10

Judged = list[tuple[dict[str, str], rule.Verdict]]


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not of:
        return (0.0, 1.0)
    share, more = hits / of, z * z / of
    middle = (share + more / 2) / (1 + more)
    half = z * sqrt(share * (1 - share) / of + more / of / 4) / (1 + more)
    return (round(max(middle - half, 0.0), 3), round(min(middle + half, 1.0), 3))


def share(hits: int, of: int) -> dict[str, object]:
    return {"hits": hits, "of": of, "share": round(hits / of, 3) if of else None} | {
        "interval": wilson(hits, of)
    }


def cosines(model: Bundled, pairs: Sequence[tuple[str, str]]) -> list[float]:
    texts = sorted({text for pair in pairs for text in pair})
    rows = dict(zip(texts, model.passages(texts), strict=True))
    return [float(rows[old] @ rows[new]) for old, new in pairs]


def figures(judged: Judged) -> dict[str, object]:
    """Precision and recall of `conflict` and `same`, and where hints go, by category."""
    found: dict[str, object] = {"pairs": len(judged)}
    for label in ("conflict", "same"):
        said = [pair for pair, verdict in judged if getattr(verdict, label)]
        right = sum(pair["label"] == label for pair in said)
        there = sum(pair["label"] == label for pair, _ in judged)
        found[label] = {"precision": share(right, len(said)), "recall": share(right, there)}
    by: dict[str, list[bool]] = defaultdict(list)
    listed: dict[str, list[bool]] = defaultdict(list)
    for pair, verdict in judged:
        by[f"{pair['label']}/{pair['category']}"].append(verdict.conflict)
        listed[pair["label"]].append(verdict.similar)
    found["said conflict, by category"] = {k: f"{sum(v)}/{len(v)}" for k, v in sorted(by.items())}
    found["listed as similar"] = {k: f"{sum(v)}/{len(v)}" for k, v in sorted(listed.items())}
    return found


def labelled(model: Bundled, half: str, *paths: Path) -> dict[str, object]:
    rows = [row for path in paths for row in read(path) if row["half"] == half]
    near = cosines(model, [(row["old"], row["new"]) for row in rows])
    both = list(zip(rows, near, strict=True))
    return {
        "with the bundled model": figures(
            [(r, rule.judge(r["old"], r["new"], c)) for r, c in both]
        ),
        "words alone": figures([(r, rule.judge(r["old"], r["new"], None)) for r, _ in both]),
    }


def strangers(model: Bundled, half: str) -> dict[str, object]:
    """Each new text of a half, stored beside the old ones of all other pairs of that half.

    Hardly any two of them are about one thing, so nearly every conflict is a false alarm.
    """
    rows = [row for path in (PAIRS, EVERYDAY) for row in read(path) if row["half"] == half]
    olds, news = [row["old"] for row in rows], [row["new"] for row in rows]
    near = model.passages(news) @ model.passages(olds).T
    alarms = pairs = 0
    for at, row in enumerate(rows):
        others = [i for i in near[at].argsort()[::-1] if olds[i] != row["old"]][:NEIGHBOURS]
        verdicts = [rule.judge(olds[i], row["new"], float(near[at][i])) for i in others]
        alarms += sum(one.conflict for one in verdicts)
        pairs += len(verdicts)
    return {"stored": len(rows), "pairs": pairs, "conflicts": alarms}


def chats(model: Bundled, show: int) -> dict[str, object]:
    """Chats turn by turn, each turn against the five nearest before it, as if each were stored."""
    told: dict[str, list[str]] = defaultdict(list)
    for row in read(PUBLIC / LOCOMO):
        told[row["meta"]["group"]].append(row["text"])
    hints: list[tuple[float, str, str]] = []
    found = {group: chat(model, texts, hints) for group, texts in told.items()}
    for similarity, old, new in hints[:show]:
        print(f"{similarity:.3f}\n  {old}\n  {new}")
    return {**found, "hints": len(hints)}


def chat(
    model: Bundled, texts: list[str], hints: list[tuple[float, str, str]]
) -> dict[str, object]:
    near = model.passages(texts)
    counts: Counter[str] = Counter()
    stores = 0
    for at in range(1, len(texts)):
        close = near[:at] @ near[at]
        verdicts = [
            (rule.judge(texts[i], texts[at], float(close[i])), i)
            for i in sorted(range(at), key=lambda i: -close[i])[:NEAREST]
        ]
        said = [(v, i) for v, i in verdicts if v.conflict]
        stores += bool(said)
        counts.update(conflict=len(said), same=sum(v.same for v, _ in verdicts))
        counts.update(similar=sum(v.similar for v, _ in verdicts), pairs=len(verdicts))
        hints += [(v.similarity, texts[i], texts[at]) for v, i in said]
    each = 100 / (len(texts) - 1)
    return {
        "turns": len(texts),
        "conflicts per 100 stores": round(counts["conflict"] * each, 2),
        "stores with a conflict, per 100": round(stores * each, 2),
        "same per 100 stores": round(counts["same"] * each, 2),
        "similar per 100 stores": round(counts["similar"] * each, 2),
        "pairs": counts["pairs"],
    }


def successions(model: Bundled) -> dict[str, object]:
    """Facts that replaced each other, told as question and answer, each against the next."""
    facts: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in read(PUBLIC / SITUATED):
        facts[str(row["key"])].append(row)
    pairs = []
    for key, told in sorted(facts.items()):
        told.sort(key=lambda row: str(row["valid_from"]))
        said = [f"{key}: {row['value'][0]}" for row in told]  # type: ignore[index]
        pairs += [(a, b) for a, b in pairwise(said) if a != b]
    near = cosines(model, pairs)
    found = {
        "with the bundled model": [rule.judge(*p, c) for p, c in zip(pairs, near, strict=True)],
        "words alone": [rule.judge(*p, None) for p in pairs],
    }
    others = [(a, b) for (a, _), (_, b) in zip(pairs, pairs[1:] + pairs[:1], strict=True)]
    far = cosines(model, others)
    return {
        "recall": {k: share(sum(v.conflict for v in vs), len(vs)) for k, vs in found.items()},
        "listed": {k: share(sum(v.similar for v in vs), len(vs)) for k, vs in found.items()},
        "another question's": share(
            sum(rule.judge(*p, c).conflict for p, c in zip(others, far, strict=True)), len(others)
        ),
    }


def speed() -> dict[str, float]:
    """Microseconds a pair: a new text against twenty old ones, none of them read before."""
    rows = read(PAIRS)
    best = []
    for _ in range(5):
        rule._read.cache_clear()  # noqa: SLF001
        roles._text.cache_clear()  # noqa: SLF001
        start = time.perf_counter()
        for at in range(0, len(rows), 20):
            for row in rows[at : at + 20]:
                rule.judge(row["old"], rows[at]["new"], 0.9)
        best.append((time.perf_counter() - start) / len(rows))
    return {"µs a pair": round(min(best) * 1e6, 1)}


def read(path: Path) -> list[dict]:  # type: ignore[type-arg]
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(line) for line in text.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held", action="store_true", help="also the held half; keeps the results")
    parser.add_argument("--read", type=int, default=0, help="print so many hints of the chat")
    asked = parser.parse_args()
    model = Bundled()
    found: dict[str, object] = {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "model": model.model.name,
        "pairs": sha256(PAIRS.read_bytes()).hexdigest(),
        "everyday pairs": sha256(EVERYDAY.read_bytes()).hexdigest(),
        "dev": labelled(model, "dev", PAIRS),
        "everyday, dev": labelled(model, "dev", EVERYDAY),
        "roles, dev": labelled(model, "dev", ROLES),
        "strangers, dev": strangers(model, "dev"),
    }
    if asked.held:
        found["held"] = labelled(model, "held", PAIRS)
        found["everyday, held"] = labelled(model, "held", EVERYDAY)
        found["roles, held"] = labelled(model, "held", ROLES)
        found["both, held"] = labelled(model, "held", PAIRS, EVERYDAY)
        found["strangers, held"] = strangers(model, "held")
    if (PUBLIC / LOCOMO).exists():
        found["chat"] = chats(model, asked.read)
        found["successions"] = successions(model)
    found["speed"] = speed()
    print(json.dumps(found, indent=2, ensure_ascii=False))
    # What is published has both halves.
    if asked.held:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
