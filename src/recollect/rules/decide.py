"""A decision as a record and back: which field says what, and the hash of what never changes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from recollect.decisions import (
    AGENT_CONFIDENCE,
    HUMAN_CONFIDENCE,
    Decision,
    Stage,
    Stand,
)
from recollect.model import AuthorKind, Kind, Record, rfc3339
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from recollect.decisions import Decide

# The fact that says which outcome was known, or none, when somebody said how far it has come.
SINCE = "stage_since"
_LISTS = ("alternatives", "assumptions", "consequences", "notes")
_LINES = ("target", "risk", "file_path", "pr", "commit", "context_hash")
# What a decision says of itself when it is made; the rest is said later.
_SAID = ("target", "alternatives", "assumptions", "consequences", "risk", "file_path")


def record(op: Decide, id_: str, domain: str, now: datetime) -> Record:
    """The record that a decision becomes."""
    human = op.author.kind is AuthorKind.HUMAN
    usual = HUMAN_CONFIDENCE if human else AGENT_CONFIDENCE
    happened = op.event_time or now
    made = Record(
        id=id_,
        kind=Kind.DECISION,
        scope=op.scope,
        author=op.author,
        text=text(op),
        created_at=now,
        updated_at=now,
        event_time=happened,
        valid_from=min(happened, now),
        type=domain,
        title=op.statement if op.target else "",
        key=target(op.target),
        status=Stand.DRAFT if op.draft else Stand.ACTIVE,
        confidence=usual if op.confidence is None else float(op.confidence),
        source_ref=op.source_ref,
        session=op.session,
        metadata=op.metadata,
    )
    facts: dict[str, Any] = {name: getattr(op, name) for name in (*_SAID, "pr", "commit")}
    if not op.target:
        facts |= {"statement": op.statement, "reasoning": op.reasoning}
    facts["context_hash"] = context_hash(replace(made, facts=written(facts)))
    return replace(made, facts=written(facts))


def text(op: Decide) -> str:
    """What is found of it, beside its title."""
    if op.target:
        return op.reasoning
    return f"{op.statement}\n\n{op.reasoning}" if op.reasoning else op.statement


def target(said: str) -> str:
    """What decisions on the same thing have in common.

    >>> target(" Database_Policy ")
    'database_policy'
    """
    return " ".join(said.split()).casefold()


def written(facts: Mapping[str, Any]) -> str:
    """Facts as they are kept: none that is empty, always in the same order."""
    # 0 is said, too.
    kept = {name: fact for name, fact in facts.items() if fact or isinstance(fact, int | float)}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read(record: Record) -> Decision:
    """A decision with what its facts say."""
    facts: dict[str, Any] = json.loads(record.facts)
    measured = "statement" in facts
    said: dict[str, Any] = {name: facts.get(name, "") for name in _LINES}
    said |= {name: tuple(facts.get(name, ())) for name in _LISTS}
    return Decision(
        record,
        facts["statement"] if measured else record.title or record.text,
        facts.get("reasoning", "") if measured else record.text,
        stage=Stage(facts.get("stage", Stage.PENDING)),
        **said | {"target": said["target"] or record.key},
    )


def changed(record: Record, **facts: object) -> str:
    """The facts of a record with some of them changed."""
    return written(json.loads(record.facts) | facts)


def stage_of(record: Record, outcome: Record | None) -> Stage:
    """How far a decision has come: its outcome says so, unless somebody said otherwise since."""
    facts = json.loads(record.facts)
    said = Stage(facts.get("stage", Stage.PENDING))
    # Stores of before do not know which outcome was known when a stage was said.
    since = facts.get(SINCE, said is Stage.REWORKED and outcome is not None and outcome.id)
    if outcome is None or since == outcome.id:
        return said
    return Stage.FAILED if outcome.status == "failure" else Stage.COMPLETED


def context_hash(record: Record) -> str:
    """SHA-256 of the canonical JSON of what never changes of a decision."""
    one = read(record)
    said = {
        "statement": one.statement,
        "alternatives": one.alternatives,
        "assumptions": one.assumptions,
        "module": one.domain,
        "reasoning": one.reasoning,
        "created_at": rfc3339(record.created_at),
    }
    canonical = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()
