"""Draws the edges of code: who calls what, which file imports which.

Names are looked up when all files of a run are in, since what is called may come later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.code.projects import facts_of, files_of
from recollect.model import Edge, Kind, Link, Plan, Where
from recollect.rules.analyse import tokens
from recollect.rules.code import records
from recollect.rules.code.link import CALLABLE, Definition, Paths, meant, resolved
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Author, Record
    from recollect.store import Reader

_AT_ONCE = 2_000
_NAMES_AT_ONCE = 400
# New names are looked for in the files that did not change; so many of them, in so many pieces.
_MOST_NEW = 100
_MOST_MENTIONS = 40


class Linked(Value):
    """How far the linking is: so many parts of so many are done."""

    done: int
    of: int


class Linker:
    """Gathers what has changed in a run, and links it in the end."""

    def __init__(self, ports: Ports, project: Record, author: Author, *, whole: bool) -> None:
        self._ports = ports
        self._project = project
        self._author = author
        whose = project.scope
        self._where = Where(whose.tenant, whose.user, whose.project, (Kind.CODE,))
        # Whether all of the project is to be linked, since an earlier run was not ended.
        self._whole = whole
        # By id the path of each piece that is to be linked; their texts would fill the memory.
        self._changed: dict[str, str] = {}
        self._new: set[str] = set()

    def add(self, changed: Sequence[Record], new: Iterable[str]) -> None:
        """Note pieces that say something else now, and names that were not defined before."""
        if not self._whole:
            self._changed |= {record.id: record.source_ref for record in changed}
            self._new |= set(new)

    def finish(self) -> Iterator[Linked]:
        """Draw the edges of what has changed, some at a time, and say how far that is."""
        with self._ports.store.reading() as reader:
            files = files_of(reader, self._project)
            self._seek(reader)
            count = reader.count(self._where) if self._whole else len(self._changed)
        if not count:
            return
        now = self._ports.clock()
        touched = files.keys() & (files.keys() if self._whole else set(self._changed.values()))
        imports = {path: facts_of(files[path]).get("imports", ()) for path in touched}
        brought = resolved(Paths(files), imports)
        edges = [
            Edge(files[path].id, Link.IMPORTS, files[other].id, now, now)
            for path in sorted(touched)
            for other in sorted(brought[path])
        ]
        self._replace([files[path].id for path in touched], Link.IMPORTS, edges)
        parts = range(0, count, _AT_ONCE)
        for number, at in enumerate(parts):
            if len(parts) > 1:
                yield Linked(number, len(parts))
            with self._ports.store.reading() as reader:
                part = self._part(reader, at)
                drawn = list(self._calls(reader, part, brought, now))
            self._replace([piece.id for piece in part], Link.CALLS, drawn)

    def _part(self, reader: Reader, at: int) -> Sequence[Record]:
        """Some of the pieces that are to be linked."""
        if self._whole:
            return reader.page(self._where, _AT_ONCE, at)
        return [*reader.records([*self._changed][at : at + _AT_ONCE]).values()]

    def _seek(self, reader: Reader) -> None:
        """Take in what calls a name that is new, though it did not change itself."""
        for name in sorted(self._new)[:_MOST_NEW]:
            said = tokens(name)[-1:]
            near = reader.matching_code(said, self._where, _MOST_MENTIONS)
            for piece in reader.rows([one.seq for one in near]).values():
                if name in map(records.symbol, records.place(piece).calls):
                    self._changed.setdefault(piece.id, piece.source_ref)

    def _calls(
        self,
        reader: Reader,
        pieces: Sequence[Record],
        brought: dict[str, frozenset[str]],
        now: datetime,
    ) -> Iterator[Edge]:
        calls = {piece.id: records.place(piece).calls for piece in pieces}
        names = sorted({records.symbol(name) for some in calls.values() for name in some})
        defined = self._defined(reader, names)
        for piece in pieces:
            caller = _definition(piece)
            imported = brought.get(piece.source_ref, frozenset())
            found: dict[str, float] = {}
            for name in calls[piece.id]:
                bare = name.rpartition(".")[2]
                fitting = [d for d in defined.get(records.symbol(name), ()) if d.name == bare]
                for id_, weight in meant(fitting, caller, imported):
                    found.setdefault(id_, weight)
            for id_, weight in found.items():
                yield Edge(piece.id, Link.CALLS, id_, now, now, weight=weight)

    def _defined(self, reader: Reader, names: Sequence[str]) -> dict[str, list[Definition]]:
        found: dict[str, list[Definition]] = {}
        for at in range(0, len(names), _NAMES_AT_ONCE):
            part = names[at : at + _NAMES_AT_ONCE]
            for one in reader.keyed(self._where, part):
                # A long one counts once, as its first part.
                if one.type in CALLABLE and records.place(one).part <= 1:
                    definition = _definition(one)
                    found.setdefault(one.key, []).append(definition)
        return found

    def _replace(self, ids: Sequence[str], type_: Link, edges: Sequence[Edge]) -> None:
        """Draw edges in the place of those of their type that leave these records."""
        if not ids:
            return
        with self._ports.store.writing() as tx:
            there = tx.records({end for edge in edges for end in (edge.src, edge.dst)})
            kept = [edge for edge in edges if edge.src in there and edge.dst in there]
            wanted = {(edge.src, edge.dst) for edge in kept}
            before = tx.edges(ids, "outgoing", [type_])
            gone = tuple(e for e in before if (e.src, e.dst) not in wanted and not e.id)
            if kept or gone:
                now = self._ports.clock()
                plan = Plan("index", self._author, now, link=tuple(kept), unlink=gone)
                tx.apply(plan)


def _definition(piece: Record) -> Definition:
    return Definition(piece.id, records.place(piece).name, piece.source_ref, piece.status)
