"""What the tools, resources and the prompt of `membria` take and answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from recollect.contracts.contract import Params
from recollect.contracts.shared import EXACT

# What was not said. The schema has no default for it, and no null either.
UNSAID: Any = None

Unit = Annotated[float, Field(ge=0, le=1)]
DecisionId = Annotated[str, Field(description="The decision's id, dec_ and what follows.")]
Stage = Literal["pending", "executed", "completed", "failed", "reworked"]
Trend = Literal["improving", "stable", "declining"]
Module = Literal["database", "auth", "api", "frontend", "backend", "infra"]
Domain = Annotated[str, Field(description="database, auth, api, frontend, backend, infra, ...")]
Statement = Annotated[str, Field(description="What is decided, in one sentence.")]


class Surroundings(TypedDict, total=False):
    """Where a decision was made."""

    module: Annotated[Module, Field(description="The domain; detected where it is not given.")]
    session_id: str
    file_path: str
    reasoning: Annotated[str, Field(description="Why this one.")]


class CaptureDecision(Params):
    statement: Statement
    alternatives: Annotated[
        list[str], Field(min_length=1, description="What else could have been done.")
    ]
    confidence: Annotated[Unit, Field(description="How likely it is to turn out well.")]
    assumptions: Annotated[list[str], Field(description="What has to hold for it.")] = UNSAID
    risk_level: Annotated[Literal["low", "medium", "high"], Field()] = UNSAID
    context: Surroundings = UNSAID


class Captured(TypedDict):
    """The new decision."""

    decision_id: Annotated[str, Field(pattern="^dec_[a-z0-9]+$")]
    created_at: str
    status: Literal["pending"]
    confidence: float
    message: str
    queued: NotRequired[bool]


class UpdateDecision(Params):
    decision_id: DecisionId
    status: Annotated[Stage, Field(description="How far it has come.")] = UNSAID
    confidence_update: Annotated[Unit, Field(description="How sure you are now.")] = UNSAID
    notes: Annotated[str, Field(description="Added to those that there are.")] = UNSAID
    linked_pr: Annotated[str, Field(description="The URL of its pull request.")] = UNSAID
    linked_commit: Annotated[str, Field(description="The hash of its commit.")] = UNSAID


class Updated(TypedDict):
    """The decision's stage before and after."""

    decision_id: str
    previous_status: Stage
    new_status: Stage
    updated_at: str


class NamedDecision(Params):
    decision_id: DecisionId


class Similar(TypedDict):
    """A decision that is like it."""

    decision_id: NotRequired[str]
    statement: str
    success_rate: NotRequired[float | None]
    confidence_difference: NotRequired[float | None]


class Antipattern(TypedDict):
    """What has mostly failed."""

    pattern: str
    severity: str
    success_rate: float
    recommendation: str


class Decision(TypedDict):
    """A decision, whole."""

    decision_id: str
    statement: str
    alternatives: list[str]
    confidence: float
    module: NotRequired[str | None]
    created_at: str
    created_by: str
    status: Stage
    outcome: str | None
    assumptions: list[str]
    reasoning: NotRequired[str | None]
    linked_pr: NotRequired[str]
    linked_commit: NotRequired[str]
    context_hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class DecisionDetails(Decision):
    """A decision with what lies around it."""

    similar_decisions: list[Similar]
    antipatterns_triggered: list[Antipattern]


class Observed(TypedDict, total=False):
    """What was seen of an outcome."""

    ci_passed: bool
    incident_found: bool
    performance_metrics: dict[str, Any]
    reliability_score: Unit


class RecordOutcome(Params):
    decision_id: DecisionId
    final_status: Annotated[
        Literal["success", "partial", "failure"], Field(description="How it went.")
    ]
    final_score: Annotated[Unit, Field(description="How well, 1 being as well as hoped for.")]
    signals: Observed = UNSAID
    lessons_learned: Annotated[
        list[str], Field(description="What to do again, or never again; one sentence each.")
    ] = UNSAID
    decision_domain: Annotated[str, Field(description="Where not the decision's own.")] = UNSAID


