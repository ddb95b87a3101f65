"""Finds, or makes, the entities that texts name, and draws the edges to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Kind, Link, Plan, Scope, Where
from recollect.rules import entities, plan
from recollect.rules.analyse import tokens
from recollect.rules.bm25 import selective
from recollect.rules.code.mention import MOST, fits, lookups
from recollect.rules.plan import defines
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Author, Edge, Entry, Record
    from recollect.store import Reader

# So many texts are read again when an entity is described; of a commoner word, the best fitting.
_MOST_TEXTS = 500
# For so few texts, to look up every phrase takes less time than to ask whether it can be of use.
_FEW = 50


class Said(Value):
    """What one record's text names, and every phrase that may be a name in lower case."""

    record: Record
    names: dict[str, str]
    phrases: tuple[str, ...]


class Named(Value):
    """What new records name, as a snapshot knew it: the last event in it, edges, new entities."""

    event: int
    edges: tuple[Edge, ...]
    new: tuple[Record, ...]


class Names:
    """The entities of one transaction: those in the store, and those that it will add."""

    def __init__(self, ports: Ports, tx: Reader, author: Author, now: datetime) -> None:
        self._ports = ports
        self._tx = tx
        self._author = author
        self._now = now
        # By tenant and user, then by key.
        self._known: dict[tuple[str, str], dict[str, Record]] = {}
        self.new: list[Record] = []

    def link(self, records: Sequence[Record]) -> list[Edge]:
        """The edges from records to what they name. What is new among it is in `new`."""
        said = self._read(records)
        self._look_up(said)
        known = len(self.new)
        edges = [edge for one in said for edge in self._links(one)]
        return edges + self._defined(self.new[known:])

    def named(self, records: Sequence[Record]) -> Named:
        """The same, to be written by a transaction that finds nothing changed since."""
        return Named(self._tx.last_event(), tuple(self.link(records)), tuple(self.new))

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
        # Code that has a name keeps nothing of what was said of it.
        drawn = (edge for edge in self._tx.edges(extracted) if edge.type != Link.DEFINES)
        holding = set(drawn).difference(ended)
        held = {end for edge in holding for end in (edge.src, edge.dst)}
        return tuple(id_ for id_ in extracted if id_ not in held)

    def _defined(self, new: Sequence[Record]) -> list[Edge]:
        """The edges from code and files to the entities that are their names."""
        edges: list[Edge] = []
        for tenant, user in {_whose(entity) for entity in new}:
            mine = [entity for entity in new if _whose(entity) == (tenant, user)]
            where = Where(tenant, user, kinds=(Kind.CODE, Kind.SOURCE))
            code = self._tx.keyed(where, lookups(entity.key for entity in mine))
            for entity in mine if code else ():
                meant = [one for one in code if fits(one, entity.key)]
                if len(meant) <= MOST:
                    edges += [defines(one, entity, self._now) for one in meant]
        return edges

    def _named(self, record: Record) -> dict[str, str]:
        return {entities.key(name): name for name in entities.names(record.text)}

    def _read(self, records: Sequence[Record]) -> list[Said]:
        any_of = {
            tenant: len(records) <= _FEW or self._any_described(tenant)
            for tenant in {record.scope.tenant for record in records}
        }
        return [
            Said(
                record,
                self._named(record),
                entities.phrases(record.text) if any_of[record.scope.tenant] else (),
            )
            for record in records
        ]

    def _any_described(self, tenant: str) -> bool:
        where = Where(tenant, kinds=(Kind.ENTITY,), statuses=(plan.DESCRIBED,))
        return bool(self._tx.page(where, 1))

    def _look_up(self, said: Sequence[Said]) -> None:
        wanted: dict[tuple[str, str], set[str]] = {}
        for one in said:
            keys = wanted.setdefault(_whose(one.record), set())
            keys.update(one.names)
            keys.update(one.phrases)
        for (tenant, user), keys in wanted.items():
            found = self._tx.named(Scope(tenant, user), sorted(keys))
            self._known.setdefault((tenant, user), {}).update(found)

    def _links(self, one: Said) -> tuple[Edge, ...]:
        known = self._known[_whose(one.record)]
        found = [
            known.get(key) or self._added(one.record, key, name) for key, name in one.names.items()
        ]
        found += [
            named
            for phrase in one.phrases
            if phrase not in one.names
            and (named := known.get(phrase)) is not None
            and named.status == plan.DESCRIBED
        ]
        return plan.mentions(one.record, found, self._now)

    def _added(self, record: Record, key: str, name: str) -> Record:
        id_ = self._ports.new_id("ent_")
        added = plan.entity(id_, record.scope, name, key, self._author, self._now)
        self._known[_whose(record)][key] = added
        self.new.append(added)
        return added


def _whose(record: Record) -> tuple[str, str]:
    return record.scope.tenant, record.scope.user
