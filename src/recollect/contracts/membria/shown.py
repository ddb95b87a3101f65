"""From answers to what the tools of `membria` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from recollect.contracts.membria.words import (
    advice,
    evidence,
    guidance_advice,
    in_context,
    overall,
)
from recollect.model import AuthorKind, Kind, rfc3339
from recollect.rules.mine import severity

if TYPE_CHECKING:
    from recollect.contracts.membria import wire
    from recollect.decisions import Decided
    from recollect.decisions.measured import (
        Alike,
        Analysed,
        Calibrated,
        CalibratedAll,
        Chain,
        Context,
        Guided,
        Lesson,
        Lessons,
        ListedDecisions,
        Oddities,
        Rate,
        Recorded,
        Shown,
        Signalled,
        Updated,
        Weighed,
        Whole,
    )

_FAILED = 0.4
_HUMAN = "human"


def captured(answer: Decided, _: wire.CaptureDecision) -> wire.Captured:
    """The new id."""
    record = answer.decision.record
    shown: wire.Captured = {
        "decision_id": record.id,
        "created_at": rfc3339(record.created_at),
        "status": "pending",
        "confidence": record.confidence,
        "message": "Decision captured successfully",
    }
    if answer.queued:
        shown["queued"] = True
        shown["message"] = "Decision kept in the journal; it is recorded once the store is back"
    return shown


def updated(answer: Updated, _: wire.UpdateDecision) -> wire.Updated:
    """The stages."""
    record = answer.whole.decision.record
    return {
        "decision_id": record.id,
        "previous_status": answer.previous.value,
        "new_status": answer.whole.stage.value,
        "updated_at": rfc3339(record.updated_at),
    }


def decision(whole: Whole) -> wire.Decision:
    """A decision in this contract's words."""
    one, record = whole.decision, whole.decision.record
    human = record.author.kind is AuthorKind.HUMAN
    shown: wire.Decision = {
        "decision_id": record.id,
        "statement": one.statement,
        "alternatives": list(one.alternatives),
        "confidence": record.confidence,
        "module": one.domain,
        "created_at": rfc3339(record.created_at),
        "created_by": _HUMAN if human else _agent(record.author.name),
        "status": whole.stage.value,
        "outcome": whole.outcome.status if whole.outcome else None,
        "assumptions": list(one.assumptions),
        "reasoning": one.reasoning,
        "context_hash": one.context_hash,
    }
    if one.pr:
        shown["linked_pr"] = one.pr
    if one.commit:
        shown["linked_commit"] = one.commit
    return shown


def _agent(name: str) -> str:
    """What an agent is called, which is never what a person is."""
    return "agent" if name.strip().casefold() in {"", _HUMAN} else name


def details(answer: Shown, _: wire.NamedDecision) -> wire.DecisionDetails:
    """A decision with its surroundings."""
    confidence = answer.whole.decision.record.confidence
    return {
        **decision(answer.whole),
        "similar_decisions": [similar(one, confidence) for one in answer.similar],
        "antipatterns_triggered": [antipattern(one) for one in answer.antipatterns],
    }


def similar(one: Alike, confidence: float) -> wire.Similar:
    """A decision that is like one of that confidence."""
    return {
        "decision_id": one.decision.record.id,
        "statement": one.decision.statement,
        "success_rate": one.score,
        # What came of it against how sure somebody is of this one; the document's 0.88 and 0.82.
        "confidence_difference": None if one.score is None else round(one.score - confidence, 6),
    }


def antipattern(one: Lesson) -> wire.Antipattern:
    """What has mostly failed."""
    return {
        "pattern": one.record.text,
        "severity": severity(one.success_rate),
        "success_rate": one.success_rate,
        "recommendation": one.advice or "Choose another way, or say what is different this time",
    }


def recorded(answer: Recorded, _: wire.RecordOutcome) -> wire.OutcomeRecorded:
    """What an outcome changes."""
    before, after = answer.before, answer.after
    shown: wire.OutcomeRecorded = {
        "outcome_id": answer.outcome.id,
        "decision_id": answer.outcome.key,
        "final_status": answer.outcome.status,
        "final_score": answer.outcome.confidence,
        "completed_at": rfc3339(answer.outcome.event_time),
        "calibration_impact": {
            "domain": after.domain,
            "previous_success_rate": before.mean if before.sample_size else None,
            "new_success_rate": after.mean,
            "sample_size": after.sample_size,
            "confidence_gap": after.gap,
        },
        "recommendation": advice(after),
    }
    skills = [one for one in answer.learned if one.kind is Kind.SKILL and one.version == 1]
    if skills:
        shown["skill_generated"] = {"skill": skills[0].text, "confidence": skills[0].confidence}
    return shown


def signalled(answer: Signalled, _: wire.RecordSignal) -> wire.SignalRecorded:
    """What to expect now."""
    return {
        "signal_id": answer.signal.id,
        "decision_id": answer.signal.key,
        "recorded_at": rfc3339(answer.signal.created_at),
        "estimated_success": answer.expected,
    }


