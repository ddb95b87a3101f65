"""The micro benchmarks: `python -m bench [NAME ...]`, each figure beside its physical limit.

Results go to bench/results/micro, one file a run; `make docs` makes the table from them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import Plan, as_json, load, verdict

if TYPE_CHECKING:
    from bench.measure import Figure

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "micro"
BENCHMARKS = {
    "limits": "limits",
    "store": "micro.store",
    "recall": "micro.recall",
    "vector": "micro.vector",
    "bulk": "micro.bulk",
    "open": "micro.opening",
    "rss": "micro.memory",
    "bytes": "micro.size",
    "start": "micro.start",
    "wire": "micro.wire",
    "writers": "micro.writers",
    "kill": "micro.kill",
    "http": "http",
    "load": "load",
}
SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
PACKAGES = ("recollect", "apsw", "numpy", "onnxruntime", "simsimd", "tokenizers")


def main() -> int:
    asked = _arguments()
    sizes = tuple(asked.records or ((1_000,) if asked.quick else SIZES))
    plan = Plan(
        sizes + ((MILLION,) if asked.million else ()), asked.quick, asked.stages, asked.seconds
    )
    begun, first_load = datetime.now(UTC), load()
    figures: list[Figure] = []
    for name in asked.names or BENCHMARKS:
        clock = time.perf_counter()
        for figure in import_module(f"bench.{BENCHMARKS[name]}").run(plan):
            figures.append(figure)
            print(_line(figure), flush=True)
        print(f"  {name} took {time.perf_counter() - clock:.0f} s", file=sys.stderr, flush=True)
    if not asked.no_file:
        path = _write(plan, figures, begun, first_load, asked.out)
        print(f"Written to {path}. `make docs` brings docs/benchmarks.md up to date.")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"any of {', '.join(BENCHMARKS)}; all where none is named",
    )
    sizes = " ".join(map(str, SIZES))
    parser.add_argument("--records", type=int, nargs="+", help=f"sizes of the stores; {sizes}")
    parser.add_argument("--million", action="store_true", help="also with a million records")
    parser.add_argument("--seconds", type=float, default=60, help="how long `load` goes on; 60")
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that it works")
    parser.add_argument("--stages", action="store_true", help="where the time of a recall goes")
    parser.add_argument("--no-file", action="store_true", help="print only")
    parser.add_argument("--out", type=Path, help="where the results go")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in BENCHMARKS]:
        parser.error(f"there is no benchmark {', '.join(unknown)}")
    return asked


def _line(figure: Figure) -> str:
    met = {True: "ok", False: "MISSED", None: ""}[verdict(figure)]
    parts = [
        f"{figure.benchmark:8}",
        f"{figure.what:60}",
        f"{figure.records:>9,}" if figure.records is not None else " " * 9,
        f"{figure.value:>10,} {figure.unit}",
        f"p99 {figure.p99:,}" if figure.p99 is not None else "",
        f"= {figure.ratio} of {figure.limit:,} {figure.limit_is}" if figure.ratio else "",
        f"load {figure.load}",
        met,
        f"{figure.detail}" if figure.detail else "",
    ]
    return " ".join(filter(None, parts))


def _write(
    plan: Plan, figures: list[Figure], begun: datetime, first_load: float, out: Path | None
) -> Path:
    commit, changed = repository()
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = out or RESULTS / f"{begun:%Y-%m-%dT%H%M%S}-{commit}.json"
    found = {
        "at": begun.isoformat(timespec="seconds"),
        "commit": commit,
        "changed": changed,
        "machine": machine(),
        "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}}
        | {"sqlite": sqlite()},
        "model": model(),
        "configuration": {"durability": "full", "quick": plan.quick, "sizes": plan.sizes},
        "load": [first_load, load()],
        "figures": [as_json(figure) for figure in figures],
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def repository() -> tuple[str, bool]:
    """The commit that is measured, and whether the source differs from it."""
    commit = _git("rev-parse", "--short=10", "HEAD")
    return commit, bool(_git("status", "--porcelain", "--", "src"))


def machine() -> dict[str, object]:
    """What the figures depend on, and nothing that tells whose machine it is."""
    facts = Path("/proc/cpuinfo").read_text("ascii", "replace").splitlines()
    models = [line.partition(":")[2].strip() for line in facts if line.startswith("model name")]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory GB": round(pages / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "shared": True,
    }


def sqlite() -> str:
    import apsw

    return apsw.sqlite_lib_version()


def model() -> str:
    from recollect.embed.bundled import MODEL

    return MODEL.name


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
