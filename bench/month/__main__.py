"""What is kept of a month of transcripts: python -m bench.month [--show]."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.__main__ import repository
from bench.month.abroad import LANGUAGES
from bench.month.generate import month, write
from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.engine import Engine
from recollect.ops import Import
from recollect.rules.worth import worth
from recollect.store.memory import MemoryStore

if TYPE_CHECKING:
    from bench.month.generate import Planted

PUBLIC = Path(__file__).parents[3] / "shared" / "bench"
CHAT = Path(os.environ.get("RECOLLECT_BENCH_DATA", PUBLIC)) / "locomo.corpus.jsonl.gz"
RESULTS = Path(__file__).parents[1] / "results" / "month.json"
SEEDS = (7, 8, 9)


def measured(which: str, seed: int, *, show: bool) -> dict[str, object]:
    sessions, planted = month(which, seed)
    with tempfile.TemporaryDirectory() as folder:
        write(sessions, Path(folder))
        engine = Engine(MemoryStore(), lambda: open_embedder(EmbedSettings("hash")))
        begun = time.perf_counter()
        answer = engine.run(Import((".",), (folder,)))
        took = time.perf_counter() - begun
        again = len(engine.run(Import((".",), (folder,))).records)
    texts = [record.text for record in answer.records]
    found = [fact for fact in planted if any(fact.is_in(text) for text in texts)]
    junk = [text for text in texts if not any(fact.is_in(text) for fact in planted)]
    if show:
        _show(planted, found, junk)
    by: dict[str, list[bool]] = defaultdict(list)
    for fact in planted:
        by[fact.kind].append(fact in found)
    return {
        "seed": seed,
        "sessions": len(sessions),
        "turns": sum(len(session.turns) for session in sessions),
        "planted": len(planted),
        "kept of planted": round(len(found) / len(planted), 3),
        "kept": len(texts),
        "junk of kept": round(len(junk) / max(len(texts), 1), 3),
        "left out": len(answer.skipped),
        "kept a second time": again,
        "by kind": {kind: f"{sum(hits)}/{len(hits)}" for kind, hits in sorted(by.items())},
        "seconds": round(took, 2),
    }


def _show(planted: list[Planted], found: list[Planted], junk: list[str]) -> None:
    for fact in planted:
        if fact not in found:
            print("MISSED", fact.kind, fact.text)
    for text, count in Counter(junk).most_common():
        print("JUNK", count, text)


def small_talk() -> dict[str, object] | None:
    """How much is kept of talk between friends, of which hardly anything is about work."""
    if not CHAT.exists():
        return None
    rows = [json.loads(line) for line in gzip.decompress(CHAT.read_bytes()).splitlines()]
    kept = sum(1 for row in rows for _ in worth(row["text"].partition(": ")[2]))
    return {"turns": len(rows), "kept of 100 turns": round(100 * kept / len(rows), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.month", description=__doc__)
    parser.add_argument("--show", action="store_true", help="what dev missed, and what is junk")
    parser.add_argument("--held", action="store_true", help="also the held set; keeps the results")
    asked = parser.parse_args()
    names = ["dev", *(f"dev-{language}" for language in LANGUAGES)]
    sets = [*names, *(name.replace("dev", "held") for name in names)] if asked.held else names
    found: dict[str, object] = {
        "commit": repository()[0],
        "python": platform.python_version(),
        "small talk": small_talk(),
        **{
            which: [
                measured(which, seed, show=asked.show and which.startswith("dev")) for seed in SEEDS
            ]
            for which in sets
        },
    }
    print(json.dumps(found, indent=1))
    if asked.held:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
