"""What a change consists of: pure decisions, applied in the transaction that read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.decisions import Stand
from recollect.model import Edge, Entry, Kind, Link, Plan, Record, Scope
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from recollect.model import Author, Sense
    from recollect.ops import Remember

EXTRACTED = "extracted"
DESCRIBED = "described"


def memory(op: Remember, text: str, id_: str, now: datetime) -> Record:
    """The record that a text becomes."""
    happened = op.event_time or op.valid_from or now
    since = op.valid_from or op.event_time or now
    # By place, which takes a fifth of the time; `test_rows.py` holds the order.
    return Record(
        id_, Kind.MEMORY, op.scope, op.author, text, now, now, happened, since, op.valid_until,
        op.type, op.title, "", op.status, float(op.confidence), float(op.importance), op.source,
        op.source_ref, op.session, op.speaker, op.metadata, "{}", 1, 0, None, (), "",
    )  # fmt: skip


def entity(  # noqa: PLR0913, PLR0917 -- an entity's fields
    id_: str, scope: Scope, name: str, key: str, author: Author, now: datetime, type_: str = ""
) -> Record:
    """The record of an entity that a text names; who describes it later fills it in."""
    whose = Scope(scope.tenant, scope.user, "")
    return Record(
        id_, Kind.ENTITY, whose, author, "", now, now, now, now, None, type_, name, key, EXTRACTED,
        1.0, 1.0, "", "", "", "", "{}", "{}", 1, 0, None, (), "",
    )  # fmt: skip


def mentions(record: Record, entities: Iterable[Record], now: datetime) -> tuple[Edge, ...]:
    """The edges from a record to the entities that it names, from when it is true itself."""
    since = min(record.valid_from, now)
    return tuple(
        Edge(record.id, Link.MENTIONS, named.id, now, since, None, 1.0, "") for named in entities
    )


def defines(piece: Record, entity: Record, now: datetime) -> Edge:
    """The edge from a piece of code, or a file, to the entity that is its name."""
    return Edge(piece.id, Link.DEFINES, entity.id, created_at=now, valid_from=now)


def closed(record: Record, at: datetime, now: datetime, status: Stand = Stand.DEPRECATED) -> Record:
    """The record, no longer true from a time on; never longer than it was, never negative.

    A decision that stood says what became of it.
    """
    end = max(record.valid_from, at)
    if record.valid_until is not None:
        end = min(record.valid_until, end)
    governed = record.kind is Kind.DECISION and record.status
    return changed(record, now, valid_until=end, **({"status": status.value} if governed else {}))


def changed(record: Record, now: datetime, **fields: object) -> Record:
    """The next version of a record."""
    return replace(record, **fields, version=record.version + 1, updated_at=now)


def superseded(
    old: Record, new: Record, now: datetime, at: datetime | None = None
) -> tuple[Entry, Edge]:
    """The old record closed where the new one begins, and the edge between them.

    A decision is superseded at once, whatever its time.
    """
    begins = min(new.valid_from, now) if old.kind is Kind.DECISION else new.valid_from
    end = at or begins
    link = Edge(new.id, Link.SUPERSEDES, old.id, created_at=now, valid_from=now)
    return Entry(closed(old, end, now, Stand.SUPERSEDED)), link


def detail(**facts: str) -> str:
    """Facts for the ledger, without those that are empty."""
    return json.dumps({name: fact for name, fact in facts.items() if fact}, ensure_ascii=False)


def remembered(  # noqa: PLR0913, PLR0917 -- a plan's parts
    records: Sequence[Record],
    senses: Mapping[str, Sense],
    new_entities: Sequence[Record],
    links: Sequence[Edge],
    old: Sequence[tuple[Entry, Edge]],
    author: Author,
    now: datetime,
    detail: str = "{}",
) -> Plan:
    """New records with what they name and what they take the place of."""
    return Plan(
        verb="remember",
        author=author,
        at=now,
        insert=(
            *(Entry(named) for named in new_entities),
            *(Entry(record, *senses.get(record.id, ())) for record in records),
        ),
        update=tuple(entry for entry, _ in old),
        link=(*links, *(edge for _, edge in old)),
        detail=detail,
    )
