"""Who may change a decision, and how: laws that every store holds to, whatever the op.

A person's decision is changed by people alone: no agent's plan updates it, forgets it, takes its
place, or makes one in a person's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.decisions import Stand
from recollect.errors import Conflict, Isolated
from recollect.model import AuthorKind, Kind
from recollect.value import replace

if TYPE_CHECKING:
    from recollect.model import Author, Counts, Record

_MOVES = {
    (Stand.DRAFT, Stand.ACTIVE),
    (Stand.DRAFT, Stand.DEPRECATED),
    (Stand.ACTIVE, Stand.SUPERSEDED),
    (Stand.ACTIVE, Stand.DEPRECATED),
}
_KNOWN = {"", *Stand}


def of_a_person(record: Record) -> bool:
    """Whether the record is a decision that a person made."""
    return record.kind is Kind.DECISION and record.author.kind is AuthorKind.HUMAN


def untouched(author: Author, record: Record) -> None:
    """Raise `Isolated` where an agent would write or remove what a person decided."""
    if of_a_person(record) and author.kind is AuthorKind.AGENT:
        raise Isolated(
            f"Decision {record.id} was made by a person, and only people change what people"
            " decided. Nothing was changed; ask the person who decided it.",
            id=record.id,
        )


def written(author: Author, record: Record) -> None:
    """Raise where a new record may not be written."""
    untouched(author, record)
    if record.kind is Kind.DECISION and record.status not in _KNOWN:
        raise Conflict(
            f"A decision is {', '.join(Stand)}, not {record.status!r}. Write one of these.",
            id=record.id,
        )


def changed(author: Author, old: Record, new: Record) -> None:
    """Raise where a record may not become another."""
    untouched(author, old)
    if new.author != old.author:
        raise Conflict(f"Record {old.id} keeps its author for life. Make a new one.", id=old.id)
    moved = (old.status, new.status)
    if old.kind is Kind.DECISION and old.status != new.status and moved not in _MOVES:
        raise Conflict(
            f"Decision {old.id} is {old.status or 'not governed'}, and cannot become"
            f" {new.status or 'that'} any more. Record a new one.",
            id=old.id,
            status=old.status,
        )


def outlasts(author: Author, record: Record) -> bool:
    """Whether the record is left where an agent has everything deleted."""
    return author.kind is AuthorKind.AGENT and of_a_person(record)


def without(counts: Counts, decisions: int) -> Counts:
    """The counts of what was deleted, with so many decisions left."""
    return replace(
        counts, decisions=counts.decisions - decisions, records=counts.records - decisions
    )


def succeeded(new: Record, old: Record) -> None:
    """Raise where a record may not take the place of another."""
    if old.kind is not Kind.DECISION:
        return
    if of_a_person(old) and new.author.kind is AuthorKind.AGENT:
        untouched(new.author, old)
    if old.status and (new.kind is not Kind.DECISION or old.status != Stand.SUPERSEDED):
        raise Conflict(
            f"Only a decision takes the place of decision {old.id}. Record one that supersedes it.",
            id=old.id,
        )
