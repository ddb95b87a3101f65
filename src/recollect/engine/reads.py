"""Handlers that only look: records, pages, history, the ledger, and how the engine is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect._version import __version__
from recollect.engine import asked
from recollect.errors import InvalidRequest, NotFound
from recollect.model import Link
from recollect.ops import (
    Changed,
    Due,
    Got,
    Health,
    Listed,
    Measured,
    Scopes,
    Share,
    Surroundings,
    Told,
    Verified,
)
from recollect.rules import check
from recollect.rules.retain import surplus
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Kind, Record, Where
    from recollect.ops import (
        Around,
        Changes,
        Get,
        History,
        List,
        ListScopes,
        Measure,
        Overdue,
        Status,
        Verify,
    )
    from recollect.store import Reader

LONGEST_PAGE = 1_000
_MOST_IDS = 1_000
_MOST_EVENTS = 10_000


def get(ports: Ports, op: Get) -> Got:
    """Read records by id."""
    check.positive("number of ids", len(op.ids), _MOST_IDS)
    asked.times(as_of=op.as_of, known_at=op.known_at)
    with ports.store.reading() as reader:
        found = mine(reader, op.ids, op.tenant, op.kinds)
        if op.known_at is not None:
            found = _as_known(reader, found, op.known_at)
    if (at := op.as_of) is not None:
        found = {id_: record for id_, record in found.items() if record.valid_at(at)}
    if op.strict and (absent := [id_ for id_ in op.ids if id_ not in found]):
        raise missing(*absent)
    if op.some and not found:
        raise missing(*op.ids)
    if op.touch:
        ports.accesses.note(found.values(), ports.clock())
    return Got(
        tuple(ports.accesses.seen(found[id_] for id_ in op.ids if id_ in found)),
        tuple(id_ for id_ in op.ids if id_ not in found),
    )


def page(ports: Ports, op: List) -> Listed:
    """Page through records, newest first."""
    check.positive("limit", op.limit, LONGEST_PAGE)
    asked.natural("offset", op.offset)
    where = asked.where(op.where)
    if op.current:
        where = replace(where, at=ports.clock())
    with ports.store.reading() as reader:
        records = ports.accesses.seen(reader.page(where, op.limit, op.offset))
        return Listed(tuple(records), reader.count(where))


def around(ports: Ports, op: Around) -> Surroundings:
    """Tell what was remembered before and after a record."""
    for name, number in (("before", op.before), ("after", op.after)):
        asked.natural(name, number, LONGEST_PAGE)
    where = asked.where(op.where)
    with ports.store.reading() as reader:
        anchor = mine(reader, [op.id], where.tenant).get(op.id)
        if anchor is None or not where.admits(anchor):
            raise missing(op.id)
        where = replace(where, project=anchor.scope.project)
        before = reader.beside(anchor.seq, where, op.before, later=False)
        after = reader.beside(anchor.seq, where, op.after, later=True)
    return Surroundings((*reversed(before), anchor, *after))


def scopes(ports: Ports, op: ListScopes) -> Scopes:
    """Tell whose memories there are, and of which projects."""
    with ports.store.reading() as reader:
        found = reader.scopes(op.tenant)
    return Scopes(
        tuple(sorted({scope.user for scope in found if scope.user})),
        tuple(sorted({scope.project for scope in found if scope.project})),
    )


def measure(ports: Ports, op: Measure) -> Measured:
    """Count what is true now."""
    from recollect.rules.analyse import passage
    from recollect.rules.fold import count
    from recollect.rules.worth import CANDIDATE

    where = replace(asked.where(op.where), at=ports.clock())
    of: dict[str, list[int]] = {}
    candidates = returned = 0
    with ports.store.reading() as reader:
        for record in _every(reader, where):
            of.setdefault(record.scope.project, []).append(count(passage(record)))
            candidates += record.status == CANDIDATE
            returned += record.accessed_at is not None
    shares = [Share(name, len(tokens), sum(tokens)) for name, tokens in of.items()]
    return Measured(
        sum(one.memories for one in shares),
        sum(one.tokens for one in shares),
        tuple(sorted(shares, key=lambda one: (-one.tokens, one.project))),
        candidates,
        returned,
    )


def _every(reader: Reader, where: Where) -> Iterator[Record]:
    """All records that match, newest first."""
    offset = 0
    while records := reader.page(where, LONGEST_PAGE, offset):
        yield from records
        offset += len(records)


def overdue(ports: Ports, op: Overdue) -> Due:
    """Say what is beyond the limits."""
    asked.times(at=op.at)
    at = op.at or ports.clock()
    if op.max_age_days is not None and not op.max_age_days > 0:
        raise InvalidRequest("max_age_days must be greater than 0.", field="max_age_days")
    if op.max_for_each_project is not None:
        asked.natural("max_for_each_project", op.max_for_each_project)
    with ports.store.reading() as reader:
        aged = reader.aged(asked.where(op.where))
    found = surplus(aged, at, op.max_age_days, op.max_for_each_project)
    return Due(at, found.ids, found.by_age, found.by_count)


def history(ports: Ports, op: History) -> Told:
    """Tell how a record came to be as it is."""
    if not is_id(op.id):
        raise missing(op.id)
    with ports.store.reading() as reader:
        now = mine(reader, [op.id], op.tenant).get(op.id)
        events = reader.events_of(op.id)
        if not events or (now is None and _theirs(reader, op)):
            raise missing(op.id)
        versions = (*reader.versions(op.id), now) if now else ()
    return Told(versions, tuple(events))


def changes(ports: Ports, op: Changes) -> Changed:
    """Follow the ledger."""
    check.positive("limit", op.limit, _MOST_EVENTS)
    asked.natural("after", op.after)
    with ports.store.reading() as reader:
        return Changed(tuple(reader.events(op.after, op.limit)))


def status(ports: Ports, op: Status) -> Health:
    """Say how the engine is."""
    check.line(op.tenant, "tenant")
    semantics = ports.semantics
    embedder, model = semantics.configured(), semantics.model()
    with ports.store.reading() as reader:
        counts, vectors, last = reader.counts(op.tenant), reader.models(), reader.last_event()
    stats, error = embedder.stats, semantics.trouble or embedder.inner.error
    return Health(
        version=__version__,
        counts=counts,
        vectors=vectors,
        model="" if model is None else model.name,
        dimensions=0 if model is None else model.dimensions,
        model_status="error" if model is None else embedder.inner.status.value,
        model_error="" if error is None else str(error),
        cache_hits=stats.hits,
        cache_misses=stats.misses,
        cache_size=stats.size,
        bytes=ports.store.size(),
        ledger=last,
    )


def verify(ports: Ports, op: Verify) -> Verified:
    """Check everything there is."""
    del op
    problems = ports.store.verify()
    with ports.store.reading() as reader:
        return Verified(reader.total(), reader.last_event(), tuple(problems))


def mine(
    reader: Reader, ids: Iterable[str], tenant: str, kinds: tuple[Kind, ...] = ()
) -> dict[str, Record]:
    """The records with these ids that belong to the tenant, of any kind where none is named."""
    found = reader.records([id_ for id_ in ids if is_id(id_)])
    return {
        id_: record
        for id_, record in found.items()
        if record.scope.tenant == tenant and (not kinds or record.kind in kinds)
    }


def existing(
    reader: Reader, ids: tuple[str, ...], tenant: str, kinds: tuple[Kind, ...] = ()
) -> list[Record]:
    """The records with these ids, all of them. Raises `NotFound` for what is not the tenant's."""
    found = mine(reader, ids, tenant, kinds)
    if absent := [id_ for id_ in ids if id_ not in found]:
        raise missing(*absent)
    return [found[id_] for id_ in ids]


