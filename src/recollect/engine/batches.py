"""Handlers of batches: which there were, and undoing one.

A batch is nothing of its own: it is the entries of the ledger whose detail names it. What it wrote
for the first time is deleted when it is undone, and what it changed gets back its earlier version.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.named import Names
from recollect.engine.ports import RELATION
from recollect.engine.reads import mine
from recollect.errors import NotAllowed, NotFound
from recollect.model import AuthorKind, Entry, Kind, Link, Plan
from recollect.ops import Batch, Batches, Undone
from recollect.rules import check, plan
from recollect.rules.analyse import passage
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.engine.ports import Ports
    from recollect.model import Edge, Event, Record
    from recollect.ops import ListBatches, Undo
    from recollect.store import Reader, Writer

_AT_ONCE = 5_000
_MOST = 1_000


class Steps(Value):
    """What undoing a batch comes to."""

    forget: tuple[str, ...]
    restore: tuple[Record, ...]
    unlink: tuple[Edge, ...]
    left: tuple[str, ...]


def page(ports: Ports, op: ListBatches) -> Batches:
    """List batches, newest first."""
    check.line(op.tenant, "tenant")
    check.positive("limit", op.limit, _MOST)
    found: dict[str, list[Event]] = {}
    undone: set[str] = set()
    with ports.store.reading() as reader:
        for event, said in _said(reader):
            if "batch" in said:
                found.setdefault(said["batch"], []).append(event)
            undone.add(said.get("undone", ""))
    return Batches(
        tuple(
            Batch(
                id_,
                json.loads(events[0].detail).get("by", ""),
                events[0].at,
                events[0].author,
                len(events),
                undone=id_ in undone,
            )
            for id_, events in [*reversed(found.items())][: op.limit]
        )
    )


def undo(ports: Ports, op: Undo) -> Undone:
    """Delete what a batch brought, and bring back what it changed."""
    asked.natural("length of the batch's name", len(op.batch), check.LONGEST_NAME)
    now = ports.clock()
    with ports.store.writing() as tx:
        events = [event for event, said in _said(tx) if said.get("batch") == op.batch]
        if not events:
            raise NotFound(
                f"There is no batch {op.batch[:60]!r}. `recollect import --list` shows them.",
                id=op.batch,
            )
        _expect_own(op, events)
        steps = _steps(tx, op.tenant, events)
        ids = [id_ for id_ in steps.forget if not id_.startswith(RELATION)]
        texts = _texts(tx, ids)
        orphans = Names(ports, tx, op.author, now).orphaned(ids)
        back = [
            Entry(replace(old, version=tx.records([old.id])[old.id].version + 1, updated_at=now))
            for old in steps.restore
        ]
        tx.apply(
            Plan(
                "undo",
                op.author,
                now,
                update=tuple(back),
                unlink=steps.unlink,
                forget=tuple(dict.fromkeys((*ids, *orphans))),
                detail=plan.detail(undone=op.batch),
            )
        )
    ports.semantics.forget(texts)
    return Undone(op.batch, steps.forget, tuple(old.id for old in steps.restore), steps.left)


def _expect_own(op: Undo, events: Sequence[Event]) -> None:
    """Refuse an agent that would undo what a person did."""
    human = any(event.author.kind is AuthorKind.HUMAN for event in events)
    if human and op.author.kind is not AuthorKind.HUMAN:
        raise NotAllowed(
            f"A person made batch {op.batch[:60]}, so only a person may undo it. Nothing"
            " was changed; ask for `recollect import --undo`."
        )


def _said(reader: Reader) -> Iterator[tuple[Event, dict[str, str]]]:
    """The ledger's entries that speak of a batch, oldest first, with their details."""
    after = 0
    while events := reader.events(after, _AT_ONCE):
        for event in events:
            if '"batch":' in event.detail or '"undone":' in event.detail:
                yield event, json.loads(event.detail)
        after = events[-1].seq


def _steps(tx: Writer, tenant: str, events: Sequence[Event]) -> Steps:
    seqs = {event.seq for event in events}
    named = list(dict.fromkeys(event.record for event in events))
    records = mine(tx, named, tenant)
    drawn = [edge for id_ in named if id_.startswith(RELATION) and (edge := tx.edge(id_))]
    new = {id_ for id_ in records if tx.events_of(id_)[0].seq in seqs}
    brought = {id_ for id_ in new if not _is_held(tx, records[id_], new, events)}
    restore: list[Record] = []
    left = [id_ for id_ in records if id_ in new and id_ not in brought]
    unlink = [
        edge for edge in drawn if edge.src in records or edge.src in mine(tx, [edge.src], tenant)
    ]
    for id_ in records.keys() - new:
        before = _before(tx, records[id_], seqs)
        if before is None:
            left.append(id_)
            continue
        restore.append(before)
        unlink += [
            edge
            for edge in tx.edges([id_], "incoming", [Link.SUPERSEDES])
            if not before.superseded_by and edge.src not in brought
        ]
    forget = (*(id_ for id_ in named if id_ in brought), *(edge.id for edge in drawn))
    return Steps(forget, tuple(sorted(restore, key=lambda r: r.seq)), tuple(unlink), tuple(left))


def _is_held(tx: Writer, record: Record, new: set[str], events: Sequence[Event]) -> bool:
    """Whether an entity that the batch brought is spoken of by what came later."""
    if record.kind is not Kind.ENTITY:
        return False
    since = events[-1].at
    edges = tx.edges([record.id])
    return any(edge.created_at > since and not {edge.src, edge.dst} <= new for edge in edges)


def _before(tx: Writer, record: Record, seqs: set[int]) -> Record | None:
    """The state before the batch; None where the record changed after it, and so stays."""
    history = [*tx.versions(record.id), record]
    written = [event.seq for event in tx.events_of(record.id)][-len(history) :]
    if written[-1] not in seqs:
        return None
    first = next(place for place, seq in enumerate(written) if seq in seqs)
    return replace(history[first - 1], seq=record.seq)


def _texts(tx: Writer, ids: Sequence[str]) -> list[str]:
    """All that the records ever said, so that no cache keeps it."""
    found = tx.records(ids).values()
    return [passage(state) for one in found for state in (*tx.versions(one.id), one)]
