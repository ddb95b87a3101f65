"""From answers to what the tools of `codex-memory` answer, failures included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.contracts.codex_memory.asked import DECIDED
from recollect.contracts.shared import failure, outage
from recollect.errors import NotAllowed, NotFound, RecollectError, SecretFound, TooNew, Unavailable
from recollect.model import Kind, rfc3339
from recollect.rules.headline import headline

if TYPE_CHECKING:
    from recollect.contracts.codex_memory import wire
    from recollect.contracts.contract import Failure
    from recollect.model import Record
    from recollect.ops import Due, Got, Ingested, Recalled, Remembered, Surroundings

_SHOWN = 60


def item(record: Record, score: float) -> wire.IndexItem:
    """A record as lists show it."""
    shown: wire.IndexItem = {
        "id": record.id,
        "title": _title(record),
        "entry_type": DECIDED if record.kind is Kind.DECISION else record.type,
        "project": record.scope.project,
        "created_at": rfc3339(record.created_at),
        "score": score,
    }
    if record.superseded_by:
        shown["superseded_by"] = record.superseded_by
    return shown


def saved(answer: Remembered, _: wire.SaveMemory) -> wire.Saved:
    """The new id."""
    record = answer.record
    return {"status": "saved", "id": record.id, "created_at": rfc3339(record.created_at)}


def found(answer: Recalled, params: wire.SearchParams) -> wire.FoundItems:
    """One page, best first."""
    return {
        "items": [item(hit.record, hit.score) for hit in answer.hits],
        "total": answer.total,
        "limit": params.limit,
        "offset": params.offset,
    }


def timeline(answer: Surroundings, params: wire.TimelineParams) -> wire.Timeline:
    """Nothing was searched for, so no score is more than 0."""
    return {
        "anchor_id": params.anchor_id,
        "items": [item(record, 0.0) for record in answer.records],
    }


def entries(answer: Got, _: wire.GetEntries) -> wire.Entries:
    """Whole entries, and what names none."""
    shown: wire.Entries = {"items": [_detail(record) for record in answer.records]}
    if answer.missing:
        shown["missing"] = list(answer.missing)
    return shown


def ingested(answer: Ingested, _: wire.IngestDocs) -> wire.Ingested:
    """How many of what."""
    return {
        "processed_sources": answer.documents,
        "imported_entries": answer.created,
        "duplicate_entries": answer.known,
        "skipped_sources": list(answer.skipped),
    }


def candidates(answer: Due, _: wire.RetentionDryRun) -> wire.Candidates:
    """What would go."""
    return {
        "mode": "dry-run",
        "executed_at": rfc3339(answer.at),
        "total_candidates": len(answer.ids),
        "by_reason": {"age": answer.by_age, "project_count": answer.by_count},
        "candidate_ids": list(answer.ids),
    }


def fail(error: RecollectError, _: str) -> Failure:
    """A failure in this contract's shape."""
    match error:
        case NotFound():
            code, message = "ENTRY_NOT_FOUND", _missing(error)
        case SecretFound() | NotAllowed():
            code, message = "POLICY_BLOCKED", str(error)
        case TooNew():
            code, message = "MIGRATION_FAILURE", outage(error)
        case Unavailable():
            code, message = "STORAGE_FAILURE", outage(error)
        case _:
            code, message = "INVALID_ARGUMENT", str(error)
    return failure({"code": code, "message": message, "details": _details(error)})


def _details(error: RecollectError) -> dict[str, object] | None:
    """What a program can act on. Of an outage nothing: what it knows is of this machine."""
    if isinstance(error, Unavailable):
        return None
    told: dict[str, object] = {
        name: fact
        for name, fact in error.facts.items()
        if isinstance(fact, str | int | float | bool) and name != "id"
    }
    if isinstance(error, NotFound):
        told["missing"] = [one[:_SHOWN] for one in _ids(error)]
    return told or None


def _missing(error: NotFound) -> str:
    named = ", ".join(one[:_SHOWN] for one in _ids(error)[:10])
    return f"There is no entry {named}. Look the id up with search."


def _ids(error: NotFound) -> list[str]:
    ids = error.facts.get("ids")
    return [str(one) for one in ids] if isinstance(ids, tuple) else []


def _title(record: Record) -> str:
    return record.title.strip() or headline(record.text)


def _detail(record: Record) -> wire.DetailItem:
    shown: wire.DetailItem = {
        "id": record.id,
        "title": _title(record),
        "body": record.text,
        "entry_type": DECIDED if record.kind is Kind.DECISION else record.type,
        "project": record.scope.project,
        "session_id": record.session or None,
        "source_ref": record.source_ref or None,
        "metadata": json.loads(record.metadata),
        "created_at": rfc3339(record.created_at),
    }
    if record.superseded_by:
        shown["superseded_by"] = record.superseded_by
    return shown