class Impact(TypedDict):
    """What an outcome makes of a domain's calibration."""

    domain: str
    previous_success_rate: float | None
    new_success_rate: float
    sample_size: int
    confidence_gap: float


class Learned(TypedDict):
    """A skill that came of an outcome."""

    skill: str
    confidence: float


class OutcomeRecorded(TypedDict):
    """The outcome, and what it changes."""

    outcome_id: Annotated[str, Field(pattern="^outcome_")]
    decision_id: str
    final_status: str
    final_score: float
    completed_at: str
    calibration_impact: Impact
    recommendation: str
    skill_generated: NotRequired[Learned]


class RecordSignal(Params):
    decision_id: DecisionId
    signal_type: Literal[
        "pr_created", "pr_merged", "ci_passed", "ci_failed", "incident", "performance"
    ]
    valence: Annotated[
        Literal["positive", "negative", "neutral"], Field(description="What it speaks for.")
    ]
    description: Annotated[str, Field(description="What was seen.")] = UNSAID
    metrics: Annotated[dict[str, Any], Field(description="What was measured.")] = UNSAID


class SignalRecorded(TypedDict):
    """The signal, and what to expect now."""

    signal_id: Annotated[str, Field(pattern="^sig_")]
    decision_id: str
    recorded_at: str
    estimated_success: Unit


class GetCalibration(Params):
    domain: Domain = UNSAID
    include_trend: bool = True
    include_credible_interval: bool = True


class Calibration(TypedDict):
    """How sure people were against how often they were right."""

    domain: str
    sample_size: int
    success_rate: Unit
    mean_confidence: Unit
    confidence_gap: float
    status: str
    alpha: float
    beta: float
    variance: float
    trend: NotRequired[Trend]
    credible_interval_95: NotRequired[Annotated[list[float], Field(min_length=2, max_length=2)]]
    observed_success_rate: NotRequired[float | None]
    brier_score: NotRequired[float | None]
    expected_calibration_error: NotRequired[float | None]
    last_updated: NotRequired[str | None]
    cached_at: NotRequired[str]
    recommendation: str


class ConfidenceGuidance(Params):
    domain: Domain
    decision_confidence: Annotated[Unit, Field(description="How sure you are.")] = UNSAID
    context: Annotated[str, Field(description="What is about to be decided.")] = UNSAID


class Pattern(TypedDict):
    """What worked in a domain."""

    pattern: str
    success_rate: float
    confidence: float
    recommendation: str


class Guidance(TypedDict):
    """What to make of a confidence."""

    domain: str
    status: Literal["data_available", "no_data"]
    sample_size: int
    actual_success_rate: NotRequired[float | None]
    your_confidence: NotRequired[float | None]
    confidence_gap: NotRequired[float | None]
    calibration_status: NotRequired[str]
    adjustment: NotRequired[float | None]
    recommendation: str
    credible_interval_95: NotRequired[list[float] | None]
    similar_patterns: NotRequired[list[Pattern]]


class AllCalibrations(Params):
    min_sample_size: Annotated[int, EXACT] = 3
    sort_by: Literal["success_rate", "trend", "variance"] = UNSAID


class DomainRate(TypedDict):
    """One domain in a word."""

    domain: str
    sample_size: int
    success_rate: float
    trend: Trend
    status: str


class Domains(TypedDict):
    """Every domain."""

    domains: list[DomainRate]
    overall_calibration: str
    last_updated: str | None
    brier_score: NotRequired[float | None]
    expected_calibration_error: NotRequired[float | None]
    cached_at: NotRequired[str]


class DecisionContext(Params):
    statement: Statement
    module: Domain = UNSAID
    confidence: Annotated[Unit, Field(description="How sure you are.")] = UNSAID
    depth: Annotated[
        Literal["minimal", "standard", "full"], Field(description="How much to tell.")
    ] = "standard"


class CalibrationContext(TypedDict):
    """How a domain is calibrated, beside a confidence."""

    domain: str
    team_success_rate: NotRequired[float | None]
    team_confidence: NotRequired[float | None]
    status: str
    your_confidence: NotRequired[float | None]
    gap: NotRequired[float | None]
    recommendation: str


