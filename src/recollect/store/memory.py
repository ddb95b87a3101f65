"""A store that keeps everything in dicts and looks at all of it for every answer.

It says in the fewest words what a store has to do, for tests and for what need not last. Nothing
here is fast; everything is meant to be seen to be right.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from recollect.decisions.measured import Came, Sums
from recollect.errors import Busy, Conflict, InvalidRequest, NotFound
from recollect.model import (
    Arc,
    Candidate,
    Corpus,
    Counts,
    Entry,
    Event,
    Kind,
    Link,
    Sense,
    Spot,
    Vectors,
    Where,
    Whole,
    micros,
    moment,
)
from recollect.rules import analyse, bm25, govern
from recollect.rules.closeness import cosines
from recollect.rules.code import records
from recollect.rules.retain import Aged
from recollect.store import ledger
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recollect.embed import Model
    from recollect.model import (
        Author,
        Done,
        Edge,
        Key,
        Load,
        Plan,
        Problem,
        Record,
        Scope,
        Vector,
    )
    from recollect.ops import Backed


class MemoryStore:
    """A memory that lasts as long as the program."""

    def __init__(self, *, patience: float = 10.0) -> None:
        self._state = _State()
        self._writing = Lock()
        self._patience = patience

    @contextmanager
    def reading(self) -> Iterator[MemoryReader]:
        """A snapshot: what was committed last, which nobody changes any more."""
        yield MemoryReader(self._state)

    @contextmanager
    def writing(self) -> Iterator[MemoryWriter]:
        """All or nothing: a copy is changed, and takes the old state's place at the end."""
        if not self._writing.acquire(timeout=self._patience):
            raise Busy
        try:
            state = self._state.copy()
            yield MemoryWriter(state)
            self._state = state
        finally:
            self._writing.release()

    def verify(self) -> list[Problem]:
        """Check the ledger's chain, and that each record is what the ledger says was written."""
        state = self._state
        reader = MemoryReader(state)
        found = [ledger.check(state.events)]
        for id_, record in state.records.items():
            history = [*state.versions.get(id_, ()), record]
            found.append(ledger.vouched(history, state.salts[id_], reader.events_of(id_)))
        return [problem for problem in found if problem is not None]

    def backup(self, path: str) -> Backed:
        """Refuse: there is no file that could be copied."""
        raise InvalidRequest(f"This store is no file, so {path} cannot be its copy. Export it.")

    def size(self) -> int:
        """How many bytes the texts and vectors take."""
        state = self._state
        texts = sum(len(record.text.encode()) for record in state.records.values())
        senses = (sense for rows in state.senses.values() for sense in rows.values())
        return texts + sum(one.vector.nbytes + len(one.parts) for one in senses)

    def close(self) -> None:
        """Nothing is held that would have to be let go of."""


class _State:
    """All that a store holds at one moment. Once it is committed, nobody changes it."""

    def __init__(self) -> None:
        # In the order of their numbers, since an update leaves a key where it is.
        self.records: dict[str, Record] = {}
        self.versions: dict[str, tuple[Record, ...]] = {}
        self.salts: dict[str, bytes] = {}
        self.words: dict[int, list[str]] = {}
        self.edges: dict[tuple[str, str, str], Edge] = {}
        self.senses: dict[Model, dict[int, Sense]] = {}
        self.events: list[Event] = []
        self.keys: dict[str, Key] = {}
        self.done: dict[str, Done] = {}
        self.serving: Model | None = None
        self.coming: Model | None = None
        # Never given twice, so that what was meant for a forgotten record reaches no other.
        self.last_seq = 0

    def copy(self) -> _State:
        """One that can be changed. The values in it never are, so they are shared."""
        twin = _State()
        twin.records = self.records.copy()
        twin.versions = self.versions.copy()
        twin.salts = self.salts.copy()
        twin.words = self.words.copy()
        twin.edges = self.edges.copy()
        twin.senses = {model: rows.copy() for model, rows in self.senses.items()}
        twin.events = self.events.copy()
        twin.keys = self.keys.copy()
        twin.done = self.done.copy()
        twin.serving, twin.coming, twin.last_seq = self.serving, self.coming, self.last_seq
        return twin

    def heirs(self) -> dict[str, str]:
        """By superseded record: the one that took its place."""
        return {dst: src for src, type_, dst in self.edges if type_ == Link.SUPERSEDES}

    def unembedded(self, model: Model) -> list[Record]:
        """The records that have no vector of a model yet, or not all, oldest first."""
        done = {seq for seq, sense in self.senses[model].items() if not sense.partial}
        return [r for r in self.records.values() if r.embedded and r.seq not in done]


