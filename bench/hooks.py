"""How long a person waits for a hook, the start of the interpreter included.

Run from the root: python bench/hooks.py [--records N] [--rounds N] [--keep]
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import recollect
from bench import words
from bench.__main__ import machine, repository
from bench.measure import load
from recollect.config import Config
from recollect.model import Scope
from recollect.ops import Remember, RememberAll
from recollect.wiring import open_engine

BARE = "bare interpreter"
COMMAND = str(Path(sys.executable).with_name("recollect"))
RESULTS = Path(__file__).parent / "results" / "hooks.json"


def filled(folder: str, records: int) -> str:
    """A store with so many memories, by a model that costs nothing: only words are searched."""
    store = f"{folder}/memory.db"
    with open_engine(Config(store=store, embedding="hash")) as engine:
        for chunk in range(-(-records // words.CHUNK)):
            texts = words.texts(chunk, min(words.CHUNK, records - chunk * words.CHUNK))
            items = (
                Remember(text, Scope(project="shop" if n % 3 else ""), similar=0)
                for n, text in enumerate(texts)
            )
            engine.run(RememberAll(tuple(items)))
    return store


def took(
    command: list[str], given: bytes, environment: dict[str, str]
) -> tuple[float, float, bool]:
    """Milliseconds on the clock and of the processor, and whether it said something."""
    begun, used = time.perf_counter(), _used()
    done = subprocess.run(command, input=given, check=True, capture_output=True, env=environment)
    return (time.perf_counter() - begun) * 1e3, (_used() - used) * 1e3, bool(done.stdout)


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def at(several: list[float], share: float) -> float:
    return round(sorted(several)[int(len(several) * share)], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--keep", action="store_true", help="write the results down")
    asked = parser.parse_args()
    compileall.compile_dir(Path(recollect.__file__).parent, quiet=1)
    runs: dict[str, list[tuple[float, float, bool]]] = {BARE: [], "start": [], "prompt": []}
    before = load()
    with TemporaryDirectory() as folder:
        store = filled(folder, asked.records)
        environment = {**os.environ, "RECOLLECT_STORE": store, "PYTHONDONTWRITEBYTECODE": ""}
        for query in words.queries(5, asked.rounds):
            said = {"session_id": "s", "cwd": folder, "prompt": query}
            for name, several in runs.items():
                command = [COMMAND, "hook", name]
                if name == BARE:
                    command = [sys.executable, "-c", "pass"]
                several.append(took(command, json.dumps(said).encode(), environment))
    found = {
        "commit": repository()[0],
        "machine": machine(),
        "load": [before, load()],
        "records": asked.records,
        "rounds": asked.rounds,
        "ms": {
            name: {
                "wall p50": at([wall for wall, _, _ in several], 0.5),
                "wall p95": at([wall for wall, _, _ in several], 0.95),
                "processor p50": at([cpu for _, cpu, _ in several], 0.5),
                "processor p95": at([cpu for _, cpu, _ in several], 0.95),
                "spoke": sum(spoke for _, _, spoke in several),
            }
            for name, several in runs.items()
        },
    }
    print(json.dumps(found, indent=1))
    if asked.keep:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
