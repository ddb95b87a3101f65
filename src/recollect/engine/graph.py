"""Handlers of the graph: name things, draw relations, walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.named import Names
from recollect.engine.ports import RELATION
from recollect.engine.reads import existing
from recollect.errors import InvalidRequest
from recollect.model import Edge, Entry, Kind, Link, Plan
from recollect.ops import Described, Explored, Related
from recollect.rules import check, entities, plan
from recollect.value import replace

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Record
    from recollect.ops import Describe, Explore, Relate
    from recollect.rules.redact import Policy
    from recollect.store import Reader

DIRECTIONS = ("outgoing", "incoming", "both")
DEEPEST = 3
# A walk ends here; hubs make the third step explode.
_MOST_REACHED = 2_000
_LONGEST_TYPE = 100


def describe(ports: Ports, op: Describe) -> Described:
    """Name a person, project or thing."""
    op = checked(op, ports.secrets())
    key = entities.key(op.name)
    if not key:
        raise InvalidRequest("name has no letter or digit. Give a name.", field="name")
    now = ports.clock()
    with ports.store.writing() as tx:
        names = Names(ports, tx, op.author, now)
        step = Plan("describe", op.author, now)
        known = tx.named(op.scope, [key]).get(key)
        if known is None:
            id_ = ports.new_id("ent_")
            new = plan.entity(id_, op.scope, op.name.strip(), key, op.author, now, op.type)
            new = _filled(new, op)
            step = replace(step, insert=(Entry(new),), link=names.spoken_of(new))
            (made,) = tx.apply(step)
            return Described(made, created=True)
        filled = _filled(known, op)
        if filled != known:
            # A known entity is found in lower case too as soon as somebody describes it.
            first = known.status != plan.DESCRIBED
            links = names.spoken_of(filled) if first else ()
            tx.apply(replace(step, update=(Entry(plan.changed(filled, now)),), link=links))
            known = tx.records([known.id])[known.id]
    return Described(known, created=False)


def relate(ports: Ports, op: Relate) -> Related:
    """Draw a relation between two records."""
    check.text(op.type, "relation type", _LONGEST_TYPE)
    if op.type == Link.SUPERSEDES:
        raise InvalidRequest(
            "A relation of the type 'supersedes' would leave the older record open. Supersede it.",
            field="type",
        )
    op = replace(op, type=asked.name_(op.type, ports.secrets()))
    check.unit("weight", op.weight)
    now = ports.clock()
    with ports.store.writing() as tx:
        existing(tx, (op.src, op.dst), op.tenant, op.kinds)
        known = [e for e in tx.edges([op.src], "outgoing", [op.type]) if e.dst == op.dst]
        if (
            known
            and known[0].id
            and known[0].valid_until is None
            and (known[0].weight == op.weight)
        ):
            return Related(known[0], created=False)
        id_ = known[0].id if known and known[0].id else ports.new_id(RELATION)
        edge = Edge(op.src, op.type, op.dst, now, now, weight=float(op.weight), id=id_)
        tx.apply(Plan("relate", op.author, now, link=(edge,)))
        drawn = tx.edge(id_) or edge
    return Related(drawn, created=not known)


def explore(ports: Ports, op: Explore) -> Explored:
    """Walk the graph from a record, nearest first."""
    check.positive("depth", op.depth, DEEPEST)
    if op.direction not in DIRECTIONS:
        raise InvalidRequest(
            f"direction is one of {', '.join(DIRECTIONS)}, not {op.direction!r}.",
            field="direction",
        )
    for each in op.types:
        check.line(each, "types")
    asked.times(as_of=op.as_of)
    at = op.as_of or ports.clock()
    with ports.store.reading() as reader:
        existing(reader, (op.id,), op.tenant)
        reached: dict[str, Record] = {}
        walked: dict[tuple[str, str, str], Edge] = {}
        frontier = [op.id]
        for _ in range(op.depth):
            edges = _open(reader, frontier, op, at)
            ends = _ends(edges, set(frontier), op.direction)
            new = [id_ for id_ in ends if id_ != op.id and id_ not in reached]
            found = _admitted(reader, new[: _MOST_REACHED - len(reached)], op, at)
            reached |= found
            walked |= {
                (e.src, e.type, e.dst): e for e in edges if {e.src, e.dst} <= {op.id, *reached}
            }
            frontier = list(found)
    return Explored(tuple(reached.values()), tuple(walked.values()))


def checked(op: Describe, policy: Policy) -> Describe:
    """The description as it may be kept. Raises `InvalidRequest` where it may not."""
    from recollect.rules.redact import guard

    check.text(op.name, "name", check.LONGEST_NAME)
    check.line(op.type, "type")
    scope = asked.scope(op.scope, policy)
    if op.description:
        check.text(op.description, "description")
    return replace(
        op,
        scope=scope,
        name=guard(op.name, policy)[0],
        type=guard(op.type, policy)[0],
        description=guard(op.description, policy)[0],
    )


def _filled(record: Record, op: Describe) -> Record:
    """The entity with what the description adds; what it does not say stays.

    One that was over is there again, unless another took its place.
    """
    return replace(
        record,
        valid_until=record.valid_until if record.superseded_by else None,
        status=plan.DESCRIBED,
        type=op.type or record.type,
        text=op.description or record.text,
    )


def _open(reader: Reader, ids: list[str], op: Explore, at: datetime) -> list[Edge]:
    if not ids:
        return []
    return [
        edge
        for edge in reader.edges(ids, op.direction, op.types)
        if edge.valid_from <= at and (edge.valid_until is None or at < edge.valid_until)
    ]


def _ends(edges: list[Edge], frontier: set[str], direction: str) -> list[str]:
    ends: dict[str, None] = {}
    for edge in edges:
        if direction != "incoming" and edge.src in frontier:
            ends[edge.dst] = None
        if direction != "outgoing" and edge.dst in frontier:
            ends[edge.src] = None
    return list(ends)


def _admitted(reader: Reader, ids: list[str], op: Explore, at: datetime) -> dict[str, Record]:
    found = reader.records(ids)
    return {id_: found[id_] for id_ in ids if _wanted(found[id_], op, at)}


def _wanted(record: Record, op: Explore, at: datetime) -> bool:
    # A thing that is named is older than its name, so only texts are asked when they were true;
    # but it is over once somebody has said so.
    timeless = record.kind is Kind.ENTITY
    if timeless and record.valid_until is not None and record.valid_until <= at:
        return False
    return (
        record.scope.tenant == op.tenant
        and (not op.kinds or record.kind in op.kinds)
        and (op.as_of is None or timeless or record.valid_at(op.as_of))
    )
