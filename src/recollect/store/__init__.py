"""The port to whatever keeps the records. Engines implement it; nothing here knows of any.

A store has two doors: `reading()`, a snapshot that no writer disturbs, and `writing()`, one
transaction that is all or nothing and whose reads cannot go stale, since the write lock is taken
first. What a plan changes is searchable, by every process, once `writing()` has been left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recollect.decisions.measured import Came, Sums
    from recollect.embed import Model
    from recollect.model import (
        Arc,
        Author,
        Candidate,
        Corpus,
        Counts,
        Done,
        Edge,
        Event,
        Key,
        Load,
        Plan,
        Problem,
        Record,
        Scope,
        Sense,
        Spot,
        Vector,
        Vectors,
        Where,
        Whole,
    )
    from recollect.ops import Backed
    from recollect.rules.retain import Aged


class Reader(Protocol):
    """What can be asked of a snapshot."""

    def records(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records with these ids; an id that names none is left out."""

    def rows(self, seqs: Sequence[int]) -> dict[int, Record]:
        """The records with these numbers; a number that names none is left out."""

    def spots(self, seqs: Sequence[int]) -> dict[int, Spot]:
        """Where these records are, at much less cost than the records."""

    def texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """The passages of these records, at less cost than the records."""

    def admitted(self, seqs: Sequence[int], where: Where) -> set[int]:
        """Of these records, those that match."""

    def page(self, where: Where, limit: int, offset: int = 0) -> list[Record]:
        """One page of the records that match, newest first."""

    def count(self, where: Where) -> int:
        """How many records match."""

    def scopes(self, tenant: str) -> list[Scope]:
        """The scopes of a tenant that records have or have had, in no order."""

    def saying(self, scope: Scope, texts: Sequence[str]) -> list[Record]:
        """The memories of exactly this scope that say one of these, open ones, oldest first."""

    def sourced(self, scope: Scope, source: str) -> list[Record]:
        """The memories of exactly this scope that are from a source, closed ones too, oldest first.

        Those whose `source_ref` is the source, or goes on behind it with a #.
        """

    def beside(self, seq: int, where: Where, limit: int, *, later: bool) -> list[Record]:
        """The records that match and were made before that one, or after it, nearest first."""

    def aged(self, where: Where) -> list[Aged]:
        """Of each record that matches, how old it is, in any order."""

    def named(self, scope: Scope, keys: Sequence[str]) -> dict[str, Record]:
        """By key: the entities of this tenant and user (of any project) that have these keys."""

    def keyed(self, where: Where, keys: Sequence[str]) -> list[Record]:
        """The records that match and have one of these keys, oldest first."""

    def came(self, where: Where) -> list[Came]:
        """The outcomes that match and that none has taken the place of, oldest first."""

    def summed(self, where: Where) -> Sums:
        """What the outcomes come to that match and that none has taken the place of."""

    def bearing(self, id_: str) -> list[Came]:
        """What came of the decisions that are evidence for a record, as far as that is known."""

    def matching(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """The records that match with any of the terms, best BM25 of these terms first."""

    def corpus(self, terms: Iterable[str]) -> Corpus:
        """What BM25 needs to know of all texts, with the frequency of each of the terms."""

    def matching_code(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """The pieces of code that match with any of the terms, best weighted BM25 first."""

    def corpus_of_code(self, terms: Iterable[str], where: Where) -> Corpus:
        """What choosing among terms needs to know of the code in the scopes that match.

        The average length is not told.
        """

    def nearest(self, vector: Vector, where: Where, limit: int) -> list[Candidate]:
        """The records that match with the nearest serving vectors, highest cosine first.

        A long text is as near as the nearest of its passages.
        """

    def approach(
        self, where: Where, limit: int
    ) -> Callable[[Vector], Callable[[], list[Candidate]]]:
        """`nearest` in steps: what is answered may run in another thread, beside this one's reads.

        What that answers has to be called in this one, and gives the candidates.
        """

    def vectors(self, seqs: Sequence[int]) -> dict[int, Vector]:
        """The serving vectors of these records, where they have one."""

    def senses(self, seqs: Sequence[int]) -> dict[int, Sense]:
        """The serving vectors of these records with their words and passages, in one look."""

    def speakers(self, seqs: Sequence[int]) -> dict[int, str]:
        """Who said these records, where that is known."""

    def around(self, seqs: Sequence[int], reach: int) -> dict[int, list[int]]:
        """By record: those of its session and scope made next to it, `reach` on each side."""

    def edges(
        self, ids: Iterable[str], direction: str = "both", types: Sequence[str] = ()
    ) -> list[Edge]:
        """The edges that leave (`outgoing`), reach (`incoming`) or touch (`both`) the records."""

    def edge(self, id_: str) -> Edge | None:
        """The edge that a caller drew and that has this id."""

    def arcs(self, seqs: Sequence[int], fanout: int) -> list[Arc]:
        """At most `fanout` arcs a record, both directions, heaviest and then newest first.

        Edges that are closed are left out.
        """

    def versions(self, id_: str) -> list[Record]:
        """The earlier versions of a record, oldest first. `updated_at` says since when."""

    def events(self, after: int, limit: int) -> list[Event]:
        """Entries of the ledger after that number, oldest first."""

    def events_of(self, id_: str) -> list[Event]:
        """The ledger's entries for one record, oldest first."""

    def last_event(self) -> int:
        """The number of the ledger's newest entry, 0 where it is empty."""

    def whole(self, after: int, limit: int) -> list[Whole]:
        """Records of all tenants after that number, oldest first, whole but for their vectors."""

    def total(self) -> int:
        """How many records all tenants have together."""

    def counts(self, tenant: str) -> Counts:
        """How much one tenant holds."""

    def models(self) -> Vectors:
        """Which model serves, and how far the coming one is."""

    def serving_model(self) -> Model | None:
        """The model whose vectors answer searches, at the cost of one look."""

    def filling_model(self) -> Model | None:
        """The model that records wait for: the coming one, or else the serving one."""

    def waiting(self, limit: int) -> list[Record]:
        """Records that still have no vector of the coming model, or else of the serving one."""

    def waiting_of(self, where: Where) -> int:
        """How many of the records that match are `waiting`."""

    def keys(self) -> list[Key]:
        """All keys, oldest first, those that open nothing any more among them."""

    def key(self, id_: str) -> Key | None:
        """The key with this id."""

    def done(self, key: str) -> Done | None:
        """The request that came with this key, if it is known."""


class Writer(Reader, Protocol):
    """What can be asked and changed inside a transaction."""

    def apply(self, plan: Plan) -> list[Record]:
        """Carry out a plan and answer what it inserted, with the numbers given by the store.

        Raises:
            Conflict: an updated record has moved on, was superseded already, or a supersedes
                edge would close a circle.
            Isolated: an agent's plan would change what a person decided.
            NotFound: an edge's end, or what is to be updated or forgotten, is not there.
        """

    def complete(self) -> None:
        """Do what is else put off until the end, while something else is waited for anyway."""

    def note(self, verb: str, about: str, author: Author, at: int, detail: str) -> None:
        """Add an entry to the ledger that is about no record."""

    def keep_key(self, key: Key, verb: str, author: Author, at: int) -> None:
        """Keep a key in the place of the one with its id, if any; the ledger has an entry."""

    def keep_done(self, done: Done, before: int, most: int) -> None:
        """Keep what a request came to; forget those from before a time, and all but the newest.

        What is forgotten of a tenant's records takes that tenant's answers along.
        """

    def touch(self, seqs: Sequence[int], at: int) -> None:
        """Note when records were last returned. No ledger entry, no new version."""

    def prepare(self, model: Model) -> None:
        """Make `model` the serving one where none is yet, else the coming one; queue the texts."""

    def embed(
        self,
        vectors: Mapping[int, Vector],
        model: Model,
        codes: Mapping[int, bytes] | None = None,
        parts: Mapping[int, bytes] | None = None,
    ) -> None:
        """Keep vectors of a model, codes of words, and passages, for records that wait for them.

        The coming model becomes the serving one with the last of them.
        """

    def restore(self, load: Load) -> None:
        """Take in what another store held, as it was: no new entry in the ledger, no new version.

        Entries are taken in the order of their numbers, records before the edges between them. A
        vector is of the serving model.

        Raises:
            Conflict: something of it is here already, or an edge would close a circle.
            NotFound: an edge's end is not here.
        """

    def wipe(self, tenant: str, author: Author, at: int) -> Counts:
        """Delete everything of one tenant; the ledger keeps one entry that says so.

        What a person decided is left where an agent has it deleted.
        """


class Store(Protocol):
    """A memory. Open it once, at the edge; give it to the engine."""

    def reading(self) -> AbstractContextManager[Reader]:
        """A snapshot: it sees every write committed before, and none after, its start."""

    def writing(self) -> AbstractContextManager[Writer]:
        """All or nothing. Raises `Busy` when others hold the lock for too long."""

    def verify(self) -> list[Problem]:
        """Check that the file is sound and that all derived things agree with the records."""

    def backup(self, path: str) -> Backed:
        """Copy what one moment holds to a new file, which is a store, and check the copy.

        Raises:
            Conflict: there is something at the path already.
            Damaged: the copy is not sound, and so is not kept.
            InvalidRequest: this store is of a sort that cannot be copied to a file.
        """

    def size(self) -> int:
        """How many bytes the store takes."""

    def close(self) -> None:
        """Let go of every file and lock."""
