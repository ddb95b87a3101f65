"""What a record takes on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import words
from bench.limits import DIMENSIONS
from bench.measure import Figure, load
from bench.stores import built

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.measure import Plan


def run(plan: Plan) -> Iterator[Figure]:
    text = words.texts(0)
    least = sum(len(t.encode()) for t in text) / len(text) + 2 * DIMENSIONS
    for records in plan.sizes:
        folder = built(records)
        files = {
            "database": [folder / "memory.db", *folder.glob("memory.db-wal")],
            "scan file": sorted(folder.glob("memory.db-scan-*")),
        }
        taken = {name: sum(map(_taken, of)) / records for name, of in files.items()}
        length = {name: sum(f.stat().st_size for f in of) / records for name, of in files.items()}
        yield Figure(
            "bytes",
            "bytes a record on the disk",
            round(sum(taken.values())),
            "bytes",
            records,
            limit=round(least),
            limit_is="the text and a float16 vector",
            ratio=round(sum(taken.values()) / least, 3),
            detail={name: round(of) for name, of in taken.items()}
            | {"scan file, by its length": round(length["scan file"])},
            load=load(),
        )


def _taken(path: Path) -> int:
    """The blocks in use: the scan file has holes where nothing was written yet."""
    return path.stat().st_blocks * 512