class SimilarDecision(TypedDict):
    """A decision that is like it, and what came of it."""

    statement: str
    decision_id: NotRequired[str]
    success_rate: NotRequired[float | None]
    lessons: NotRequired[list[str]]
    antipattern: NotRequired[str]


class ApplicableSkill(TypedDict):
    """A skill in a line."""

    skill: str
    confidence: float
    source: str


class WarningLine(TypedDict):
    """A warning in a line."""

    type: str
    description: str
    severity: str


class Causal(TypedDict, total=False):
    """What led to what before."""

    previous_failed_decisions: list[str]
    lessons_learned: list[str]
    causal_chains: list[dict[str, Any]]
    related_decisions: list[str]


class Context(TypedDict):
    """What is worth knowing before a decision."""

    decision_statement: str
    calibration_context: CalibrationContext
    similar_decisions: NotRequired[list[SimilarDecision]]
    applicable_skills: NotRequired[list[ApplicableSkill]]
    warnings: list[WarningLine]
    causal_context: NotRequired[Causal]
    firewall_status: NotRequired[str]


class Prevention(TypedDict):
    """What a decision kept from happening."""

    prevented_decisions: int
    prevented_issue: str | None


class Analysis(TypedDict):
    """What led to what."""

    causal_chain: dict[str, Any]
    prevention_effectiveness: Prevention
    similar_decisions: list[Similar]
    antipatterns_avoided: list[Antipattern]


class Analysed(TypedDict):
    """A decision, analysed."""

    decision_id: str
    statement: str
    analysis: Analysis


class GetSkills(Params):
    domain: Domain
    decision_statement: Annotated[str, Field(description="What is about to be decided.")] = UNSAID
    min_confidence: Unit = 0.7
    limit: Annotated[int, EXACT] = 10


class Evidence(TypedDict):
    """What a skill rests on."""

    successes: int
    total_outcomes: int
    credible_interval_95: NotRequired[list[float]]
    decisions: NotRequired[list[str]]


class Trial(TypedDict):
    """How decisions went that were shown a skill, and those that it was withheld from."""

    shown_outcomes: int
    shown_success_rate: float | None
    withheld_outcomes: int
    withheld_success_rate: float | None
    probability_better: float | None


class Skill(TypedDict):
    """What worked, with its evidence."""

    skill_id: Annotated[str, Field(pattern="^sk_")]
    statement: str
    confidence: float
    evidence: Evidence
    applicability_score: float
    status: NotRequired[str]
    recommendation: NotRequired[str]
    when_to_use: NotRequired[str]
    generated_at: NotRequired[str]
    source: NotRequired[Literal["outcomes", "analysis"]]
    trial: NotRequired[Trial]


class Skills(TypedDict):
    """What outcomes taught in a domain."""

    domain: str
    skills: list[Skill]
    antipatterns: list[Antipattern]


class GetWarnings(Params):
    statement: Statement
    module: Domain
    confidence: Annotated[Unit, Field(description="How sure you are.")] = UNSAID
    alternatives: list[str] = UNSAID
    context: dict[str, Any] = UNSAID


class Warned(TypedDict):
    """One thing that speaks against a decision."""

    type: str
    severity: str
    message: str
    evidence: NotRequired[str]
    recommendation: str


class Warnings(TypedDict):
    """What speaks against a decision, and what it comes to."""

    warnings: list[Warned]
    firewall_status: Literal["clear", "caution", "block"]
    risk_score: Unit


class ListParams(Params):
    module: Annotated[str, Field(description="Only of this domain.")] = UNSAID
    status: Annotated[Stage, Field(description="Only at this stage.")] = UNSAID
    limit: Annotated[str, Field(description="At most so many.")] = "20"


class NoParams(Params):
    """Nothing."""


class NamedDomain(Params):
    domain: Domain


class PromptParams(Params):
    statement: Statement
    module: Domain = UNSAID
    confidence: Annotated[str, Field(description="How sure you are, from 0 to 1.")] = UNSAID
    depth: Annotated[str, Field(description="minimal, standard or full.")] = "standard"
