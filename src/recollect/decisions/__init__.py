"""Decisions: what is known of one, and the verbs that govern it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from recollect.model import Author, Record, Scope, Where
from recollect.ops import OWNER, Op
from recollect.value import Value

if TYPE_CHECKING:
    from datetime import datetime

AGENT_CONFIDENCE, HUMAN_CONFIDENCE = 0.5, 1.0


class Stand(StrEnum):
    """Whether a decision stands."""

    DRAFT = "draft"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"


class Stage(StrEnum):
    """How far a decision has come."""

    PENDING = "pending"
    EXECUTED = "executed"
    COMPLETED = "completed"
    FAILED = "failed"
    REWORKED = "reworked"


class Mode(StrEnum):
    """What a search of decisions shows."""

    STRICT = "strict"
    BALANCED = "balanced"
    AUDIT = "audit"


class Decision(Value):
    """A decision record with what its facts say."""

    record: Record
    statement: str
    reasoning: str
    target: str = ""
    alternatives: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    stage: Stage = Stage.PENDING
    risk: str = ""
    file_path: str = ""
    notes: tuple[str, ...] = ()
    pr: str = ""
    commit: str = ""
    # SHA-256 over what never changes of it.
    context_hash: str = ""

    @property
    def domain(self) -> str:
        """The domain that it is measured in."""
        return self.record.type


class Decided(Value):
    """The new decision, and those that it took the place of."""

    decision: Decision
    superseded: tuple[Decision, ...] = ()
    redacted: tuple[str, ...] = ()
    # Whether it waits in the journal until the store is back.
    queued: bool = False
    # Others that stand for its target all the same, newest first.
    standing: tuple[Decision, ...] = ()


class Decide(Op[Decided]):
    """Record a decision, and what it takes the place of, in one transaction."""

    statement: str
    reasoning: str = ""
    # What it governs. A decision with a target has its statement for a title.
    target: str = ""
    consequences: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    # None for 1.0 of a person and 0.5 of an agent.
    confidence: float | None = None
    risk: str = ""
    # The domain; empty to have it detected.
    module: str = ""
    scope: Scope = Scope()
    author: Author = OWNER
    supersedes: tuple[str, ...] = ()
    session: str = ""
    file_path: str = ""
    pr: str = ""
    commit: str = ""
    # When it was made, where that is known of an older one.
    event_time: datetime | None = None
    source_ref: str = ""
    # The caller's own JSON object.
    metadata: str = "{}"
    # Whether it is only proposed, and does not stand yet.
    draft: bool = False


class Ranked(Value):
    """A decision found: its score, and the similarity in [0, 1] that went into it."""

    record: Record
    score: float
    similarity: float


class Ranking(Value):
    """What was found, best first."""

    hits: tuple[Ranked, ...]
    semantic: bool


class SearchDecisions(Op[Ranking]):
    """Find decisions, ranked by whether they stand and who made them."""

    query: str
    where: Where = Where()
    limit: int = 5
    mode: Mode = Mode.BALANCED


class Proposal(Value):
    """A draft that reflection made, as a record."""

    record: Record
    title: str
    reasons: str
    evidence: tuple[str, ...] = ()
    # Decisions that it would take the place of.
    supersedes: tuple[str, ...] = ()


class Draft(Value):
    """What reflection would propose: the evidence by id, and the decisions it would replace."""

    title: str
    reasons: str
    target: str
    scope: Scope = Scope()
    evidence: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


class Accepted(Value):
    """The proposal, and the decision that it became."""

    proposal: Proposal
    decision: Decision


class AcceptProposal(Op[Accepted]):
    """Make a draft an active decision, once its review window is over."""

    id: str
    tenant: str = "local"
    author: Author = OWNER


class Rejected(Value):
    """The proposal, which is no draft any more."""

    proposal: Proposal


class RejectProposal(Op[Rejected]):
    """Say that a draft will not become a decision."""

    id: str
    tenant: str = "local"
    author: Author = OWNER
    reason: str = ""


class Proposals(Value):
    """Proposals, newest first."""

    proposals: tuple[Proposal, ...]


class ListProposals(Op[Proposals]):
    """List what reflection proposed: drafts, or also what was accepted and rejected."""

    tenant: str = "local"
    drafts: bool = True
    limit: int = 100


class Reflected(Value):
    """What was proposed anew, from how much, and what was decided or proposed already."""

    proposals: tuple[Proposal, ...]
    evidence: int
    decided: int
    proposed: int


class Reflect(Op[Reflected]):
    """Look back at what happened, and propose what to decide."""

    tenant: str = "local"
    # So far back.
    days: int = 90
    # So much independent support a proposal needs.
    support: int = 3