def is_id(id_: str) -> bool:
    """Whether a text may be an id. Others were never given out; no store could look for some."""
    return _ID.fullmatch(id_) is not None


def missing(*ids: str) -> NotFound:
    """The error for ids that name nothing of the caller's."""
    named = ", ".join(id_[:_SHOWN] for id_ in ids)
    return NotFound(
        f"There is no record {named!r}. Look the id up with a search or a list.", ids=ids
    )


_ID = re.compile(r"[\x21-\x7e]{1,200}")
_SHOWN = 60


def _theirs(reader: Reader, op: History) -> bool:
    """Whether what the id names belongs to another tenant; what was deleted tells no content."""
    edge = reader.edge(op.id)
    found = reader.records([op.id if edge is None else edge.src])
    return any(record.scope.tenant != op.tenant for record in found.values())


def _as_known(reader: Reader, found: dict[str, Record], known_at: datetime) -> dict[str, Record]:
    """The records as they were recorded at a time, without those that were not yet."""
    drawn = reader.edges(found, types=[Link.SUPERSEDES])
    edges = [edge for edge in drawn if edge.created_at <= known_at]
    known = {}
    for id_, record in found.items():
        states = [*reader.versions(id_), record]
        then = [state for state in states if state.updated_at <= known_at]
        if then and record.created_at <= known_at:
            known[id_] = replace(
                then[-1],
                supersedes=tuple(edge.dst for edge in edges if edge.src == id_),
                superseded_by=next((edge.src for edge in edges if edge.dst == id_), ""),
            )
    return known
