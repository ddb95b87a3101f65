"""Every kind of store, side by side, against plain dicts, through any order of events."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.errors import Conflict, NotFound
from recollect.model import Entry, Kind, Link, Scope, Where, micros
from recollect.rules.analyse import passage, tokens
from recollect.store import ledger
from recollect.testing import CountedIds, FixedClock
from recollect.value import replace
from tests.store.build import (
    HOUR,
    NOON,
    OTHER,
    SMALL,
    STORES,
    changed,
    edge,
    plan,
    record,
    unit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recollect.embed import Model
    from recollect.model import Edge, Event, Plan, Record
    from recollect.store import Reader, Store, Writer

WORDS = ("apple", "pear", "plum", "the", "tree", "under_score", "東京都", "...")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
kinds = st.sampled_from((Kind.MEMORY, Kind.MEMORY, Kind.DECISION, Kind.ENTITY))
scopes = st.sampled_from((Scope(), Scope("local", "ann"), Scope("local", "ann", "x"), Scope("b")))
types = st.sampled_from(("", "semantic", "episodic"))
seeds = st.none() | st.integers(0, 20)
hours = st.integers(-2, 40)
places = st.integers(0, 999)
anything = st.builds(
    Where,
    tenant=st.sampled_from(("local", "local", "b")),
    user=st.sampled_from((None, "", "ann")),
    project=st.sampled_from((None, "", "x")),
    kinds=st.sampled_from(((), (Kind.MEMORY,), (Kind.DECISION, Kind.ENTITY))),
    types=st.sampled_from(((), ("semantic",), ("", "episodic"))),
    at=st.none() | hours.map(lambda n: NOON + n * HOUR),
    since=st.none() | hours.map(lambda n: NOON + n * HOUR),
    until=st.none() | hours.map(lambda n: NOON + n * HOUR),
)


class Book:
    """What should be in a store, as plainly as it can be written down."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.history: dict[str, list[Record]] = {}
        self.heirs: dict[str, str] = {}
        self.edges: dict[tuple[str, str, str], Edge] = {}
        self.vectors: dict[Model, dict[str, int]] = {}
        self.serving: Model | None = None
        self.coming: Model | None = None
        self.told: list[tuple[str, str]] = []

    def whole(self, id_: str) -> Record:
        olds = tuple(old for old in self.records if self.heirs.get(old) == id_)
        return replace(self.records[id_], supersedes=olds, superseded_by=self.heirs.get(id_, ""))

    def write(self, record: Record, seed: int | None) -> None:
        old = self.records.get(record.id)
        if old is not None:
            self.history[record.id].append(replace(old, accessed_at=None))
            if passage(old) != passage(record):
                for rows in self.vectors.values():
                    rows.pop(record.id, None)
        self.records[record.id] = record
        self.history.setdefault(record.id, [])
        if seed is not None and self.serving is not None and record.kind != Kind.ENTITY:
            self.vectors[self.serving][record.id] = seed
        self.told.append(("test", record.id))

    def forget(self, id_: str) -> None:
        del self.records[id_], self.history[id_]
        self.heirs = {old: new for old, new in self.heirs.items() if id_ not in (old, new)}
        self.edges = {ends: e for ends, e in self.edges.items() if id_ not in (e.src, e.dst)}
        for rows in self.vectors.values():
            rows.pop(id_, None)
        self.settle()

    def waiting(self, model: Model) -> list[str]:
        rows = self.vectors[model]
        return [r.id for r in self.records.values() if r.kind != Kind.ENTITY and r.id not in rows]

    def settle(self) -> None:
        if self.coming is not None and not self.waiting(self.coming):
            self.serving, self.coming = self.coming, None
            self.vectors = {self.serving: self.vectors[self.serving]}

    def matches(self, id_: str, where: Where) -> bool:
        it = self.records[id_]
        after = where.since is None or it.event_time >= where.since
        before = where.until is None or it.event_time < where.until
        return (
            it.scope.tenant == where.tenant
            and (where.user is None or it.scope.user == where.user)
            and (where.project is None or it.scope.project == where.project)
            and (where.kinds == () or it.kind in where.kinds)
            and (where.types == () or it.type in where.types)
            and (where.at is None or holds(it, where.at))
            and after
            and before
        )


