"""Engines on every kind of store, side by side, against plain dicts, through any order of ops."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import EVER, Kind, Scope, Where
from recollect.ops import (
    Describe,
    Explore,
    Forget,
    Get,
    History,
    Invalidate,
    List,
    Recall,
    Relate,
    Remember,
    Revise,
    Supersede,
    Verify,
    Weights,
)
from recollect.testing import FixedClock
from tests.engine.build import exported, ledger, opened, restored
from tests.store.build import STORES

HOUR = timedelta(hours=1)
TENANTS = ("local", "local", "other")
# No word of these is a name, is changed by stemming, or begins like another.
WORDS = ("zzbc", "zzdf", "zzgh", "zzjk", "zzlm")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(" ".join)
hours = st.integers(-30, 30)
places = st.integers(0, 999)


class Book:
    """What should be remembered, as plainly as it can be written down."""

    def __init__(self):
        # By id, in the order of their numbers; each is a list of states, the last one now.
        self.memories: dict[str, list[dict[str, Any]]] = {}
        self.names: dict[str, dict[str, Any]] = {}
        # By the older record: the newer one, and when that was said.
        self.heirs: dict[str, tuple[str, datetime]] = {}
        self.relations: dict[tuple[str, str], dict[str, Any]] = {}
        self.told: list[tuple[str, str]] = []

    def now(self, id_):
        return self.memories[id_][-1]

    def change(self, id_, at, verb, **changes):
        state = self.now(id_)
        self.memories[id_].append(
            state | changes | {"version": state["version"] + 1, "updated": at}
        )
        self.told.append((verb, id_))

    def close(self, id_, end, at, verb):
        state = self.now(id_)
        ends = [max(end, state["since"])] + [state["until"]] * (state["until"] is not None)
        self.change(id_, at, verb, until=min(ends))

    def inherit(self, old, new, at, verb, end=None):
        # What begins later ends what it takes the place of then.
        self.close(old, end or self.now(new)["since"], at, verb)
        self.heirs[old] = (new, at)

    def after(self, id_):
        """The record and all that took its place, one after the other."""
        chain = [id_]
        while chain[-1] in self.heirs:
            chain.append(self.heirs[chain[-1]][0])
        return chain

    def forget(self, id_):
        del self.memories[id_]
        self.heirs = {o: (n, at) for o, (n, at) in self.heirs.items() if id_ not in (o, n)}
        self.relations = {ends: r for ends, r in self.relations.items() if id_ not in ends}
        self.told.append(("forget", id_))

    def holding(self, tenant, at):
        """The memories of a tenant that are true at a time, oldest first."""
        return [
            i for i, s in self.memories.items() if s[-1]["tenant"] == tenant and holds(s[-1], at)
        ]


def holds(state, at):
    return state["since"] <= at and (state["until"] is None or at < state["until"])


def shown(record):
    """What the book knows of a record, as the engine answers it."""
    return {
        "text": record.text,
        "tenant": record.scope.tenant,
        "created": record.created_at,
        "updated": record.updated_at,
        "since": record.valid_from,
        "until": record.valid_until,
        "importance": record.importance,
        "version": record.version,
    }


class Machine(RuleBasedStateMachine):
    """One step is one op, carried out by each engine and in the book."""

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = FixedClock()
        self.start = self.clock()
        self.book = Book()
        self.moves = 0
        self.moved = []
        self.engines = [
            opened(opener(Path(self.folder.name)), self.clock) for opener in STORES.values()
        ]

    def teardown(self):
        try:
            for engine in self.engines:
                assert engine.run(Verify()).problems == ()
        finally:
            for engine in self.engines:
                engine.close()
            self.folder.cleanup()

    def run(self, op):
        """The answer of all engines, which is the same."""
        answers = [engine.run(op) for engine in self.engines]
        assert all(answer == answers[0] for answer in answers)
        return answers[0]

    def refused(self, op, error):
        for engine in self.engines:
            with pytest.raises(error):
                engine.run(op)

    def one(self, place):
        return list(self.book.memories)[place % len(self.book.memories)]

    def time(self, hour):
        return self.start + hour * HOUR

    def has_memories(self):
        return bool(self.book.memories)

    def has_names(self):
        return bool(self.book.names)

    def has_relations(self):
        return bool(self.book.relations)

    def added(self, record):
        self.book.memories[record.id] = [shown(record)]
        self.book.told.append(("remember", record.id))

    @rule(by=hours)
    def move_the_clock(self, by):
        self.clock.move(by * HOUR)

    @rule(
        text=texts,
        tenant=st.sampled_from(TENANTS),
        since=st.none() | hours,
        until=st.none() | hours,
        once=st.booleans(),
    )
    def remember(self, text, tenant, since, until, once):
        op = Remember(
            text,
            Scope(tenant),
            valid_from=None if since is None else self.time(since),
            valid_until=None if until is None else self.time(until),
            once=once,
            similar=0,
        )
        begin = op.valid_from or self.clock()
        if op.valid_until is not None and op.valid_until < begin:
            if since is not None:
                self.refused(op, InvalidRequest)
                return
            # Since when it was true, nobody has said.
            begin = EVER
        said = [
            id_
            for id_, states in self.book.memories.items()
            if (states[-1]["text"], states[-1]["tenant"], states[-1]["until"])
            == (text, tenant, None)
            # Who has weighed it anew has said something else of it.
            and states[-1]["importance"] == 1.0
        ]
        answer = self.run(op)
        assert answer.created == (not (once and said))
        if answer.created:
            assert shown(answer.record) == {
                "text": text,
                "tenant": tenant,
                "created": self.clock(),
                "updated": self.clock(),
                "since": begin,
                "until": op.valid_until,
                "importance": 1.0,
                "version": 1,
            }
            self.added(answer.record)
        else:
            assert answer.record.id == said[0]

    @precondition(has_memories)
    @rule(text=texts, since=st.none() | hours, chosen=st.lists(places, min_size=1, max_size=2))
    def remember_in_place_of_others(self, text, since, chosen):
        old = list(dict.fromkeys(self.one(place) for place in chosen))
        begin = None if since is None else self.time(since)
        tenant = self.book.now(old[0])["tenant"]
        op = Remember(text, Scope(tenant), valid_from=begin, supersedes=tuple(old), similar=0)
        if any(self.book.now(id_)["tenant"] != tenant for id_ in old):
            self.refused(op, NotFound)
        elif any(id_ in self.book.heirs for id_ in old):
            self.refused(op, Conflict)
        else:
            new = self.run(op).record
            self.added(new)
            for id_ in old:
                self.book.inherit(id_, new.id, self.clock(), "remember")

    @precondition(has_memories)
    @rule(place=places, text=st.none() | texts, since=st.none() | hours, stale=st.booleans())
    def revise(self, place, text, since, stale):
        id_ = self.one(place)
        state = self.book.now(id_)
        changes = {} if text is None else {"text": text}
        if since is not None:
            changes["since"] = self.time(since)
        op = Revise(
            id_,
            state["tenant"],
            text=text,
            valid_from=changes.get("since"),
            importance=0.5,
            expected_version=state["version"] - stale,
        )
        begin = changes.get("since", state["since"])
        if stale:
            self.refused(op, Conflict)
        elif state["until"] is not None and state["until"] < begin:
            self.refused(op, InvalidRequest)
        else:
            answer = self.run(op)
            assert shown(answer.previous) == state
            # What it says already is no change.
            if state | changes | {"importance": 0.5} != state:
                self.book.change(id_, self.clock(), "revise", importance=0.5, **changes)
            assert shown(answer.record) == self.book.now(id_)

    @precondition(has_memories)
    @rule(old=places, new=places, now=st.booleans())
    def supersede(self, old, new, now):
        old, new = self.one(old), self.one(new)
        tenant = self.book.now(old)["tenant"]
        op = Invalidate(old, tenant, superseded_by=new) if now else Supersede(old, new, tenant)
        if old != new and self.book.now(new)["tenant"] != tenant:
            self.refused(op, NotFound)
        elif old in self.book.heirs or old in self.book.after(new):
            self.refused(op, Conflict)
        else:
            self.run(op)
            at = self.clock()
            self.book.inherit(old, new, at, "supersede", at if now else None)

    @precondition(has_memories)
    @rule(place=places)
    def invalidate(self, place):
        id_ = self.one(place)
        until, at = self.book.now(id_)["until"], self.clock()
        answer = self.run(Invalidate(id_, self.book.now(id_)["tenant"]))
        if until is None or until > at:
            self.book.close(id_, at, at, "invalidate")
        assert shown(answer.record) == self.book.now(id_)

    @precondition(has_memories)
    @rule(chosen=st.sets(places, min_size=1, max_size=2))
    def forget(self, chosen):
        ids = list(dict.fromkeys(self.one(place) for place in sorted(chosen)))
        tenant = self.book.now(ids[0])["tenant"]
        if any(self.book.now(id_)["tenant"] != tenant for id_ in ids):
            self.refused(Forget(tuple(ids), tenant), NotFound)
            return
        assert self.run(Forget(tuple(ids), tenant)).ids == tuple(ids)
        for id_ in ids:
            self.book.forget(id_)

    @rule(name=st.sampled_from(("Anna", "ANNA", "Zoe")), type_=st.sampled_from(("", "person")))
    def describe(self, name, type_):
        answer = self.run(Describe(name, type=type_))
        known = self.book.names.get(name.casefold())
        assert answer.created == (known is None)
        if known is None:
            known = self.book.names[name.casefold()] = {"id": answer.record.id, "type": type_}
            self.book.told.append(("describe", answer.record.id))
        elif type_ and known["type"] != type_:
            known["type"] = type_
            self.book.told.append(("describe", known["id"]))
        assert (answer.record.id, answer.record.type) == (known["id"], known["type"])

    @precondition(has_memories)
    @precondition(has_names)
    @rule(place=places, name=places, weight=st.sampled_from((0.5, 1.0)))
    def relate(self, place, name, weight):
        src = self.one(place)
        dst = list(self.book.names.values())[name % len(self.book.names)]["id"]
        op = Relate(src, "about", dst, weight=weight)
        if self.book.now(src)["tenant"] != "local":
            self.refused(op, NotFound)
            return
        known = self.book.relations.get((src, dst))
        answer = self.run(op)
        assert answer.created == (known is None)
        if known is None:
            fresh = {"id": answer.edge.id, "since": self.clock()}
            known = self.book.relations[src, dst] = fresh | {"until": None, "weight": None}
        if known["weight"] != weight or known["until"] is not None:
            self.book.told.append(("relate", known["id"]))
        known |= {"weight": weight, "until": None}
        assert (answer.edge.id, answer.edge.weight) == (known["id"], weight)

    @precondition(has_relations)
    @rule(place=places, away=st.booleans())
    def end_a_relation(self, place, away):
        ends = list(self.book.relations)[place % len(self.book.relations)]
        known, at = self.book.relations[ends], self.clock()
        self.run(Forget((known["id"],)) if away else Invalidate(known["id"]))
        if away:
            del self.book.relations[ends]
            self.book.told.append(("forget", known["id"]))
        elif known["until"] is None or known["until"] > at:
            known["until"] = max(known["since"], at)
            self.book.told.append(("invalidate", known["id"]))

    @rule()
    def move_to_new_stores(self):
        """Each engine goes on with what the other one exported."""
        self.moves += 1
        for place, opener in enumerate(STORES.values()):
            folder = Path(self.folder.name, f"{place}-{self.moves}")
            folder.mkdir()
            old = self.engines[place]
            new_id = old.ports.new_id
            self.moved.append(restored(exported(old), opener(folder), self.clock, new_id=new_id))
            old.close()
        self.engines = [self.moved.pop() for _ in self.engines]

    @rule(id_=st.sampled_from(("nobody", "rel_nobody", "\ud800")))
    def ask_for_nobody(self, id_):
        for op in (Revise(id_), Invalidate(id_), Forget((id_,)), History(id_), Explore(id_)):
            self.refused(op, NotFound)

    @precondition(has_memories)
    @rule(place=places, hour=hours)
    def get_as_of(self, place, hour):
        id_, at = self.one(place), self.time(hour)
        state = self.book.now(id_)
        answer = self.run(Get((id_,), state["tenant"], as_of=at))
        assert [shown(r) for r in answer.records] == [state] * holds(state, at)

    @precondition(has_memories)
    @rule(place=places, known=hours, hour=st.none() | hours)
    def get_as_known(self, place, known, hour):
        id_, at = self.one(place), self.time(known)
        states = [s for s in self.book.memories[id_] if s["updated"] <= at and s["created"] <= at]
        true_at = None if hour is None else self.time(hour)
        expected = [s for s in states[-1:] if true_at is None or holds(s, true_at)]
        tenant = self.book.now(id_)["tenant"]
        answer = self.run(Get((id_,), tenant, as_of=true_at, known_at=at))
        assert [shown(r) for r in answer.records] == expected
        for record in answer.records:
            drawn = {old: new for old, (new, said) in self.book.heirs.items() if said <= at}
            assert record.superseded_by == drawn.get(id_, "")
            assert set(record.supersedes) == {old for old, new in drawn.items() if new == id_}

    @rule(tenant=st.sampled_from(TENANTS), hour=st.none() | hours)
    def page(self, tenant, hour):
        at = self.clock() if hour is None else self.time(hour)
        expected = self.book.holding(tenant, at)[::-1]
        where = Where(tenant, at=None if hour is None else at)
        answer = self.run(List(where, limit=3, offset=1, current=hour is None))
        assert [r.id for r in answer.records] == expected[1:4]
        assert answer.total == len(expected)

    @rule(word=st.sampled_from(WORDS), tenant=st.sampled_from(TENANTS), hour=st.none() | hours)
    def recall(self, word, tenant, hour):
        at = None if hour is None else self.time(hour)
        op = Recall(
            f"the {word}",
            Where(tenant),
            limit=500,
            weights=Weights(vector=0, words=1, graph=0),
            as_of=at,
            fold=False,
        )
        holding = self.book.holding(tenant, at or self.clock())
        expected = {id_ for id_ in holding if word in self.book.now(id_)["text"].split()}
        for engine in self.engines:
            assert {hit.record.id for hit in engine.run(op).hits} == expected

    @precondition(has_memories)
    @rule(place=places, hour=st.none() | hours)
    def explore(self, place, hour):
        id_ = self.one(place)
        at = self.clock() if hour is None else self.time(hour)
        as_of = None if hour is None else at
        tenant = self.book.now(id_)["tenant"]
        drawn = {
            dst for (src, dst), r in self.book.relations.items() if src == id_ and holds(r, at)
        }
        older = {
            old
            for old, (new, said) in self.book.heirs.items()
            if new == id_ and said <= at and (hour is None or holds(self.book.now(old), at))
        }
        answer = self.run(Explore(id_, tenant, as_of=as_of))
        assert {r.id for r in answer.records} == drawn | older

    @precondition(has_memories)
    @rule(place=places)
    def tell(self, place):
        id_ = self.one(place)
        told = self.run_apart(History(id_, self.book.now(id_)["tenant"]))
        assert [shown(version) for version in told.versions] == self.book.memories[id_]

    def run_apart(self, op):
        """The answer of one engine; what the ledger says differs by the salts."""
        return self.engines[-1].run(op)

    @invariant()
    def everything_is_as_the_book_has_it(self):
        for engine in self.engines:
            pages = [
                engine.run(List(Where(tenant, kinds=(Kind.MEMORY,)), limit=1000))
                for tenant in ("local", "other")
            ]
            records = {r.id: r for page in pages for r in page.records}
            assert records.keys() == self.book.memories.keys()
            assert sum(page.total for page in pages) == len(self.book.memories)
            for id_, record in records.items():
                assert shown(record) == self.book.now(id_)
                heir, _ = self.book.heirs.get(id_, ("", None))
                assert record.superseded_by == heir

    @invariant()
    def the_ledger_tells_all_that_was_done(self):
        for engine in self.engines:
            assert [(event.verb, event.record) for event in ledger(engine)] == self.book.told


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=40)
