"""Handlers that end things: supersede, invalidate, forget, wipe."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.decisions import Stand
from recollect.engine import asked
from recollect.engine.named import Names
from recollect.engine.ports import RELATION
from recollect.engine.reads import existing, is_id, mine, missing
from recollect.errors import Conflict
from recollect.model import Entry, Kind, Link, Plan, micros
from recollect.ops import Forgotten, Invalidated, Superseded, Wiped
from recollect.rules import check, plan
from recollect.rules.analyse import passage
from recollect.rules.propose import DRAFT
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Edge, Record
    from recollect.ops import Forget, Invalidate, Supersede, Wipe
    from recollect.store import Reader, Writer

_MOST_AT_ONCE = 10_000


def supersede(ports: Ports, op: Supersede) -> Superseded:
    """Say that a newer record takes the place of an older one."""
    with ports.store.writing() as tx:
        old, new = _pair(tx, op.old, op.new, op)
        now = ports.clock()
        tx.apply(_succession(op, old, new, now, None))
        after = tx.records([op.old, op.new])
    return Superseded(after[op.old], after[op.new])


def invalidate(ports: Ports, op: Invalidate) -> Invalidated:
    """Say that a record, or a relation, is no longer true."""
    op = replace(op, reason=asked.reason(ports, op.reason))
    with ports.store.writing() as tx:
        now = ports.clock()
        if op.id.startswith(RELATION):
            return Invalidated(None, _end_relation(tx, op, now))
        if op.superseded_by:
            old, new = _pair(tx, op.id, op.superseded_by, op)
            tx.apply(_succession(op, old, new, now, now))
        else:
            (old,) = existing(tx, (op.id,), op.tenant, op.kinds)
            # Ended already: to say so again changes nothing, and keeps when it ended.
            if old.valid_until is None or old.valid_until > now:
                tx.apply(
                    Plan(
                        "invalidate",
                        op.author,
                        now,
                        update=(Entry(_over(old, now)),),
                        detail=plan.detail(reason=op.reason),
                    )
                )
        return Invalidated(tx.records([op.id])[op.id])


def _over(old: Record, now: datetime) -> Record:
    """The record, true no longer. What was decided does not stand any more either."""
    ended = plan.closed(old, now, now)
    stands = old.kind is Kind.DECISION and old.status in {Stand.DRAFT, Stand.ACTIVE}
    return replace(ended, status=Stand.DEPRECATED) if stands else ended


def forget(ports: Ports, op: Forget) -> Forgotten:
    """Delete records or relations for good."""
    check.positive("number of ids", len(op.ids), _MOST_AT_ONCE)
    reason = asked.reason(ports, op.reason)
    ids = tuple(dict.fromkeys(op.ids))
    now = ports.clock()
    with ports.store.writing() as tx:
        drawn = [_relation(tx, id_, op.tenant) for id_ in ids if id_.startswith(RELATION)]
        named = tuple(id_ for id_ in ids if not id_.startswith(RELATION))
        records = existing(tx, named, op.tenant, op.kinds)
        records += _quoting(tx, records)
        texts = [passage(state) for one in records for state in (*tx.versions(one.id), one)]
        names = Names(ports, tx, op.author, now)
        gone = tuple(record.id for record in records)
        tx.apply(
            Plan(
                "forget",
                op.author,
                now,
                unlink=tuple(drawn),
                forget=(*gone, *names.orphaned(gone)),
                detail=plan.detail(reason=reason),
            )
        )
    ports.semantics.forget(texts)
    _leave_no_page(ports, op.tenant)
    return Forgotten(ids)


def wipe(ports: Ports, op: Wipe) -> Wiped:
    """Delete everything of one tenant."""
    check.line(op.tenant, "tenant")
    if not op.confirmed:
        return Wiped(None)
    with ports.store.writing() as tx:
        counts = tx.wipe(op.tenant, op.author, micros(ports.clock()))
    ports.semantics.forget_all()
    ports.accesses.clear()
    _leave_no_page(ports, op.tenant)
    return Wiped(counts)


def _quoting(reader: Reader, records: Sequence[Record]) -> list[Record]:
    """The drafts that quote these: what is deleted stays in no draft either."""
    ids = [one.id for one in records]
    edges = reader.edges(ids, "outgoing", [Link.EVIDENCE_FOR])
    found = reader.records({edge.dst for edge in edges if edge.dst not in ids}).values()
    return [one for one in found if one.kind is Kind.PROPOSAL and one.status == DRAFT]


def _leave_no_page(ports: Ports, tenant: str) -> None:
    """Where proposals have pages, bring those into step."""
    folder = ports.governance.proposals
    if folder is not None and os.path.isdir(folder):
        from recollect.engine.proposals import in_step

        in_step(ports, tenant)


def _pair(reader: Reader, old: str, new: str, op: Supersede | Invalidate) -> tuple[Record, Record]:
    if old == new:
        raise Conflict(f"Record {old} cannot take its own place. Name two records.", id=old)
    first, second = existing(reader, (old, new), op.tenant, op.kinds)
    return first, second


def _succession(
    op: Supersede | Invalidate, old: Record, new: Record, now: datetime, at: datetime | None
) -> Plan:
    entry, edge = plan.superseded(old, new, now, at)
    reason = getattr(op, "reason", "")
    return Plan(
        "supersede",
        op.author,
        now,
        update=(entry,),
        link=(edge,),
        detail=plan.detail(by=new.id, reason=reason),
    )


def _relation(reader: Reader, id_: str, tenant: str) -> Edge:
    edge = reader.edge(id_) if is_id(id_) else None
    if edge is None or edge.src not in mine(reader, (edge.src,), tenant):
        raise missing(id_)
    return edge


def _end_relation(tx: Writer, op: Invalidate, now: datetime) -> Edge:
    edge = _relation(tx, op.id, op.tenant)
    if edge.valid_until is None or edge.valid_until > now:
        ended = replace(edge, valid_until=max(edge.valid_from, now))
        detail = plan.detail(reason=op.reason)
        tx.apply(Plan("invalidate", op.author, now, link=(ended,), detail=detail))
        return ended
    return edge