def holds(it: Record, time: datetime) -> bool:
    return it.valid_from <= time < (it.valid_until or NOON + 10_000 * HOUR)


class Machine(RuleBasedStateMachine):
    """One step is one transaction in each store and one in the book."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.stores: dict[str, Store] = {kind: self.opened(kind) for kind in STORES}
        self.book = Book()
        self.ids = CountedIds()
        self.clock = FixedClock(NOON)

    def opened(self, kind: str) -> Store:
        return STORES[kind](Path(self.folder.name))

    def teardown(self) -> None:
        with self.folder, ExitStack() as stack:
            for store in self.stores.values():
                stack.callback(store.close)
            assert [problem for each in self.stores.values() for problem in each.verify()] == []

    @contextmanager
    def each(self) -> Iterator[list[Writer]]:
        """A transaction in every store at once."""
        with ExitStack() as stack:
            yield [stack.enter_context(store.writing()) for store in self.stores.values()]

    def apply(self, made: Plan) -> None:
        with self.each() as writers:
            answers = [[replace(r, seq=0) for r in tx.apply(made)] for tx in writers]
        assert all(answer == answers[0] for answer in answers)

    def refused(self, made: Plan, error: type[Exception]) -> None:
        for store in self.stores.values():
            with pytest.raises(error), store.writing() as tx:
                tx.apply(made)

    def entry(self, record: Record, seed: int | None) -> Entry:
        serving = self.book.serving
        given = seed is not None and serving is not None
        return Entry(
            record, unit(seed, serving) if given and serving and seed is not None else None
        )

    def one(self, place: int) -> Record:
        return list(self.book.records.values())[place % len(self.book.records)]

    def plan(self, **parts: object) -> Plan:
        self.clock.move(HOUR)
        return replace(plan(at=self.clock()), **parts)

    def has_records(self) -> bool:
        return bool(self.book.records)

    def has_edges(self) -> bool:
        return bool(self.book.edges)

    def has_model(self) -> bool:
        return self.book.serving is not None

    @initialize(prepared=st.booleans())
    def begin(self, prepared):
        if prepared:
            self.prepare(SMALL)

    @rule(
        said=st.lists(st.tuples(texts, kinds, scopes, types, seeds, hours), min_size=1, max_size=3)
    )
    def insert(self, said):
        entries = []
        for text, kind, scope, type_, seed, hour in said:
            since = NOON + hour * HOUR
            id_ = self.ids()
            made = record(
                id_,
                text,
                key=id_,
                kind=kind,
                scope=scope,
                type=type_,
                event_time=since,
                valid_from=since,
            )
            entries.append(self.entry(made, seed))
            self.book.write(made, seed)
        self.apply(self.plan(insert=tuple(entries)))
        self.book.settle()

    @precondition(has_records)
    @rule(place=places, text=st.none() | texts, type_=types, seed=seeds)
    def revise(self, place, text, type_, seed):
        old = self.one(place)
        new = changed(old, text=text or old.text, type=type_, updated_at=self.clock())
        self.apply(self.plan(update=(self.entry(new, seed),)))
        self.book.write(new, seed)
        self.book.settle()

    @precondition(has_records)
    @rule(place=places, text=texts, by=st.sampled_from((-1, 0, 2)))
    def revise_what_has_moved_on(self, place, text, by):
        old = self.one(place)
        stale = replace(old, text=text, version=old.version + by)
        new = Entry(record(self.ids(), text))
        self.refused(self.plan(insert=(new,), update=(Entry(stale),)), Conflict)

    @precondition(has_records)
    @rule(new=places, old=places)
    def supersede(self, new, old):
        newer, older = self.one(new), self.one(old)
        closed = changed(older, valid_until=max(self.clock(), older.valid_from))
        link = (edge(newer.id, Link.SUPERSEDES, older.id),)
        made = self.plan(update=(Entry(closed),), link=link)
        if older.id in self.book.heirs or older.id in self.successors(newer.id):
            self.refused(made, Conflict)
        else:
            self.apply(made)
            self.book.write(closed, None)
            self.book.heirs[older.id] = newer.id

    def successors(self, id_: str) -> list[str]:
        found = [id_]
        while found[-1] in self.book.heirs:
            found.append(self.book.heirs[found[-1]])
        return found

    @precondition(has_records)
    @rule(place=places, hour=hours)
    def invalidate(self, place, hour):
        old = self.one(place)
        closed = changed(old, valid_until=max(NOON + hour * HOUR, old.valid_from))
        self.apply(self.plan(update=(Entry(closed),)))
        self.book.write(closed, None)

    @precondition(has_records)
    @rule(chosen=st.sets(places, min_size=1, max_size=2))
    def forget(self, chosen):
        ids = {self.one(place).id for place in chosen}
        self.apply(self.plan(forget=tuple(ids)))
        for id_ in ids:
            self.book.forget(id_)
            self.book.told.append(("forget", id_))

    @precondition(has_records)
    @rule(place=places)
    def forget_what_is_not_there(self, place):
        self.refused(self.plan(forget=(self.one(place).id, "nobody")), NotFound)

    @precondition(has_records)
    @rule(
        src=places,
        dst=places,
        type_=st.sampled_from(("likes", "mentions")),
        weight=st.sampled_from((0.25, 1.0)),
        named=st.booleans(),
    )
    def relate(self, src, dst, type_, weight, named):
        a, b = self.one(src).id, self.one(dst).id
        drawn = edge(a, type_, b, weight=weight, id=self.ids("rel_") if named else "")
        self.apply(self.plan(link=(drawn,)))
        old = self.book.edges.get((a, type_, b), drawn)
        kept = replace(old, weight=weight, valid_until=None, id=old.id or drawn.id)
        self.book.edges[a, type_, b] = kept
        self.book.told += [("test", drawn.id)] * named

    @precondition(has_edges)
    @rule(place=places, away=st.booleans())
    def end_a_relation(self, place, away):
        ends = list(self.book.edges)[place % len(self.book.edges)]
        old = self.book.edges[ends]
        closed = replace(old, valid_until=self.clock())
        self.apply(self.plan(unlink=(old,)) if away else self.plan(link=(closed,)))
        self.book.edges[ends] = closed
        if away:
            del self.book.edges[ends]
        self.book.told += [("test", old.id)] * bool(old.id)

    @precondition(has_records)
    @rule(place=places)
    def touch(self, place):
        id_ = self.one(place).id
        with self.each() as writers:
            for tx in writers:
                tx.touch([tx.records([id_])[id_].seq], micros(self.clock()))
        self.book.records[id_] = replace(self.book.records[id_], accessed_at=self.clock())

    @rule(model=st.sampled_from((SMALL, OTHER)))
    def prepare(self, model):
        book = self.book
        with self.each() as writers:
            for tx in writers:
                tx.prepare(model)
        book.serving = book.serving or model
        book.coming = model if model != book.serving else None
        wanted = [each for each in (book.serving, book.coming) if each is not None]
        book.vectors = {each: book.vectors.get(each, {}) for each in wanted}
        book.settle()

    @precondition(has_model)
    @rule(seed=st.integers(0, 20), most=st.integers(1, 6))
    def embed(self, seed, most):
        book = self.book
        filling = book.coming or book.serving
        assert filling is not None
        for store in self.stores.values():
            with store.writing() as tx:
                tx.embed({r.seq: unit(seed, filling) for r in tx.waiting(most)}, filling)
        book.vectors[filling] |= dict.fromkeys(book.waiting(filling)[:most], seed)
        book.settle()

    @rule(tenant=st.sampled_from(("b", "b", "b", "local")))
    def wipe(self, tenant):
        book = self.book
        gone = [r.id for r in book.records.values() if r.scope.tenant == tenant]
        with self.each() as writers:
            counts = [tx.wipe(tenant, plan().author, micros(NOON)) for tx in writers]
        assert {count.records for count in counts} == {len(gone)}
        for id_ in gone:
            book.forget(id_)
        book.told.append(("wipe", ""))

    @rule()
    def reopen(self):
        for kind in STORES.keys() - {"memory"}:
            self.stores[kind].close()
            self.stores[kind] = self.opened(kind)

    @rule(where=anything)
    def find(self, where):
        book = self.book
        expected = [id_ for id_ in reversed(book.records) if book.matches(id_, where)]
        for store in self.stores.values():
            with store.reading() as reader:
                assert [r.id for r in reader.page(where, 100)] == expected
                assert [r.id for r in reader.page(where, 2, 1)] == expected[1:3]
                assert reader.count(where) == len(expected)

    @rule(where=anything, text=texts)
    def find_by_words(self, where, text):
        terms = tokens(text)
        wanted = {
            id_
            for id_, it in self.book.records.items()
            if self.book.matches(id_, where)
            and it.kind != Kind.ENTITY
            and set(terms) & set(tokens(passage(it)))
        }
        answers = []
        for store in self.stores.values():
            with store.reading() as reader:
                answers.append(scored(reader, reader.matching(terms, where, 100)))
                corpora = reader.corpus(terms)
                assert set(corpora.frequency) == set(terms)
        assert all(answer == pytest.approx(answers[0]) for answer in answers)
        assert set(answers[0]) == wanted

    @precondition(has_model)
    @rule(where=anything, seed=st.integers(0, 20))
    def find_by_meaning(self, where, seed):
        book = self.book
        assert book.serving is not None
        asked = unit(seed, book.serving)
        expected = {
            id_: pytest.approx(float(unit(own, book.serving) @ asked), abs=1e-3)
            for id_, own in book.vectors[book.serving].items()
            if book.matches(id_, where)
        }
        for store in self.stores.values():
            with store.reading() as reader:
                found = reader.nearest(asked, where, 100)
                assert scored(reader, found) == expected
                assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)

    @invariant()
    def every_record_is_as_the_book_has_it(self):
        book = self.book
        for store in self.stores.values():
            with store.reading() as reader:
                found = reader.records([*book.records, "nobody"])
                assert found.keys() == book.records.keys()
                for id_, it in found.items():
                    assert replace(it, seq=0) == book.whole(id_)
                    assert [replace(v, seq=0) for v in reader.versions(id_)] == book.history[id_]

    @invariant()
    def every_edge_is_as_the_book_has_it(self):
        order = {id_: place for place, id_ in enumerate(self.book.records)}
        drawn = [*self.book.edges.values()]
        drawn += [edge(new, Link.SUPERSEDES, old) for old, new in self.book.heirs.items()]
        drawn.sort(key=lambda e: (order[e.src], e.type, order[e.dst]))
        for store in self.stores.values():
            with store.reading() as reader:
                assert reader.edges(self.book.records) == drawn
                assert all(reader.edge(e.id) == e for e in drawn if e.id)

    @invariant()
    def the_ledger_tells_all_of_it_in_one_chain(self):
        for store in self.stores.values():
            with store.reading() as reader:
                events: list[Event] = reader.events(0, 10_000)
                assert [(event.verb, event.record) for event in events] == self.book.told
                assert ledger.check(events) is None
                assert reader.last_event() == len(events)

    @invariant()
    def vectors_wait_and_serve_as_the_book_has_it(self):
        book = self.book
        filling = book.coming or book.serving
        for store in self.stores.values():
            with store.reading() as reader:
                state = reader.models()
                assert state.serving == (book.serving.name if book.serving else "")
                assert state.coming == (book.coming.name if book.coming else "")
                if filling is not None and book.serving is not None:
                    assert [r.id for r in reader.waiting(100)] == book.waiting(filling)
                    assert state.waiting == len(book.waiting(filling))
                    assert state.done == len(book.vectors[filling])
                    numbers = {r.seq: r.id for r in reader.records(book.records).values()}
                    rows = reader.vectors(list(numbers))
                    assert {numbers[seq]: list(row) for seq, row in rows.items()} == {
                        id_: list(unit(seed, book.serving))
                        for id_, seed in book.vectors[book.serving].items()
                    }

    @invariant()
    def tenants_are_counted_apart(self):
        for store in self.stores.values():
            with store.reading() as reader:
                for tenant in ("local", "b"):
                    mine = [r for r in self.book.records.values() if r.scope.tenant == tenant]
                    counts = reader.counts(tenant)
                    assert counts.records == len(mine)
                    assert counts.entities == sum(r.kind == Kind.ENTITY for r in mine)


def scored(reader: Reader, candidates) -> dict[str, float]:
    rows = reader.rows([c.seq for c in candidates])
    return {rows[c.seq].id: c.score for c in candidates}


TestMachine = Machine.TestCase