def rate(one: Rate) -> wire.Calibration:
    """A domain's calibration, whole."""
    return {
        "domain": one.domain,
        "sample_size": one.sample_size,
        "success_rate": one.mean,
        "mean_confidence": one.mean if one.stated is None else one.stated,
        "confidence_gap": one.gap,
        "status": one.status,
        "alpha": one.alpha,
        "beta": one.beta,
        "variance": one.variance,
        "trend": _trend(one),
        "credible_interval_95": list(one.interval),
        "observed_success_rate": one.observed,
        "last_updated": rfc3339(one.last) if one.last else None,
        "recommendation": advice(one),
    }


def calibrated(answer: Calibrated, params: wire.GetCalibration) -> wire.Calibration:
    """As much of it as was asked for."""
    shown = calibration_resource(answer)
    if not params.include_trend:
        del shown["trend"]
    if not params.include_credible_interval:
        del shown["credible_interval_95"]
    return shown


def calibration_resource(answer: Calibrated, _: object = None) -> wire.Calibration:
    """All of it."""
    shown = rate(answer.rate)
    if answer.brier is not None:
        shown["brier_score"] = answer.brier
        shown["expected_calibration_error"] = answer.expected_error
    if answer.cached_at is not None:
        shown["cached_at"] = rfc3339(answer.cached_at)
    return shown


def guided(answer: Guided, _: wire.ConfidenceGuidance) -> wire.Guidance:
    """What to make of a confidence."""
    one = answer.rate
    if not one.sample_size or one.observed is None:
        return {
            "domain": one.domain,
            "status": "no_data",
            "sample_size": 0,
            "actual_success_rate": None,
            "your_confidence": answer.confidence,
            "confidence_gap": None,
            "calibration_status": one.status,
            "adjustment": None,
            "recommendation": guidance_advice(answer, None),
            "credible_interval_95": None,
            "similar_patterns": [],
        }
    stated = one.stated if answer.confidence is None else answer.confidence
    gap = (stated or 0.0) - one.observed
    return {
        "domain": one.domain,
        "status": "data_available",
        "sample_size": one.sample_size,
        "actual_success_rate": one.observed,
        "your_confidence": answer.confidence,
        "confidence_gap": gap,
        "calibration_status": overall(gap),
        "adjustment": answer.adjustment,
        "recommendation": guidance_advice(answer, gap),
        "credible_interval_95": list(one.interval),
        "similar_patterns": [
            {
                "pattern": pattern.record.text,
                "success_rate": pattern.success_rate,
                "confidence": pattern.confidence,
                "recommendation": f"It rests on {evidence(pattern)}.",
            }
            for pattern in answer.patterns
        ],
    }


def domains(answer: CalibratedAll, _: object = None) -> wire.Domains:
    """Every domain."""
    shown: wire.Domains = {
        "domains": [
            {
                "domain": one.domain,
                "sample_size": one.sample_size,
                "success_rate": one.mean,
                "trend": _trend(one),
                "status": one.status,
            }
            for one in answer.rates
        ],
        "overall_calibration": answer.status,
        "last_updated": rfc3339(answer.last) if answer.last else None,
        "brier_score": answer.brier,
        "expected_calibration_error": answer.expected_error,
    }
    if answer.cached_at is not None:
        shown["cached_at"] = rfc3339(answer.cached_at)
    return shown


def context(answer: Context, params: wire.DecisionContext) -> wire.Context:
    """As deep as was asked for."""
    shown: wire.Context = {
        "decision_statement": answer.statement,
        "calibration_context": _calibration_context(answer),
        "warnings": [
            {"type": one.type, "description": one.message, "severity": one.severity}
            for one in answer.warnings
        ],
        "firewall_status": answer.firewall,
    }
    if params.depth == "minimal":
        return shown
    shown["similar_decisions"] = [_similar_in_context(one) for one in answer.similar]
    shown["applicable_skills"] = [
        {"skill": one.record.text, "confidence": one.confidence, "source": evidence(one)}
        for one in answer.skills
    ]
    if params.depth == "full":
        shown["causal_context"] = {
            "previous_failed_decisions": list(answer.failed),
            "lessons_learned": list(answer.lessons),
            "causal_chains": [chain(one) for one in answer.chains],
            "related_decisions": [one.decision.statement for one in answer.related],
        }
    return shown


def _calibration_context(answer: Context) -> wire.CalibrationContext:
    one = answer.rate
    gap = None
    if one.observed is not None:
        gap = one.gap if answer.confidence is None else answer.confidence - one.observed
    return {
        "domain": one.domain,
        "team_success_rate": one.observed,
        "team_confidence": one.stated,
        "status": one.status,
        "your_confidence": answer.confidence,
        "gap": gap,
        "recommendation": in_context(answer, gap),
    }


