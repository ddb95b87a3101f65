"""Finds, or makes, the entities that texts name, and draws the edges to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Kind, Link, Plan, Scope, Where
from recollect.rules import entities, plan
from recollect.rules.analyse import tokens
from recollect.rules.bm25 import selective

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Author, Edge, Entry, Record
    from recollect.store import Writer

# So many texts are read again when an entity is described; of a commoner word, the best fitting.
_MOST_TEXTS = 500


class Names:
    """The entities of one transaction: those in the store, and those that it will add."""

    def __init__(self, ports: Ports, tx: Writer, author: Author, now: datetime) -> None:
        self._ports = ports
        self._tx = tx
        self._author = author
        self._now = now
        self._known: dict[tuple[Scope, str], Record] = {}
        self.new: list[Record] = []
        self._described: dict[str, bool] = {}

    def link(self, records: Sequence[Record]) -> list[Edge]:
        """The edges from records to what they name. What is new among it is in `new`."""
        said = [(record, self._named(record)) for record in records]
        self._look_up(said)
        links: list[Edge] = []
        for record, names in said:
            whose = Scope(record.scope.tenant, record.scope.user)
            keys = [*names, *self._spoken_of(record, names)]
            found = [self._entity(whose, key, names.get(key)) for key in keys]
            links += plan.mentions(record, filter(None, found), self._now)
        return links

    def relink(self, old: Record, new: Record) -> Plan:
        """A plan that moves a record's edges from what it named to what it names."""
        from recollect.model import Entry as Made

        before = self._tx.edges([old.id], "outgoing", [Link.MENTIONS])
        after = self.link([new])
        kept = {edge.dst for edge in after}
        inserted: tuple[Entry, ...] = tuple(Made(named) for named in self.new)
        had = {edge.dst for edge in before}
        # What a caller drew is the caller's to take away.
        ended = tuple(edge for edge in before if edge.dst not in kept and not edge.id)
        return Plan(
            verb="revise",
            author=self._author,
            at=self._now,
            insert=inserted,
            link=tuple(edge for edge in after if edge.dst not in had),
            unlink=ended,
            forget=self._orphans([edge.dst for edge in ended], ended),
        )

    def spoken_of(self, entity: Record) -> tuple[Edge, ...]:
        """The edges to an entity from the texts that spoke of it before it was described."""
        words = tokens(entity.key)
        rarest = selective(words, self._tx.corpus(words))[:1]
        where = Where(entity.scope.tenant, entity.scope.user)
        near = self._tx.matching(rarest, where, _MOST_TEXTS)
        said = self._tx.rows([candidate.seq for candidate in near]).values()
        speaking = [r for r in said if entity.key in {*entities.phrases(r.text), *self._named(r)}]
        return tuple(
            edge for record in speaking for edge in plan.mentions(record, [entity], self._now)
        )

    def orphaned(self, records: Iterable[str]) -> tuple[str, ...]:
        """The extracted entities that nothing else names once these records are gone."""
        gone = list(records)
        named = self._tx.edges(gone, "outgoing", [Link.MENTIONS])
        ended = self._tx.edges(gone)
        orphans = self._orphans(list(dict.fromkeys(edge.dst for edge in named)), ended)
        return tuple(id_ for id_ in orphans if id_ not in gone)

    def _orphans(self, ids: Sequence[str], ended: Iterable[Edge]) -> tuple[str, ...]:
        """Of these entities, the extracted ones that no edge holds but those that end."""
        found = self._tx.records(ids)
        extracted = [id_ for id_ in ids if found[id_].status == plan.EXTRACTED]
        holding = set(self._tx.edges(extracted)).difference(ended)
        held = {end for edge in holding for end in (edge.src, edge.dst)}
        return tuple(id_ for id_ in extracted if id_ not in held)

    def _named(self, record: Record) -> dict[str, str]:
        return {entities.key(name): name for name in entities.names(record.text)}

    def _look_up(self, said: Sequence[tuple[Record, dict[str, str]]]) -> None:
        wanted: dict[Scope, dict[str, None]] = {}
        for record, names in said:
            whose = Scope(record.scope.tenant, record.scope.user)
            keys = wanted.setdefault(whose, {})
            keys.update(dict.fromkeys(names))
            if self._any_described(whose.tenant):
                keys.update(dict.fromkeys(entities.phrases(record.text)))
        for whose, keys in wanted.items():
            for key, found in self._tx.named(whose, list(keys)).items():
                self._known[whose, key] = found

    def _spoken_of(self, record: Record, names: dict[str, str]) -> list[str]:
        """The keys of described entities that the text speaks of in lower case."""
        if not self._any_described(record.scope.tenant):
            return []
        whose = Scope(record.scope.tenant, record.scope.user)
        return [
            key
            for key in entities.phrases(record.text)
            if key not in names
            and (found := self._known.get((whose, key))) is not None
            and found.status == plan.DESCRIBED
        ]

    def _any_described(self, tenant: str) -> bool:
        # A look-up of every phrase is only worth its time where somebody named something.
        if tenant not in self._described:
            where = Where(tenant, kinds=(Kind.ENTITY,), statuses=(plan.DESCRIBED,))
            self._described[tenant] = bool(self._tx.page(where, 1))
        return self._described[tenant]

    def _entity(self, whose: Scope, key: str, name: str | None) -> Record | None:
        known = self._known.get((whose, key))
        if known is None and name is not None:
            id_ = self._ports.new_id("ent_")
            known = plan.entity(id_, whose, name, key, self._author, self._now)
            self._known[whose, key] = known
            self.new.append(known)
        return known
