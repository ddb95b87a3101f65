"""What the tests of every store are made of: stores, and short ways to write to them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.embed import Model
from recollect.model import Author, AuthorKind, Edge, Entry, Kind, Plan, Record, Scope, Where
from recollect.store.memory import MemoryStore
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recollect.model import Vector
    from recollect.store import Store

STORES: dict[str, Callable[[Path], Store]] = {"memory": lambda _folder: MemoryStore()}

try:
    from recollect.store.sqlite import SqliteStore
except ImportError:
    pass
else:
    STORES["sqlite"] = lambda folder: SqliteStore.open(folder / "memory.db")

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ANN = Author(AuthorKind.HUMAN, "ann")
BOT = Author(AuthorKind.AGENT, "bot")
ANY = Where(kinds=tuple(Kind))
SMALL = Model("small", 64)
OTHER = Model("other", 128)


def record(id_: str, text: str = "", **changes: Any) -> Record:
    """A memory that is true from noon on, with whatever is to be different."""
    said = text or f"what {id_} says"
    plain = Record(id_, Kind.MEMORY, Scope(), ANN, said, NOON, NOON, NOON, NOON)
    return replace(plain, **changes)


def changed(old: Record, **changes: Any) -> Record:
    """The next version of a record."""
    return replace(old, version=old.version + 1, **changes)


def edge(src: str, type_: str, dst: str, **changes: Any) -> Edge:
    """An edge that is true from noon on."""
    return replace(Edge(src, type_, dst, NOON, NOON), **changes)


def plan(**parts: Any) -> Plan:
    """What Ann does at noon."""
    return replace(Plan("test", ANN, NOON), **parts)


def apply(store: Store, **parts: Any) -> list[Record]:
    """One plan in a transaction of its own."""
    with store.writing() as tx:
        return tx.apply(plan(**parts))


def keep(store: Store, *records: Record) -> list[Record]:
    """Records without vectors, in a transaction of their own."""
    return apply(store, insert=tuple(map(Entry, records)))


def update(store: Store, id_: str, vector: Vector | None = None, **changes: Any) -> None:
    """The next version of a record that is stored."""
    apply(store, update=(Entry(changed(get(store, id_), **changes), vector),))


def get(store: Store, id_: str) -> Record:
    """A record as it is now."""
    with store.reading() as reader:
        return reader.records([id_])[id_]


def supersede(store: Store, new: str, old: str) -> None:
    """Close the old record and draw the edge, as the rule does."""
    closed = Entry(changed(get(store, old), valid_until=NOON + HOUR))
    apply(store, update=(closed,), link=(edge(new, "supersedes", old),))


def unit(seed: int, model: Model = SMALL) -> Vector:
    """A unit vector that half precision holds exactly: 64 eighths, zeros for the rest."""
    vector = np.zeros(model.dimensions, dtype=np.float32)
    vector[:64] = random.Random(seed).choices((-0.125, 0.125), k=64)
    return vector
