"""Handler that says what is behind a piece of code: the decisions and memories that name it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.code import projects
from recollect.errors import NotFound
from recollect.model import Kind, Link, Where
from recollect.ops import Reasons
from recollect.rules import check, entities
from recollect.rules.analyse import tokens
from recollect.rules.bm25 import selective
from recollect.rules.code import records
from recollect.rules.code.mention import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recollect.engine.ports import Ports
    from recollect.model import Record
    from recollect.ops import Why
    from recollect.store import Reader

_KINDS = (
    *(Kind.MEMORY, Kind.DECISION, Kind.PROPOSAL, Kind.OUTCOME, Kind.SIGNAL),
    *(Kind.SKILL, Kind.ANTIPATTERN),
)
# So many texts are read for the names, of those that hold their rarest word.
_MOST_TEXTS = 200


def why(ports: Ports, op: Why) -> Reasons:
    """Say what is behind a file or one of its lines."""
    check.text(op.path, "path", 5_000)
    check.positive("limit", op.limit, 1_000)
    if op.line is not None:
        check.positive("line", op.line, asked.LARGEST)
    asked.scope(op.scope)
    with ports.store.reading() as reader:
        project, file = _file(reader, op)
        pieces = projects.pieces_of(reader, [file]).get(file.id, [])
        if op.line is not None:
            pieces = _at(pieces, op.line)
        about = [file, *pieces] if op.line is None else pieces or [file]
        found = {one.id: one for one in (*_naming(reader, about), *_saying(reader, about))}
    newest = sorted(found.values(), key=lambda one: (one.event_time, one.seq), reverse=True)
    decisions = [one for one in newest if one.kind is Kind.DECISION]
    others = [one for one in newest if one.kind is not Kind.DECISION]
    return Reasons(
        project.source_ref,
        file.source_ref,
        tuple(sorted(pieces, key=lambda one: records.place(one).start)),
        tuple(decisions[: op.limit]),
        tuple(others[: op.limit]),
    )


def _file(reader: Reader, op: Why) -> tuple[Record, Record]:
    """The project and the file that a path means."""
    path = os.path.join(*op.roots[:1], os.path.expanduser(op.path))
    real = os.path.realpath(path)
    every = projects.all_of(reader, op.scope)
    for project in sorted(every, key=lambda one: -len(one.source_ref)):
        root = project.source_ref
        inside = [os.path.relpath(real, root)] if real.startswith(f"{root}{os.path.sep}") else []
        for name in (*inside, op.path):
            whose = project.scope
            where = Where(whose.tenant, whose.user, whose.project, (Kind.SOURCE,))
            for file in reader.keyed(where, [records.basename(name)]):
                if file.type == records.FILE and file.source_ref == name.removeprefix("./"):
                    return project, file
    raise NotFound(
        f"{op.path[:200]} is in no indexed project. Index its folder: recollect index PATH",
        path=op.path[:200],
    )


def _at(pieces: Sequence[Record], line: int) -> list[Record]:
    """The pieces that a line is in, the innermost first."""
    places = [(records.place(piece), piece) for piece in pieces]
    around = [
        (place.end - place.start, p) for place, p in places if place.start <= line <= place.end
    ]
    return [piece for _, piece in sorted(around, key=lambda one: (one[0], one[1].seq))]


def _naming(reader: Reader, about: Sequence[Record]) -> Iterable[Record]:
    """What mentions the entities that are the names of these, or is linked to them outright."""
    ids = [one.id for one in about]
    named = [edge.dst for edge in reader.edges(ids, "outgoing", [Link.DEFINES])]
    edges = reader.edges([*ids, *named], "incoming")
    sources = reader.records(dict.fromkeys(edge.src for edge in edges)).values()
    return [one for one in sources if one.kind in _KINDS]


def _saying(reader: Reader, about: Sequence[Record]) -> Iterable[Record]:
    """What names these in its text, where nobody has linked it yet."""
    whose = about[0].scope
    where = Where(whose.tenant, whose.user or None, kinds=_KINDS)
    found: dict[str, Record] = {}
    for one in about:
        name = records.basename(one.source_ref) if one.kind is Kind.SOURCE else one.key
        words = tokens(name)
        near = reader.matching(selective(words, reader.corpus(words))[:1], where, _MOST_TEXTS)
        for record in reader.rows([candidate.seq for candidate in near]).values():
            said = map(entities.key, entities.names(record.text))
            if record.id not in found and any(fits(one, name) for name in said):
                found[record.id] = record
    return found.values()