class MemoryReader:
    """What can be asked of one state."""

    def __init__(self, state: _State) -> None:
        self._state = state

    def records(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records with these ids; an id that names none is left out."""
        known = self._state.records
        return {r.id: r for r in self._whole(known[id_] for id_ in ids if id_ in known)}

    def rows(self, seqs: Sequence[int]) -> dict[int, Record]:
        """The records with these numbers; a number that names none is left out."""
        wanted = set(seqs)
        found = (r for r in self._state.records.values() if r.seq in wanted)
        return {r.seq: r for r in self._whole(found)}

    def spots(self, seqs: Sequence[int]) -> dict[int, Spot]:
        """Where these records are."""
        found = self.rows(seqs).values()
        return {one.seq: Spot(one.scope.project, one.source_ref, one.type) for one in found}

    def texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """The passages of these records, at less cost than the records."""
        return {seq: analyse.passage(record) for seq, record in self.rows(seqs).items()}

    def admitted(self, seqs: Sequence[int], where: Where) -> set[int]:
        """Of these records, those that match."""
        return {seq for seq, record in self.rows(seqs).items() if where.admits(record)}

    def page(self, where: Where, limit: int, offset: int = 0) -> list[Record]:
        """One page of the records that match, newest first."""
        newest_first = self._where(where)[::-1]
        return self._whole(newest_first[offset : offset + limit])

    def count(self, where: Where) -> int:
        """How many records match."""
        return len(self._where(where))

    def scopes(self, tenant: str) -> list[Scope]:
        """The scopes of a tenant that records have, in no order."""
        found = (record.scope for record in self._state.records.values())
        return list({scope for scope in found if scope.tenant == tenant})

    def saying(self, scope: Scope, texts: Sequence[str]) -> list[Record]:
        """The memories of exactly this scope that say one of these, open ones, oldest first."""
        found = (
            record
            for record in self._state.records.values()
            if record.kind == Kind.MEMORY
            and record.scope == scope
            and record.valid_until is None
            and record.text in texts
        )
        return self._whole(found)

    def sourced(self, scope: Scope, source: str) -> list[Record]:
        """The memories of exactly this scope that are from a source, closed ones too."""
        found = (
            record
            for record in self._state.records.values()
            if record.kind == Kind.MEMORY
            and record.scope == scope
            and source
            and record.source_ref.partition("#")[0] == source
        )
        return self._whole(found)

    def beside(self, seq: int, where: Where, limit: int, *, later: bool) -> list[Record]:
        """The records that match and were made before that one, or after it, nearest first."""
        every = self._where(where)
        after = [record for record in every if record.seq > seq]
        before = [record for record in every if record.seq < seq][::-1]
        return self._whole((after if later else before)[:limit])

    def aged(self, where: Where) -> list[Aged]:
        """Of each record that matches, how old it is."""
        return [Aged(r.id, r.scope.project, r.created_at) for r in self._where(where)]

    def named(self, scope: Scope, keys: Sequence[str]) -> dict[str, Record]:
        """By key: the entities of this tenant and user (of any project) that have these keys."""
        found = (
            record
            for record in self._state.records.values()
            if record.kind == Kind.ENTITY
            and (record.scope.tenant, record.scope.user) == (scope.tenant, scope.user)
            and record.key in keys
        )
        return {record.key: record for record in self._whole(found)}

    def keyed(self, where: Where, keys: Sequence[str]) -> list[Record]:
        """The records that match and have one of these keys, oldest first."""
        return self._whole(r for r in self._where(where) if r.key and r.key in keys)

    def came(self, where: Where) -> list[Came]:
        """The outcomes that match and that none has taken the place of, oldest first."""
        heirs = self._state.heirs()
        return [
            Came(r.key, r.type, json.loads(r.facts)["stated"], r.confidence, micros(r.event_time))
            for r in self._where(replace(where, kinds=(Kind.OUTCOME,)))
            if r.id not in heirs
        ]

    def summed(self, where: Where) -> Sums:
        """What the outcomes come to that match and that none has taken the place of."""
        came = self.came(where)
        return Sums(
            len(came),
            sum(one.score for one in came),
            sum(one.stated for one in came),
            max((one.at for one in came), default=0),
        )

    def bearing(self, id_: str) -> list[Came]:
        """What came of the decisions that are evidence for a record, as far as that is known."""
        edges = self._state.edges
        decisions = {src for src, type_, dst in edges if type_ == Link.EVIDENCE_FOR and dst == id_}
        tenants = {self._state.records[one].scope.tenant for one in decisions}
        every = [came for tenant in tenants for came in self.came(Where(tenant))]
        return [one for one in every if one.decision in decisions]

    def matching(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """The records that match with any of the terms, best BM25 of these terms first."""
        corpus = self.corpus(terms)
        found = [
            Candidate(record.seq, bm25.score(terms, words, corpus))
            for record in self._where(where)
            if not set(terms).isdisjoint(words := self._state.words.get(record.seq, []))
        ]
        return _best(found, limit)

    def corpus(self, terms: Iterable[str]) -> Corpus:
        """What BM25 needs to know of all texts, with the frequency of each of the terms."""
        documents = self._state.words.values()
        frequency = {term: sum(term in words for words in documents) for term in terms}
        average = sum(map(len, documents)) / max(1, len(documents))
        return Corpus(len(documents), average, frequency)

    def matching_code(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """The pieces of code that match with any of the terms, best weighted BM25 first."""
        wanted = set(terms)
        pieces = [record for record in self._state.records.values() if record.kind == Kind.CODE]
        said = {record.seq: records.said(record) for record in pieces}
        words = {seq: [word for field in fields for word in field] for seq, fields in said.items()}
        frequency = {term: sum(term in one for one in words.values()) for term in wanted}
        average = sum(map(len, words.values())) / max(1, len(words))
        corpus = Corpus(len(pieces), average, frequency)
        found = [
            Candidate(record.seq, bm25.weighted(terms, said[record.seq], records.WEIGHTS, corpus))
            for record in pieces
            if where.admits(record) and not wanted.isdisjoint(words[record.seq])
        ]
        return _best(found, limit)

    def corpus_of_code(self, terms: Iterable[str], where: Where) -> Corpus:
        """What choosing among terms needs to know of the code in the scopes that match."""
        within = Where(where.tenant, where.user, where.project, (Kind.CODE,))
        pieces = [one for one in self._state.records.values() if within.admits(one)]
        words = [{word for field in records.said(one) for word in field} for one in pieces]
        return Corpus(len(pieces), 0.0, {term: sum(term in one for one in words) for term in terms})

    def nearest(self, vector: Vector, where: Where, limit: int) -> list[Candidate]:
        """The records that match with the nearest serving vectors, highest cosine first."""
        rows = self._serving()
        if self._state.serving is not None:
            _check_length(vector, self._state.serving)
        from numpy.linalg import norm

        known = {r.seq: rows[r.seq] for r in self._where(where) if r.seq in rows}
        near = cosines(vector / (norm(vector) or 1.0), known)
        return _best([Candidate(*one) for one in near.items()], limit)

    def approach(
        self, where: Where, limit: int
    ) -> Callable[[Vector], Callable[[], list[Candidate]]]:
        """`nearest` in steps."""
        return lambda vector: lambda: self.nearest(vector, where, limit)

    def vectors(self, seqs: Sequence[int]) -> dict[int, Vector]:
        """The serving vectors of these records, where they have one."""
        rows = self._serving()
        return {seq: rows[seq].vector for seq in seqs if seq in rows}

    def senses(self, seqs: Sequence[int]) -> dict[int, Sense]:
        """The serving vectors of these records with their words and passages."""
        rows = self._serving()
        return {seq: rows[seq] for seq in seqs if seq in rows}

    def speakers(self, seqs: Sequence[int]) -> dict[int, str]:
        """Who said these records, where that is known."""
        return {seq: one.speaker for seq, one in self.rows(seqs).items() if one.speaker}

    def around(self, seqs: Sequence[int], reach: int) -> dict[int, list[int]]:
        """By record: those of its session and scope made next to it, `reach` on each side."""
        told: dict[object, list[int]] = {}
        for one in self._state.records.values():
            if one.session:
                told.setdefault((one.session, one.scope, one.kind), []).append(one.seq)
        beside: dict[int, list[int]] = {}
        for some in told.values():
            for at, seq in enumerate(some):
                near = some[max(0, at - reach) : at] + some[at + 1 : at + 1 + reach]
                if near and seq in seqs:
                    beside[seq] = near
        return beside

    def edges(
        self, ids: Iterable[str], direction: str = "both", types: Sequence[str] = ()
    ) -> list[Edge]:
        """The edges that leave (`outgoing`), reach (`incoming`) or touch (`both`) the records."""
        wanted = set(ids)
        found = [
            edge
            for edge in self._state.edges.values()
            if (direction != "incoming" and edge.src in wanted)
            or (direction != "outgoing" and edge.dst in wanted)
        ]
        seq = self._seq
        found.sort(key=lambda edge: (seq(edge.src), edge.type, seq(edge.dst)))
        return [edge for edge in found if not types or edge.type in types]

    def edge(self, id_: str) -> Edge | None:
        """The edge that a caller drew and that has this id."""
        drawn = (edge for edge in self._state.edges.values() if edge.id)
        return next((edge for edge in drawn if edge.id == id_), None)

    def arcs(self, seqs: Sequence[int], fanout: int) -> list[Arc]:
        """At most `fanout` arcs a record, both directions, heaviest and then newest first.

        Edges that are closed are left out.
        """
        ends = ((e, self._seq(e.src), self._seq(e.dst)) for e in self._state.edges.values())
        both = [end for e, src, dst in ends for end in ((e, src, dst), (e, dst, src))]
        both = [end for end in both if end[0].valid_until is None]
        both.sort(key=lambda end: (end[0].weight, end[0].created_at, end[2]), reverse=True)
        found: list[Arc] = []
        for seq in seqs:
            mine = [Arc(src, dst, edge.weight) for edge, src, dst in both if src == seq]
            found += mine[:fanout]
        return found

    def versions(self, id_: str) -> list[Record]:
        """The earlier versions of a record, oldest first. `updated_at` says since when."""
        return list(self._state.versions.get(id_, ()))

    def events(self, after: int, limit: int) -> list[Event]:
        """Entries of the ledger after that number, oldest first."""
        return self._state.events[after : after + limit]

    def events_of(self, id_: str) -> list[Event]:
        """The ledger's entries for one record, oldest first."""
        return [event for event in self._state.events if event.record == id_]

    def last_event(self) -> int:
        """The number of the ledger's newest entry, 0 where it is empty."""
        return len(self._state.events)

    def keys(self) -> list[Key]:
        """All keys, oldest first, those that open nothing any more among them."""
        return sorted(self._state.keys.values(), key=lambda key: (key.created_at, key.id))

    def key(self, id_: str) -> Key | None:
        """The key with this id."""
        return self._state.keys.get(id_)

    def done(self, key: str) -> Done | None:
        """The request that came with this key, if it is known."""
        return self._state.done.get(key)

    def whole(self, after: int, limit: int) -> list[Whole]:
        """Records of all tenants after that number, oldest first, whole but for their vectors."""
        found = [r for r in self._state.records.values() if r.seq > after][:limit]
        salts, versions = self._state.salts, self._state.versions
        return [Whole(r, salts[r.id], versions.get(r.id, ())) for r in found]

    def total(self) -> int:
        """How many records all tenants have together."""
        return len(self._state.records)

    def counts(self, tenant: str) -> Counts:
        """How much one tenant holds."""
        kinds = [r.kind for r in self._state.records.values() if r.scope.tenant == tenant]
        drawn = (edge for edge in self._state.edges.values() if edge.id)
        records = self._state.records
        return Counts(
            memories=kinds.count(Kind.MEMORY),
            entities=kinds.count(Kind.ENTITY),
            relations=sum(records[edge.src].scope.tenant == tenant for edge in drawn),
            code_chunks=kinds.count(Kind.CODE),
            decisions=kinds.count(Kind.DECISION),
            records=len(kinds),
        )

    def models(self) -> Vectors:
        """Which model serves, and how far the coming one is."""
        serving, coming = self._state.serving, self._state.coming
        if serving is None:
            return Vectors()
        filling = coming or serving
        return Vectors(
            serving=serving.name,
            dimensions=serving.dimensions,
            coming=coming.name if coming else "",
            done=len(self._state.senses[filling]),
            waiting=len(self._state.unembedded(filling)),
        )

    def serving_model(self) -> Model | None:
        """The model whose vectors answer searches."""
        return self._state.serving

    def filling_model(self) -> Model | None:
        """The model that records wait for: the coming one, or else the serving one."""
        return self._state.coming or self._state.serving

    def waiting(self, limit: int) -> list[Record]:
        """Records that still have no vector of the coming model, or else of the serving one."""
        filling = self._state.coming or self._state.serving
        found = self._state.unembedded(filling) if filling else []
        # Code, of which there is much, comes last.
        return self._whole(sorted(found, key=lambda r: r.kind == Kind.CODE)[:limit])

    def waiting_of(self, where: Where) -> int:
        """How many of the records that match are `waiting`."""
        filling = self._state.coming or self._state.serving
        waits = {record.id for record in self._state.unembedded(filling)} if filling else set()
        return sum(record.id in waits for record in self._where(where))

    def _where(self, where: Where) -> list[Record]:
        """The records that match, oldest first."""
        return [record for record in self._state.records.values() if where.admits(record)]

    def _whole(self, records: Iterable[Record]) -> list[Record]:
        """With what the edges say of them."""
        heirs = self._state.heirs()
        return [
            replace(
                record,
                supersedes=tuple(
                    sorted((old for old in heirs if heirs[old] == record.id), key=self._seq)
                ),
                superseded_by=heirs.get(record.id, ""),
            )
            for record in records
        ]

    def _seq(self, id_: str) -> int:
        return self._state.records[id_].seq

    def _serving(self) -> dict[int, Sense]:
        serving = self._state.serving
        return self._state.senses[serving] if serving else {}


class MemoryWriter(MemoryReader):
    """What can be asked of, and changed in, the copy that a transaction works on."""

    def complete(self) -> None:
        """Nothing is put off until the end."""

    def apply(self, plan: Plan) -> list[Record]:
        """Carry out a plan and answer what it inserted, with the numbers given by the store."""
        for entry in plan.insert:
            govern.written(plan.author, entry.record)
            self._insert(entry)
        for entry in plan.update:
            govern.changed(plan.author, self._known(entry.record.id), entry.record)
            self._update(entry)
        for entry in plan.derive:
            govern.written(plan.author, entry.record)
            if entry.record.id in self._state.records:
                govern.untouched(plan.author, self._known(entry.record.id))
            self._derive(entry)
        for edge in plan.link:
            self._link(edge)
        for edge in plan.unlink:
            self._state.edges.pop((edge.src, edge.type, edge.dst), None)
        # Before anything is forgotten, since the salts go too.
        parts = list(ledger.entries(plan, self._state.salts))
        self._log(parts, plan.at, plan.author, plan.detail)
        for id_ in (*plan.forget, *plan.discard):
            govern.untouched(plan.author, self._known(id_))
            self._forget(self._known(id_))
        self._settle()
        made = (*plan.insert, *plan.derive)
        return list(self.records(entry.record.id for entry in made).values())

    def keep_key(self, key: Key, verb: str, author: Author, at: int) -> None:
        """Keep a key in the place of the one with its id, if any; the ledger has an entry."""
        self._state.keys[key.id] = key
        id_, detail = ledger.keyed(key)
        self._log([(verb, id_, "")], moment(at), author, detail)

    def note(self, verb: str, about: str, author: Author, at: int, detail: str) -> None:
        """Add an entry to the ledger that is about no record."""
        self._log([(verb, about, "")], moment(at), author, detail)

    def keep_done(self, done: Done, before: int, most: int) -> None:
        """Keep what a request came to; forget those from before a time, and all but the newest."""
        kept = {**self._state.done, done.key: done}
        newest = sorted(kept.values(), key=lambda one: one.at, reverse=True)[:most]
        self._state.done = {one.key: one for one in newest if one.at >= moment(before)}

    def touch(self, seqs: Sequence[int], at: int) -> None:
        """Note when records were last returned. No ledger entry, no new version."""
        for record in self.rows(seqs).values():
            stored = self._state.records[record.id]
            self._state.records[record.id] = replace(stored, accessed_at=moment(at))

    def prepare(self, model: Model) -> None:
        """Make `model` the serving one where none is yet, else the coming one; queue the texts."""
        state = self._state
        state.serving = state.serving or model
        state.coming = None if model == state.serving else model
        kept = [model for model in (state.serving, state.coming) if model is not None]
        state.senses = {model: state.senses.get(model, {}) for model in kept}
        self._settle()

    def embed(
        self,
        vectors: Mapping[int, Vector],
        model: Model,
        codes: Mapping[int, bytes] | None = None,
        parts: Mapping[int, bytes] | None = None,
    ) -> None:
        """Keep vectors of a model for records that wait for them.

        The coming model becomes the serving one with the last of them.
        """
        if model not in self._state.senses:
            raise Conflict(
                f"{model.name} is not the model that this store is being filled with. Read again "
                "which model it wants.",
                model=model.name,
            )
        codes, parts = codes or {}, parts or {}
        for seq in [record.seq for record in self._state.unembedded(model)]:
            if seq in vectors:
                sense = Sense(vectors[seq], codes.get(seq, b""), parts.get(seq, b""))
                self._keep(sense, seq, model)
        self._settle()

    def restore(self, load: Load) -> None:
        """Take in what another store held, as it was: no new entry, no new version."""
        state = self._state
        state.events += load.events
        for whole in load.records:
            id_ = whole.record.id
            self._insert(Entry(whole.record, whole.vector, whole.codes, whole.parts, whole.partial))
            seq = state.records[id_].seq
            state.records[id_] = _stored(whole.record, seq, whole.record.accessed_at)
            state.salts[id_] = whole.salt
            if whole.versions:
                state.versions[id_] = tuple(replace(one, seq=seq) for one in whole.versions)
        for edge in load.edges:
            self._link(edge)
        self._settle()

    def wipe(self, tenant: str, author: Author, at: int) -> Counts:
        """Delete everything of one tenant; the ledger keeps one entry that says so."""
        mine = [r for r in self._state.records.values() if r.scope.tenant == tenant]
        left = [r for r in mine if govern.outlasts(author, r)]
        counts = govern.without(self.counts(tenant), len(left))
        for record in mine:
            if record not in left:
                self._forget(record)
        self._state.done = {k: one for k, one in self._state.done.items() if one.tenant != tenant}
        *part, detail = ledger.wiped(tenant)
        verb, id_, seal = part
        self._log([(verb, id_, seal)], moment(at), author, detail)
        self._settle()
        return counts

    def _insert(self, entry: Entry) -> None:
        state, id_ = self._state, entry.record.id
        if id_ in state.records:
            raise Conflict(f"There is a record {id_} already. Update it instead.", id=id_)
        self._check_name(entry.record)
        state.last_seq += 1
        state.records[id_] = _stored(entry.record, state.last_seq, None)
        state.salts[id_] = os.urandom(ledger.SALT_BYTES)
        self._index(state.records[id_], entry)

    def _derive(self, entry: Entry) -> None:
        known = self._state.records.get(entry.record.id)
        if known is None:
            self._insert(entry)
        else:
            self._state.records[known.id] = _stored(entry.record, known.seq, known.accessed_at)
            if analyse.passage(entry.record) != analyse.passage(known):
                self._drop_vectors(known.seq)

    def _update(self, entry: Entry) -> None:
        old, new = self._known(entry.record.id), entry.record
        if new.version != old.version + 1 or new.kind != old.kind:
            raise Conflict(
                f"Record {old.id} is at version {old.version}, so version {new.version} does not "
                "follow from it. Read it again.",
                id=old.id,
                version=old.version,
            )
        self._check_name(new)
        earlier = self._state.versions.get(old.id, ())
        self._state.versions[old.id] = (*earlier, replace(old, accessed_at=None))
        self._state.records[old.id] = _stored(new, old.seq, old.accessed_at)
        if analyse.passage(new) != analyse.passage(old):
            self._drop_vectors(old.seq)
        self._index(self._state.records[old.id], entry)

    def _check_name(self, record: Record) -> None:
        """A name means one entity of a user."""
        if record.kind != Kind.ENTITY:
            return
        known = self.named(record.scope, [record.key]).get(record.key, record)
        if known.id != record.id:
            raise Conflict(
                f"Entity {known.id} is called {record.key!r} already. Use that one.", id=known.id
            )

    def _index(self, record: Record, entry: Entry) -> None:
        """Make the record findable. An entity is found by its name and edges alone."""
        if record.searched:
            self._state.words[record.seq] = analyse.tokens(analyse.passage(record))
        if not record.embedded:
            return
        if entry.vector is not None:
            sense = Sense(entry.vector, entry.codes, entry.parts, entry.partial)
            self._keep(sense, record.seq, self._state.serving)

    def _keep(self, sense: Sense, seq: int, model: Model | None) -> None:
        if model is None:
            raise Conflict("A vector was given before any model. Prepare the model first.")
        _check_length(sense.vector, model)
        self._state.senses[model][seq] = sense._replace(vector=sense.vector.copy())

    def _link(self, edge: Edge) -> None:
        new, old = self._known(edge.src), self._known(edge.dst)
        if edge.type == Link.SUPERSEDES:
            self._check_succession(edge.src, edge.dst)
            govern.succeeded(new, old)
        key = (edge.src, edge.type, edge.dst)
        drawn = self._state.edges.get(key, edge)
        self._state.edges[key] = replace(
            drawn, weight=edge.weight, valid_until=edge.valid_until, id=drawn.id or edge.id
        )

    def _check_succession(self, new: str, old: str) -> None:
        heirs = self._state.heirs()
        if old in heirs:
            raise Conflict(
                f"Record {old} was superseded by {heirs[old]} already. Supersede that one.",
                id=old,
                superseded_by=heirs[old],
            )
        last = new
        while last in heirs:
            last = heirs[last]
        # `old` has no heir, so if it comes after `new` at all, it comes last.
        if last == old:
            raise Conflict(
                f"Record {old} is {new} or comes after it, so {new} cannot take its place. "
                "Read both again.",
                id=old,
            )

    def _forget(self, record: Record) -> None:
        state = self._state
        del state.records[record.id], state.salts[record.id]
        state.versions.pop(record.id, None)
        state.words.pop(record.seq, None)
        self._drop_vectors(record.seq)
        state.edges = {
            key: edge for key, edge in state.edges.items() if record.id not in (edge.src, edge.dst)
        }
        # An answer may hold what is deleted.
        state.done = {
            key: replace(one, answer="") if one.tenant == record.scope.tenant else one
            for key, one in state.done.items()
        }

    def _drop_vectors(self, seq: int) -> None:
        for rows in self._state.senses.values():
            rows.pop(seq, None)

    def _settle(self) -> None:
        """Let the coming model serve as soon as no record waits for it."""
        state = self._state
        if state.coming is not None and not state.unembedded(state.coming):
            state.serving, state.coming = state.coming, None
            state.senses = {state.serving: state.senses[state.serving]}

    def _log(
        self, parts: Iterable[tuple[str, str, str]], at: datetime, author: Author, detail: str
    ) -> None:
        events = self._state.events
        last = (events[-1].seq, events[-1].hash) if events else (0, ledger.START)
        events += ledger.chained(parts, last, at, author, detail)

    def _known(self, id_: str) -> Record:
        record = self._state.records.get(id_)
        if record is None:
            raise NotFound(f"There is no record {id_}. Look up the id and try again.", id=id_)
        return record


def _stored(record: Record, seq: int, accessed_at: datetime | None) -> Record:
    """Without what a caller cannot decide."""
    return replace(record, seq=seq, accessed_at=accessed_at, supersedes=(), superseded_by="")


def _check_length(vector: Vector, model: Model) -> None:
    if len(vector) != model.dimensions:
        raise Conflict(
            f"A vector has {len(vector)} numbers, but those of {model.name} have "
            f"{model.dimensions}. Read again which model serves, and embed with that one.",
            model=model.name,
            dimensions=model.dimensions,
        )


def _best(found: list[Candidate], limit: int) -> list[Candidate]:
    """The highest scores first. Equals stand by number, so that the order is always the same."""
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.seq))[:limit]