def _similar_in_context(one: Alike) -> wire.SimilarDecision:
    shown: wire.SimilarDecision = {
        "statement": one.decision.statement,
        "decision_id": one.decision.record.id,
        "success_rate": one.score,
    }
    if one.score is not None and one.score < _FAILED:
        shown["antipattern"] = one.lessons[0] if one.lessons else "It failed; choose another way"
    elif one.lessons:
        shown["lessons"] = list(one.lessons)
    return shown


def chain(one: Chain) -> dict[str, Any]:
    """From a decision to what it taught."""
    whole = one.whole
    outcome = None
    if whole.outcome is not None:
        outcome = f"{whole.outcome.status.capitalize()} ({whole.outcome.confidence:.2f} score)"
    skills = [lesson.text for lesson in one.taught if lesson.kind is Kind.SKILL]
    against = [lesson.text for lesson in one.taught if lesson.kind is Kind.ANTIPATTERN]
    return {
        "decision": whole.decision.statement,
        "implementation": one.implementation or None,
        "signals": [f"{signal.type} ({signal.status})" for signal in one.signals],
        "outcome": outcome,
        "lesson": one.lessons[0] if one.lessons else None,
        "lessons": list(one.lessons),
        "skill_generated": skills[0] if skills else None,
        "antipattern_generated": against[0] if against else None,
    }


def analysed(answer: Analysed, _: object = None) -> wire.Analysed:
    """What led to what."""
    record, one = answer.chain.whole.decision.record, answer.chain.whole.decision
    prevented = answer.prevented
    return {
        "decision_id": record.id,
        "statement": one.statement,
        "analysis": {
            "causal_chain": chain(answer.chain),
            "prevention_effectiveness": {
                "prevented_decisions": len(prevented),
                "prevented_issue": f"Turned down in: {prevented[0].statement}"
                if prevented
                else None,
            },
            "similar_decisions": [similar(like, record.confidence) for like in answer.similar],
            "antipatterns_avoided": [antipattern(lesson) for lesson in answer.avoided],
        },
    }


def causal_chain(answer: Analysed, _: object = None) -> dict[str, Any]:
    """The chain alone."""
    return {"decision_id": answer.chain.whole.decision.record.id, **chain(answer.chain)}


def similar_resource(answer: Shown, _: object = None) -> dict[str, Any]:
    """What is like a decision."""
    record = answer.whole.decision.record
    return {
        "decision_id": record.id,
        "similar_decisions": [similar(one, record.confidence) for one in answer.similar],
    }


def skills(answer: Lessons, _: object = None) -> wire.Skills:
    """What outcomes taught."""
    return {
        "domain": answer.domain,
        "skills": [_skill(one) for one in answer.skills],
        "antipatterns": [antipattern(one) for one in answer.antipatterns],
    }


def _skill(one: Lesson) -> wire.Skill:
    shown: wire.Skill = {
        "skill_id": one.record.id,
        "statement": one.record.text,
        "confidence": one.confidence,
        "evidence": {
            "successes": one.successes,
            "total_outcomes": one.outcomes,
            "credible_interval_95": list(one.interval),
            "decisions": list(one.decisions),
        },
        "applicability_score": one.fits,
        "status": one.record.status,
        "recommendation": one.advice or one.record.text,
        "when_to_use": f"For decisions in {one.record.type}",
        "generated_at": rfc3339(one.record.created_at),
        "source": "outcomes",
    }
    if one.shown[0] or one.withheld[0]:
        shown["trial"] = {
            "shown_outcomes": one.shown[0],
            "shown_success_rate": one.shown[1],
            "withheld_outcomes": one.withheld[0],
            "withheld_success_rate": one.withheld[1],
            "probability_better": one.better,
        }
    return shown


def warnings(answer: Weighed, _: wire.GetWarnings) -> wire.Warnings:
    """What speaks against it."""
    return {
        "warnings": [
            {
                "type": one.type,
                "severity": one.severity,
                "message": one.message,
                "evidence": one.evidence,
                "recommendation": one.recommendation,
            }
            for one in answer.warnings
        ],
        "firewall_status": cast("Any", answer.firewall),
        "risk_score": answer.risk,
    }


def listed(answer: ListedDecisions, _: object = None) -> dict[str, Any]:
    """Some decisions."""
    return {"decisions": [decision(one) for one in answer.decisions]}


def anomalies(answer: Oddities, _: object = None) -> dict[str, Any]:
    """What is out of the ordinary. When it was looked at is left out, or each look would differ."""
    return {
        "anomalies": [
            {
                "type": one.type,
                "severity": one.severity,
                "domain": one.domain,
                "message": one.message,
                "evidence": list(one.evidence),
            }
            for one in answer.found
        ]
    }


def _trend(one: Rate) -> wire.Trend:
    return cast("wire.Trend", one.trend)
