"""From what the tools, resources and the prompt of `membria` take to ops."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.contracts.shared import scope, where
from recollect.decisions import Decide, Stage
from recollect.decisions.measured import (
    Analyse,
    Calibrate,
    CalibrateAll,
    Depth,
    FindAnomalies,
    FindSkills,
    GatherContext,
    GetDecision,
    Guide,
    ListDecisions,
    RecordOutcome,
    RecordSignal,
    UpdateDecision,
    Weigh,
)
from recollect.errors import InvalidRequest
from recollect.rules.unseen import CONTROLS, TAGS, TURNING, any_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.contracts.contract import Caller
    from recollect.contracts.membria import wire

T = TypeVar("T")

SHORTEST, LONGEST = 10, 500
_ID = re.compile("dec_[a-z0-9]+")
_STEERING = re.compile(any_of(CONTROLS, TURNING, TAGS))
_MOST_LISTED = 1_000
_SHOWN = 60


def capture(params: wire.CaptureDecision, caller: Caller) -> Decide:
    """A decision with what else could have been decided."""
    said: Mapping[str, Any] = _given(params.context, {})
    return Decide(
        _statement(params.statement),
        said.get("reasoning", ""),
        alternatives=tuple(params.alternatives),
        assumptions=_several(params.assumptions),
        confidence=params.confidence,
        risk=_given(params.risk_level, ""),
        module=said.get("module", ""),
        scope=scope(caller, project=caller.project),
        author=caller.author,
        session=said.get("session_id", ""),
        file_path=said.get("file_path", ""),
    )


def update(params: wire.UpdateDecision, caller: Caller) -> UpdateDecision:
    """What is not said stays."""
    return UpdateDecision(
        _decision(params.decision_id),
        caller.tenant,
        caller.author,
        _stage(params.status),
        params.confidence_update,
        params.notes or "",
        params.linked_pr or "",
        params.linked_commit or "",
    )


def get(params: wire.NamedDecision, caller: Caller) -> GetDecision:
    """One decision with its surroundings."""
    return GetDecision(_decision(params.decision_id), caller.tenant)


def outcome(params: wire.RecordOutcome, caller: Caller) -> RecordOutcome:
    """What came of it."""
    return RecordOutcome(
        _decision(params.decision_id),
        params.final_status,
        params.final_score,
        caller.tenant,
        caller.author,
        _several(params.lessons_learned),
        _json(params.signals, "signals"),
        params.decision_domain or "",
    )


def signal(params: wire.RecordSignal, caller: Caller) -> RecordSignal:
    """What was seen of it."""
    return RecordSignal(
        _decision(params.decision_id),
        params.signal_type,
        params.valence,
        caller.tenant,
        caller.author,
        params.description or "",
        _json(params.metrics, "metrics"),
    )


def calibration(params: wire.GetCalibration, caller: Caller) -> Calibrate:
    """One domain, or all of them together."""
    return Calibrate(_folded(params.domain), where(caller))


def one_calibration(params: wire.NamedDomain, caller: Caller) -> Calibrate:
    """One domain."""
    return Calibrate(_domain(params.domain), where(caller))


def guidance(params: wire.ConfidenceGuidance, caller: Caller) -> Guide:
    """How sure to be."""
    return Guide(
        _domain(params.domain), params.decision_confidence, params.context or "", where(caller)
    )


def calibrations(params: wire.AllCalibrations, caller: Caller) -> CalibrateAll:
    """Every domain that has outcomes enough."""
    return CalibrateAll(where(caller), max(0, params.min_sample_size), _given(params.sort_by, ""))


def every_calibration(params: wire.NoParams, caller: Caller) -> CalibrateAll:
    """Every domain that has any."""
    del params
    return CalibrateAll(where(caller), 1)


def context(params: wire.DecisionContext, caller: Caller) -> GatherContext:
    """What is worth knowing."""
    return GatherContext(
        _statement(params.statement),
        _folded(params.module),
        params.confidence,
        Depth(params.depth),
        where(caller),
    )


def prompt(params: wire.PromptParams, caller: Caller) -> GatherContext:
    """The same, from strings."""
    if params.depth not in set(Depth):
        raise InvalidRequest(
            f"depth is one of {', '.join(Depth)}.", field="depth", problem="is none of these"
        )
    confidence = None
    if params.confidence:
        try:
            confidence = float(params.confidence)
        except ValueError:
            raise InvalidRequest(
                "confidence is no number; give one from 0 to 1.", field="confidence"
            ) from None
    return GatherContext(
        _statement(params.statement),
        _folded(params.module),
        confidence,
        Depth(params.depth),
        where(caller),
    )


def analyse(params: wire.NamedDecision, caller: Caller) -> Analyse:
    """What led to what."""
    return Analyse(_decision(params.decision_id), caller.tenant)


def skills(params: wire.GetSkills, caller: Caller) -> FindSkills:
    """What outcomes taught."""
    return FindSkills(
        _domain(params.domain),
        params.decision_statement or "",
        params.min_confidence,
        params.limit,
        where(caller),
    )


def all_skills(params: wire.NamedDomain, caller: Caller) -> FindSkills:
    """All that was learned in a domain, sure or not."""
    return FindSkills(_domain(params.domain), "", 0.0, 100, where(caller))


def warnings(params: wire.GetWarnings, caller: Caller) -> Weigh:
    """What speaks against it."""
    return Weigh(
        _statement(params.statement),
        _folded(params.module),
        params.confidence,
        _several(params.alternatives),
        where(caller),
    )


def listed(params: wire.ListParams, caller: Caller) -> ListDecisions:
    """Some decisions, newest first."""
    most = params.limit
    if not (most.isascii() and most.isdigit() and 1 <= int(most) <= _MOST_LISTED):
        raise InvalidRequest(
            f"limit must be a whole number from 1 to {_MOST_LISTED}.", field="limit"
        )
    stage = _stage(params.status)
    return ListDecisions(where(caller), _folded(params.module), stage, int(most))


def anomalies(params: wire.NoParams, caller: Caller) -> FindAnomalies:
    """What is out of the ordinary."""
    del params
    return FindAnomalies(where(caller))


def _decision(id_: str) -> str:
    if _ID.fullmatch(id_) is None:
        raise InvalidRequest(
            "decision_id must be dec_ and then letters a-z and digits.",
            field="decision_id",
            problem="must match ^dec_[a-z0-9]+$",
            received=id_[:_SHOWN],
            suggestion="Use the decision_id that capture_decision answered",
            reason="invalid_decision_id",
        )
    return id_


def _statement(said: str) -> str:
    if not SHORTEST <= len(said.strip()) <= LONGEST or _STEERING.search(said):
        raise InvalidRequest(
            f"statement must have {SHORTEST} to {LONGEST} characters, and none that steers what"
            " shows it.",
            field="statement",
            problem=f"must have {SHORTEST} to {LONGEST} characters that are all seen",
            received=f"a string of {len(said)} characters",
            suggestion="Say in one sentence what is decided; reasons go into context.reasoning",
            reason="invalid_statement",
        )
    return said


def _folded(domain: str | None) -> str:
    """A domain as all are kept; empty where none is named."""
    return (domain or "").strip().casefold()


def _domain(said: str) -> str:
    found = _folded(said)
    if not found:
        raise InvalidRequest(
            "domain is empty; name one.",
            field="domain",
            problem="must not be empty",
            suggestion="Name a domain: database, auth, api, frontend, backend, infra, or your own",
            received=said[:_SHOWN],
        )
    return found


def _given(said: Any, otherwise: T) -> T:  # noqa: ANN401 -- what may not have been said
    """What was said; the schema has no null for what was not."""
    return otherwise if said is None else said


def _several(said: list[str]) -> tuple[str, ...]:
    return tuple(_given(said, ()))


def _stage(said: str) -> Stage | None:
    return Stage(said) if _given(said, "") else None


def _json(said: Mapping[str, Any] | None, name: str) -> str:
    try:
        return json.dumps(said or {}, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        raise InvalidRequest(
            f"{name} holds what JSON has no word for, such as NaN; take it out.", field=name
        ) from None
