"""Kills a writer at a random moment and looks whether anything that it acknowledged is lost."""

from __future__ import annotations

from contextlib import suppress
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING

from recollect.model import Where
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, unit
from tests.store.sqlite import child

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from recollect.store import Reader


def rounds(path: Path, chance: random.Random, count: int) -> tuple[int, list[str]]:
    """So many kills of one store; how many records were acknowledged, and all that is wrong."""
    child.run("prepared", path)
    acknowledged: list[tuple[str, str, int]] = []
    wrong: list[str] = []
    for _ in range(count):
        new = killed(path, chance.uniform(0.005, 0.12))
        wrong += looked(path, new)
        acknowledged += new
    wrong += looked(path, acknowledged)
    return 2 * len(acknowledged), wrong


def killed(path: Path, seconds: float) -> list[tuple[str, str, int]]:
    """What a writer acknowledged before it was killed, so long after its first word."""
    with child.start("endless", path) as writer:
        first = writer.hear()
        with suppress(TimeoutExpired):
            writer.wait(seconds)
        writer.kill()
        lines = [first, *writer.rest()]
    # A line that is cut off was not acknowledged.
    found = [line.split() for line in lines if line.endswith("\n")]
    return [(first, second, int(number)) for first, second, number in found]


def looked(path: Path, acknowledged: list[tuple[str, str, int]]) -> list[str]:
    """All that is wrong with the store, said in a line each."""
    store = SqliteStore.open(path)
    wrong = []
    with store.reading() as reader:
        for first, second, number in acknowledged:
            wrong += [f"{first}: {what}" for what in _missing(reader, first, second, number)]
        gone = [f"k{number + 2}" for _, _, number in acknowledged]
        wrong += [f"{id_} was forgotten and is there" for id_ in reader.records(gone)]
    wrong += [problem.what for problem in store.verify()]
    store.close()
    return wrong


def _missing(reader: Reader, first: str, second: str, number: int) -> list[str]:
    records = reader.records([first, second])
    if len(records) < 2:
        return ["by id"]
    wanted = {record.seq for record in records.values()}
    words = {c.seq for id_ in (first, second) for c in reader.matching([f"word{id_}"], Where(), 5)}
    near = {c.seq for c in reader.nearest(unit(number), ANY, 50) if c.score > 0.99}
    edges = reader.edges([first], "outgoing", ["likes"])
    found = {
        "by words": wanted <= words,
        "by vector": wanted <= near,
        "by edge": [edge.dst for edge in edges] == [second],
        "as closed": records[first].valid_until is not None,
        "in history": len(reader.versions(first)) == 1,
        "in the ledger": len(reader.events_of(first)) == 2,
    }
    return [what for what, right in found.items() if not right]
