"""What the tests of the engine are made of: engines on every store, and short ways to ask them."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from recollect.decisions import Draft
from recollect.embed.background import Background
from recollect.embed.cache import Cached
from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.embed.hashed import HashEmbedder
from recollect.engine import Engine
from recollect.model import DERIVED, Kind, Where
from recollect.ops import (
    Changes,
    Describe,
    Export,
    Get,
    History,
    List,
    Recall,
    Relate,
    Remember,
    Restore,
)
from recollect.testing import CountedIds, FixedClock
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recollect.errors import Unavailable
    from recollect.model import Edge, Record, Sense, Why
    from recollect.model import Event as Entry
    from recollect.ops import Recalled, Remembered
    from recollect.store import Store

EVERYTHING = Where(kinds=())
# Hashes of so many words hardly ever collide in so many dimensions.
DIMENSIONS = 384


def hashed(dimensions: int = DIMENSIONS) -> Cached[Background]:
    """An embedder that needs no model."""
    return open_embedder(EmbedSettings(provider="hash", dimensions=dimensions))


def opened(store: Store, clock: FixedClock | None = None, **ports: Any) -> Engine:
    """An engine that a test can foretell."""
    usual: dict[str, Any] = {
        "embedder": hashed,
        "clock": clock or FixedClock(),
        "new_id": CountedIds(),
    }
    return Engine(store, **(usual | ports))


def said(engine: Engine, text: str, **more: Any) -> Remembered:
    """The whole answer to keeping a text."""
    return engine.run(Remember(text, **more))


def remember(engine: Engine, text: str, **more: Any) -> Record:
    """The record that a text became."""
    return said(engine, text, **more).record


def described(engine: Engine, name: str, **more: Any) -> Record:
    """The entity of that name."""
    return engine.run(Describe(name, **more)).record


def related(engine: Engine, src: Record, type_: str, dst: Record, **more: Any) -> Edge:
    """The relation between two records."""
    return engine.run(Relate(src.id, type_, dst.id, **more)).edge


def get(engine: Engine, record: Record | str, **when: Any) -> Record | None:
    """A record as it is, or as it was then; None where it is not, or was not true."""
    id_ = record if isinstance(record, str) else record.id
    return next(iter(engine.run(Get((id_,), **when)).records), None)


def now(engine: Engine, record: Record) -> Record:
    """A record that is there, as it is now."""
    found = get(engine, record)
    assert found is not None
    return found


def listed(engine: Engine, where: Where = EVERYTHING, **more: Any) -> list[Record]:
    """All records that match, newest first."""
    return list(engine.run(List(where, limit=1000, **more)).records)


def entities(engine: Engine, **more: Any) -> dict[str, Record]:
    """The entities of a tenant by name."""
    return {r.title: r for r in listed(engine, Where(kinds=(Kind.ENTITY,), **more))}


def ledger(engine: Engine) -> list[Entry]:
    """All that was ever done."""
    return list(engine.run(Changes(limit=10_000)).events)


def recalled(engine: Engine, query: str, **more: Any) -> Recalled:
    """The whole answer to a question."""
    return engine.run(Recall(query, **more))


def found(engine: Engine, query: str, **more: Any) -> list[str]:
    """The texts that answer a question, best first."""
    return [hit.record.text for hit in recalled(engine, query, **more).hits]


def exported(engine: Engine, **more: Any) -> list[bytes]:
    """All of a store as lines."""
    lines: list[bytes] = []
    engine.run(Export(lines.append, **more))
    return lines


def restored(
    lines: Iterable[bytes], store: Store, clock: FixedClock | None = None, **ports: Any
) -> Engine:
    """An engine on what such lines make of a store."""
    engine = opened(store, clock, **ports)
    engine.run(Restore(lines))
    return engine


@contextmanager
def unchanged(engine: Engine) -> Iterator[None]:
    """Whatever is tried in here leaves no trace in records, versions or ledger."""
    before = _everything(engine)
    yield
    assert _everything(engine) == before


def why(answer: Recalled, place: int = 0) -> Why:
    """How a hit came to its place."""
    told = answer.hits[place].why
    assert told is not None
    return told


class Slow(HashEmbedder):
    """Loads when it is told to, and fails as long as it has a reason to."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        super().__init__(dimensions)
        self.go = Event()
        self.error: Unavailable | None = None

    def load(self) -> None:
        self.go.wait(10)
        if self.error is not None:
            raise self.error


class Meanwhile(Cached[Background]):
    """An embedder beside which others are busy: each thing to do is done once."""

    def __init__(self) -> None:
        super().__init__(hashed().inner)
        self.todo: list[Callable[[], object]] = []

    def senses(self, texts: Sequence[str]) -> list[Sense]:
        """What they mean, once all that is to be done has been done."""
        while self.todo:
            self.todo.pop()()
        return super().senses(texts)


def _everything(engine: Engine) -> tuple[object, ...]:
    tenants = ("local", "other")
    records = [r for each in tenants for r in listed(engine, Where(each, kinds=()))]
    # What is made from files is made anew instead of being revised, so it has no history.
    told = [r for r in records if r.kind not in DERIVED]
    versions = [engine.run(History(r.id, r.scope.tenant)).versions for r in told]
    with engine.ports.store.reading() as reader:
        edges = reader.edges([r.id for r in records])
    return records, versions, edges, ledger(engine)


def proposed(engine: Engine, title: str, target: str, **more: Any) -> str:
    """A draft as reflection makes it."""
    from recollect.engine.proposals import propose

    draft = Draft(title, more.pop("reasons", f"Three people said: {title}."), target, **more)
    with engine.ports.store.writing() as tx:
        return propose(engine.ports, tx, draft).id


@contextmanager
def governed(client: Any, **settings: Any) -> Iterator[Any]:
    """The same client and store, with other settings of governance."""
    engine = client.engine
    before = engine.ports
    engine.ports = replace(before, governance=replace(before.governance, **settings))
    try:
        yield client
    finally:
        engine.ports = before
