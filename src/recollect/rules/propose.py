"""What a proposal is called, and the page on which people read it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from recollect.decisions import Proposal
from recollect.model import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from recollect.model import Record

DRAFT, ACCEPTED, REJECTED = "draft", "accepted", "rejected"
_LONGEST = 40
_QUOTED = 300


def name(title: str, now: datetime, place: int = 0) -> str:
    """The name of a proposal's file, which is its id too.

    >>> from datetime import UTC, datetime
    >>> name("Use one pool!", datetime(2026, 2, 12, 10, 30, tzinfo=UTC))
    'proposal-20260212T103000Z-use-one-pool.md'
    """
    words = re.sub("[^a-z0-9]+", "-", title.casefold())[:_LONGEST].strip("-") or "draft"
    further = f"-{place}" if place else ""
    return f"proposal-{now:%Y%m%dT%H%M%SZ}-{words}{further}.md"


def read(record: Record, evidence: Iterable[str] = ()) -> Proposal:
    """A proposal with what its facts say."""
    facts = json.loads(record.facts)
    supersedes = tuple(facts.get("supersedes", ()))
    return Proposal(record, record.title, record.text, tuple(evidence), supersedes)


def page(proposal: Proposal, evidence: Iterable[Record]) -> str:
    """A proposal as Markdown. What was remembered is quoted, and says who said it and when."""
    record = proposal.record
    replaces = ", ".join(proposal.supersedes) or "nothing"
    lines = [
        f"# {proposal.title}",
        "",
        f"- Proposal: `{record.id}`",
        f"- Status: {record.status}",
        f"- Target: {record.key}",
        f"- Proposed: {rfc3339(record.created_at)}",
        f"- Would take the place of: {replaces}",
        "",
        "## Reasons",
        "",
        *(f"> {line}" for line in proposal.reasons.splitlines()),
        "",
        "## Evidence",
        "",
    ]
    for one in evidence:
        said = " ".join(one.text.split())[:_QUOTED]
        whose = f"{one.author.kind} {one.author.name}".strip()
        lines += [f"- `{one.id}` ({one.kind} of {whose}, {rfc3339(one.event_time)})", f"  > {said}"]
    if record.status == DRAFT:
        lines += ["", f"Accept it with `recollect reflect accept {record.id}`, or reject it with"]
        lines += [f"`recollect reflect reject {record.id}`. This file follows the memory: what is"]
        lines += ["changed here changes nothing."]
    return "\n".join(lines) + "\n"
