"""Failures as RFC 9457 has them: what went wrong, and the status that says what to do next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.contracts.shared import outage
from recollect.errors import (
    BadSecret,
    Conflict,
    Fault,
    InvalidRequest,
    KeyUsed,
    NotAllowed,
    NotFound,
    RecollectError,
    TooOften,
    Unavailable,
)
from recollect.ways.http.asgi import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable

# The nearest kind of a failure decides.
STATUS: dict[type[RecollectError], int] = {
    InvalidRequest: 400,
    KeyUsed: 422,
    BadSecret: 401,
    NotAllowed: 403,
    NotFound: 404,
    Conflict: 409,
    TooOften: 429,
    Fault: 500,
    Unavailable: 503,
}
TITLES = {
    400: "Bad request",
    401: "No entry",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "Changed meanwhile",
    415: "Unsupported media type",
    422: "Key used before",
    429: "Too often",
    500: "Fault",
    503: "Unavailable",
}
KIND = "application/problem+json"
# What a failure knows that a caller may know too.
_TOLD = ("field", "id", "needed", "role", "limit", "retry_after")
_SOON = 1


def failing(error: RecollectError) -> Answer:
    """A failure of the engine."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    # What is wrong with this machine is not for every caller.
    detail = outage(error) if isinstance(error, Unavailable) else str(error)
    facts = {name: error.facts[name] for name in _TOLD if name in error.facts}
    headers = []
    if status in {429, 503}:
        headers.append(("retry-after", str(max(_SOON, round(_seconds(facts))))))
    return _problem(status, detail, error.code, facts, headers)


def wrong(status: int, code: str, detail: str, *headers: tuple[str, str]) -> Answer:
    """A failure of the request as such."""
    return _problem(status, detail, code, {}, headers)


def _problem(
    status: int,
    detail: str,
    code: str,
    facts: dict[str, object],
    headers: Iterable[tuple[str, str]],
) -> Answer:
    document = {
        "type": f"urn:recollect:problem:{code}",
        "title": TITLES[status],
        "status": status,
        "detail": detail,
        "code": code,
        **facts,
    }
    body = json.dumps(document, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    return Answer(status, body, KIND, tuple(headers))


def _seconds(facts: dict[str, object]) -> float:
    found = facts.get("retry_after", _SOON)
    return float(found) if isinstance(found, int | float) else _SOON
