"""Failures in the shape of `membria`: code, message, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.contracts.shared import failure, in_words_of, outage
from recollect.errors import (
    Conflict,
    Isolated,
    NotAllowed,
    NotFound,
    RecollectError,
    TooFew,
    TooOften,
    Unavailable,
)

if TYPE_CHECKING:
    from recollect.contracts.contract import Failure

INVALID, INTERNAL = -32602, -32603
NO_GRAPH, TOO_FEW, NO_DECISION, TOO_OFTEN = -32001, -32002, -32003, -32029
RETRY_AFTER = 30
_SHOWN = 60
# What the engine calls otherwise.
_WORDS = {"reasoning": "context.reasoning", "session": "context.session_id"}
_SUGGESTIONS = {
    "confidence_out_of_range": "Give a number from 0 to 1, such as 0.75",
    "missing_alternatives": "Name at least one thing that could have been decided instead",
    "invalid_module": "Use one of database, auth, api, frontend, backend, infra, or leave it out",
}

# The first that fits.
_KINDS: tuple[tuple[type[RecollectError], int, str, str], ...] = (
    (TooFew, TOO_FEW, "Calibration insufficient", "Record more outcomes first"),
    (NotFound, NO_DECISION, "Decision not found", "Look the decision_id up in a search"),
    (TooOften, TOO_OFTEN, "Rate limit exceeded", "Wait, then call again"),
    (Isolated, INVALID, "Isolation violation", "Ask the person who decided it"),
    (NotAllowed, INVALID, "Permission denied", "Use a key with that role"),
    (Conflict, INVALID, "Conflict", "Read the decision again"),
)


def fail(error: RecollectError, tool: str) -> Failure:
    """A failure as JSON-RPC has it."""
    del tool
    if isinstance(error, Unavailable) and not isinstance(error, TooOften):
        return _out(error)
    for kind, code, message, suggestion in _KINDS:
        if isinstance(error, kind):
            return _said(code, message, error, suggestion)
    return _invalid(in_words_of(_WORDS, error))


def _out(error: Unavailable) -> Failure:
    after = error.facts.get("retry_after", RETRY_AFTER)
    data = {"problem": outage(error), "suggestion": "Try again later", "retry_after": after}
    code, message = (NO_GRAPH, "Graph unavailable")
    if error.code == "fault":
        code, message = INTERNAL, "Internal error"
    return failure({"code": code, "message": message, "data": data})


def _said(code: int, message: str, error: RecollectError, suggestion: str) -> Failure:
    data: dict[str, Any] = {"problem": str(error), "suggestion": suggestion, "reason": error.code}
    for name in ("retry_after", "domain", "outcomes", "status"):
        if name in error.facts:
            data[name] = error.facts[name]
    ids = error.facts.get("ids")
    if code == NO_DECISION and isinstance(ids, list | tuple) and ids:
        data |= {"field": "decision_id", "received": str(ids[0])[:_SHOWN]}
    return failure({"code": code, "message": message, "data": data})


def _invalid(error: RecollectError) -> Failure:
    facts = error.facts
    field = str(facts.get("field", "arguments"))
    reason = str(facts.get("reason") or _reason(field, str(facts.get("type", ""))))
    data: dict[str, Any] = {
        "field": field,
        "problem": str(facts.get("problem") or error),
        "suggestion": facts.get("suggestion") or _SUGGESTIONS.get(reason, str(error)),
        "reason": reason,
        # Null where nothing came, or too much to repeat.
        "received": facts.get("received"),
    }
    return failure({"code": INVALID, "message": f"Invalid params: {error}", "data": data})


def _reason(field: str, type_: str) -> str:
    if type_ == "missing":
        return "missing_alternatives" if field == "alternatives" else "missing_field"
    if field == "alternatives" and type_ == "too_short":
        return "missing_alternatives"
    if "confidence" in field and "type" not in type_:
        return "confidence_out_of_range"
    if field.endswith("module") and type_ == "literal_error":
        return "invalid_module"
    return "invalid_argument"
