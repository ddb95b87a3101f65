"""What is put before the agent: at the start what was agreed, at a prompt what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Kind, Where
from recollect.ops import List, Recall, Weights
from recollect.rules.analyse import terms
from recollect.rules.inject import relevant, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.engine import Engine
    from recollect.model import Hit, Record, Scope
    from recollect.rules.inject import Shown

# What holds until somebody says otherwise comes first.
_LASTING = ("rule", "preference", "decision", "lesson")
_DECIDED = (Kind.DECISION, Kind.ANTIPATTERN, Kind.SKILL)
_EACH = 12
_LONGEST_QUERY = 2_000
_MOST_HITS = 12
# Words alone: a model takes longer to load than a person waits without noticing.
_WORDS = Weights(vector=0.0, words=1.0, graph=0.0)
_STANDING = ("", "active", "candidate", "mature")


def at_start(engine: Engine, scope: Scope, budget: int, known: str = "") -> Shown:
    """What a session should begin with: decisions, rules, preferences and what is newest."""
    found: dict[str, Record] = {}
    for where in _places(scope):
        for kinds, types in ((_DECIDED, ()), ((Kind.MEMORY,), _LASTING), ((Kind.MEMORY,), ())):
            asked = Where(where.tenant, where.user, where.project, kinds, types, statuses=_STANDING)
            answer = engine.run(List(asked, limit=_EACH, current=True))
            found |= {record.id: record for record in answer.records}
    ranked = sorted(found.values(), key=_standing)
    return shown(ranked, budget, known)


def at_prompt(hits: Sequence[Hit], prompt: str, budget: int, known: str = "") -> Shown:
    """What of the hits has to do with what the person says, and is not in the conversation yet."""
    return shown(relevant(hits, terms(looked_for(prompt)))[:_MOST_HITS], budget, known)


def looked_for(prompt: str) -> str:
    """What is looked for: the beginning of what the person says, which is what it is about."""
    return prompt[:_LONGEST_QUERY].strip()


def by_words(engine: Engine, scope: Scope, prompt: str) -> list[Hit]:
    """What the store itself finds, best first."""
    query = looked_for(prompt)
    hits = [
        hit
        for where in _places(scope)
        for hit in engine.run(
            Recall(query, where, limit=_MOST_HITS, weights=_WORDS, explain=True)
        ).hits
    ]
    return sorted(hits, key=lambda hit: -(hit.why.bm25 if hit.why else 0.0))


def _places(scope: Scope) -> Iterator[Where]:
    """The project that is worked in, and what belongs to no project."""
    user = scope.user or None
    for project in dict.fromkeys((scope.project, "")):
        yield Where(scope.tenant, user, project, (Kind.MEMORY, *_DECIDED))


def _standing(record: Record) -> tuple[int, float]:
    decided = record.kind is not Kind.MEMORY
    lasting = record.type in _LASTING
    return (0 if decided else 1 if lasting else 2), -record.event_time.timestamp()
