"""The benchmarks of code search: `python -m bench.code [STAGE ...]`.

speed      indexing the running Python's standard library without its tests
latency    searching a hundred thousand pieces that all have vectors
branch     another branch of ten thousand files under watch
quality    first sentences of docstrings ask for their functions, entries of changelogs for files,
           in installed packages without docstrings, beside FTS5 over windows of forty lines
questions  questions as people ask them about repositories in many languages, beside the same;
           `fetch` fills the folder that RECOLLECT_BENCH_CODE names with those repositories
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sysconfig
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bench.__main__ import machine, repository
from bench.code import branches, corpus, repositories, vectors
from bench.code.baseline import Place, Windows
from bench.code.changelogs import issues
from bench.code.gains import ndcg
from bench.measure import load, percentile
from recollect.config import Config
from recollect.model import Kind, Where
from recollect.ops import IndexProject, SearchCode
from recollect.rules.code.records import place
from recollect.wiring import open_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.engine import Engine

RESULTS = Path(__file__).parents[1] / "results" / "code"
STAGES = ("speed", "latency", "branch", "quality", "questions")
FILES = 10_000
QUESTIONS = 1_500
LEFT_OUT = shutil.ignore_patterns(
    *("site-packages", "test", "tests", "idle_test", "__pycache__", "*.so", "*.a", "*.o")
)
CODE = Where(kinds=(Kind.CODE,))


def main() -> int:
    asked = _arguments()
    if asked.stages == ["fetch"]:
        print(*(f"could not be had: {name}" for name in repositories.fetch()), sep="\n")
        return 0
    begun, first_load = datetime.now(UTC), load()
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        for stage in asked.stages or STAGES:
            found = globals()[stage](Path(folder))
            found["load"] = load()
            for name, value in found.items():
                print(f"{stage:8} {name:48} {value}", flush=True)
            figures[stage] = found
    if not asked.no_file:
        RESULTS.mkdir(parents=True, exist_ok=True)
        said = {
            "begun": begun.isoformat(),
            "load": [first_load, load()],
            "machine": machine(),
            "repository": repository(),
            "figures": figures,
        }
        path = RESULTS / f"{begun:%Y-%m-%dT%H%M%S}.json"
        path.write_text(json.dumps(said, indent=1, default=str) + "\n", "utf-8")
    return 0


def speed(folder: Path) -> dict[str, object]:
    """Indexing the standard library: cold, again, after one change, and under watch."""
    root = library(folder)
    with opened(folder / "speed.db") as engine:
        firsts: list[float] = []
        clock = time.perf_counter()
        answer = engine.run(
            IndexProject(str(root)), lambda *_: firsts.append(time.perf_counter() - clock)
        )
        cold = time.perf_counter() - clock
        again = timed(lambda: engine.run(IndexProject(str(root))))
        changes = [changed(engine, root, number) for number in range(9)]
        engine.run(IndexProject(str(root), watch=True))
        watched = [saved(engine, root, number) for number in range(5)]
    return {
        "files": answer.files,
        "pieces": answer.chunks,
        "cold, s": round(cold, 2),
        "first files found, s": round(firsts[0], 2),
        "nothing changed, s": round(again, 3),
        "one file changed, ms (median)": round(1e3 * percentile(changes, 0.5)),
        "one file saved under watch, ms (median)": round(1e3 * percentile(watched, 0.5)),
    }


def latency(folder: Path) -> dict[str, object]:
    """Searching a hundred thousand pieces, all of which have vectors."""
    asked = docstrings(folder)
    with opened(folder / "latency.db") as engine:
        engine.run(IndexProject(str(folder / "packages")))
        engine.run(IndexProject(str(library(folder))))
        for package in ("numpy", "setuptools", "google", "opentelemetry", "sklearn", "mcp_types"):
            if (corpus.SITE / package).is_dir():
                engine.run(IndexProject(str(corpus.SITE / package)))
        copies = 0
        while (pieces := total(engine)) < 100_000:
            copies += 1
            again = folder / f"copy{copies}"
            shutil.copytree(library(folder), again)
            engine.run(IndexProject(str(again)))
        filled = vectors.fill(engine)
        for warm in ("warm up", "open a file", "parse the arguments"):
            assert engine.run(SearchCode(warm, CODE)).semantic
        # No query is asked twice, so that each is embedded anew.
        times: list[float] = []
        spent: list[float] = []
        for one in asked:
            before = time.process_time()
            times.append(timed(lambda one=one: engine.run(SearchCode(one.query, CODE))))
            spent.append(time.process_time() - before)
    return {
        "pieces": pieces,
        "of them with vectors": filled,
        "queries": len(times),
        "p50, ms": round(1e3 * percentile(times, 0.5), 1),
        "p95, ms": round(1e3 * percentile(times, 0.95), 1),
        "p99, ms": round(1e3 * percentile(times, 0.99), 1),
        "CPU of all threads, p50, ms": round(1e3 * percentile(spent, 0.5), 1),
    }


def branch(folder: Path) -> dict[str, object]:
    """Another branch of ten thousand files under watch, and back."""
    root = branches.made(folder / "branches", FILES)
    with opened(folder / "branch.db") as engine:
        engine.run(IndexProject(str(root), watch=True))
        engine.run(SearchCode("job_7", CODE))
        before, held = engine.ports.watchers.rounds, memory("VmRSS")
        clock = time.perf_counter()
        branches.switch(root, "next")
        switched = time.perf_counter() - clock
        # The old index answers meanwhile.
        asked = timed(lambda: engine.run(SearchCode("job_7", CODE)))
        assert engine.ports.watchers.wait(before, 600)
        followed = time.perf_counter() - clock
        there, said = branches.written(root), branches.indexed(engine)
        assert engine.ports.watchers.rounds == before + 1
    return {
        "files": len(there),
        "lost or stale": len({*there.items()} ^ {*said.items()}),
        "rounds": 1,
        "git took, s": round(switched, 1),
        "followed after, s": round(followed, 1),
        "a search meanwhile, ms": round(1e3 * asked, 1),
        "memory before and at most, MB": [held, memory("VmHWM")],
    }


def questions_in(engine: Engine, name: str, query: str, most: int) -> list[str]:
    hits = engine.run(SearchCode(query, Where(project=name, kinds=(Kind.CODE,)), most)).hits
    return [hit.record.source_ref for hit in hits]


def questions(folder: Path) -> dict[str, object]:
    """Questions as people ask them, by words and links, and by meaning too."""
    asked = [one for one in repositories.questions() if repositories.place(one.repository)]
    places = {one.repository: repositories.place(one.repository) for one in asked}
    figures: dict[str, object] = {"questions": len(asked), "repositories": len(places)}
    with opened(folder / "questions.db") as engine:
        names = {
            one: engine.run(IndexProject(str(place))).project.id for one, place in places.items()
        }
        base = {one: Windows(place, "*") for one, place in places.items()}

        def windows(one: repositories.Question, most: int) -> list[str]:
            return [found.path for found in base[one.repository].search(one.query, most)]

        def ours(one: repositories.Question, most: int) -> list[str]:
            return questions_in(engine, names[one.repository], one.query, most)

        for said, search in (("windows", windows), ("words and links", ours)):
            figures |= _gains(said, asked, search)
        if os.environ.get("RECOLLECT_BENCH_VECTORS"):
            engine.settle()
            figures |= _gains("meaning too", asked, ours)
    return figures


def _gains(
    said: str,
    asked: list[repositories.Question],
    search: Callable[[repositories.Question, int], list[str]],
) -> dict[str, object]:
    pieces = [ndcg(search(one, 10), one.files) for one in asked]
    files = [ndcg(list(dict.fromkeys(search(one, 30))), one.files) for one in asked]
    return {
        f"nDCG@10 of pieces, {said}": round(sum(pieces) / len(asked), 3),
        f"nDCG@10 of files, {said}": round(sum(files) / len(asked), 3),
    }


def quality(folder: Path) -> dict[str, object]:
    """Docstrings to functions, and changelogs to files, beside the baseline."""
    asked = docstrings(folder)
    packages = folder / "packages"
    entries = issues(packages)
    base = Windows(packages)
    with opened(folder / "quality.db") as engine:
        engine.run(IndexProject(str(packages)))

        def ours(query: str, most: int) -> list[Place]:
            hits = engine.run(SearchCode(query, CODE, most)).hits
            places = [(hit.record.source_ref, place(hit.record)) for hit in hits]
            return [Place(path, one.start, one.end) for path, one in places]

        found = mrr(asked, ours), mrr(asked, base.search)
        files = recall(entries, ours), recall(entries, base.search)
    return {
        "questions": len(asked),
        "packages": len({one.package for one in asked}),
        "MRR@10": round(found[0], 3),
        "MRR@10 of windows": round(found[1], 3),
        "MRR@10, times that of windows": round(found[0] / found[1], 2),
        "changelog entries": len(entries),
        "files: recall@5": round(files[0], 3),
        "files: recall@5 of windows": round(files[1], 3),
        "files: recall@5, times that of windows": round(files[0] / files[1], 2),
    }


def mrr(asked: list[corpus.Asked], search: Callable[[str, int], list[Place]]) -> float:
    total_ = 0.0
    for one in asked:
        for rank, found in enumerate(search(one.query, 10), start=1):
            if found.path == one.path and found.start <= one.start + 1 and found.end >= one.start:
                total_ += 1 / rank
                break
    return total_ / len(asked)


def recall(entries: list, search: Callable[[str, int], list[Place]]) -> float:
    """How many of the files are among the first five that are named."""
    shares = []
    for one in entries:
        files = list(dict.fromkeys(found.path for found in search(one.query, 50)))[:5]
        shares.append(len(one.paths.intersection(files)) / len(one.paths))
    return sum(shares) / len(shares)


def docstrings(folder: Path) -> list[corpus.Asked]:
    """What the docstrings ask; the packages without them are written beside it."""
    kept = folder / "asked.json"
    if not kept.exists():
        kept.write_text(json.dumps(corpus.prepare(folder / "packages")), "utf-8")
    asked = [corpus.Asked(*one) for one in json.loads(kept.read_text("utf-8"))]
    return corpus.sample(asked, QUESTIONS)


def library(folder: Path) -> Path:
    root = folder / "Lib"
    if not root.exists():
        shutil.copytree(sysconfig.get_paths()["stdlib"], root, ignore=LEFT_OUT)
    return root


def changed(engine: Engine, root: Path, number: int) -> float:
    """How long until a changed file is found."""
    file = root / "json" / "decoder.py"
    file.write_text(f"{file.read_text('utf-8')}\n\ndef added_{number}(): pass\n", "utf-8")
    return timed(lambda: engine.run(IndexProject(str(root))))


def saved(engine: Engine, root: Path, number: int) -> float:
    """How long after it is saved a file is found under watch."""
    before, clock = engine.ports.watchers.rounds, time.perf_counter()
    (root / "json" / "fresh.py").write_text(f"def fresh_{number}(): pass\n", "utf-8")
    assert engine.ports.watchers.wait(before)
    return time.perf_counter() - clock


def memory(line: str) -> int:
    """How large this process is, or has been at most, in MB."""
    said = Path("/proc/self/status").read_text("ascii")
    return int(said.split(f"{line}:")[1].split()[0]) // 1024


def total(engine: Engine) -> int:
    with engine.ports.store.reading() as reader:
        return reader.count(CODE)


def opened(path: Path) -> Engine:
    return open_engine(Config(store=str(path)))


def timed(work: Callable[[], object]) -> float:
    clock = time.perf_counter()
    work()
    return time.perf_counter() - clock


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.code", description=__doc__)
    parser.add_argument("stages", nargs="*", help=" or ".join(STAGES), metavar="STAGE")
    parser.add_argument("--no-file", action="store_true", help="only print")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
