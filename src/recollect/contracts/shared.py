"""What several contracts have in common: numbers, scopes, metadata and the shape of failures."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import BeforeValidator

from recollect.contracts.contract import Failure
from recollect.errors import InvalidRequest, TooOften, Unavailable
from recollect.model import Kind, Scope, Where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.contracts.contract import Caller
    from recollect.errors import RecollectError
    from recollect.model import Record

# What a caller may say of a memory in its metadata, by the record's own field.
_FIELDS = {"session_id": "session", "speaker": "speaker", "title": "title"}
# What a search of memories finds: what was decided is remembered, too.
FOUND = (Kind.MEMORY, Kind.DECISION)
_TIMES = ("event_time", "valid_from", "valid_until")


def _exact(value: object) -> object:
    """JSON does not tell 5 from 5.0, so neither do we."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Behind the bounds of a whole number, since those are for what comes out of it.
EXACT = BeforeValidator(_exact)


def scope(caller: Caller, user: str | None = None, project: str = "") -> Scope:
    """Whose a new record is."""
    return Scope(caller.tenant, caller.user if user is None else user, project)


def where(caller: Caller, user: str | None = None, **further: Any) -> Where:  # noqa: ANN401 -- fields of Where
    """Which records a read is about: memories, unless `kinds` says otherwise."""
    named = caller.user if user is None else user
    return Where(caller.tenant, named or None, **{"kinds": (Kind.MEMORY,), **further})


def content(record: Record) -> str:
    """What a record says, where there is no place for a title of a decision.

    >>> from datetime import UTC, datetime
    >>> from recollect.model import Author, AuthorKind, Record
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> by = Author(AuthorKind.HUMAN)
    >>> said = Record("dec_1", Kind.DECISION, Scope(), by, "ACID.", at, at, at, at, title="Use it")
    >>> content(said)
    'Use it. ACID.'
    """
    if record.kind is Kind.DECISION and record.title:
        return f"{record.title}. {record.text}"
    return record.text


def said_in(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """What metadata says of the memory itself, as arguments of `Remember`."""
    if not metadata:
        return {}
    said: dict[str, Any] = {"metadata": encoded(metadata)}
    for name, field in _FIELDS.items():
        if metadata.get(name) is not None:
            said[field] = _string(name, metadata[name])
    for name in _TIMES:
        if metadata.get(name) is not None:
            said[name] = time(_string(name, metadata[name]), f"metadata.{name}")
    return said


def project_in(metadata: Mapping[str, Any] | None, otherwise: str = "") -> str:
    """The project that metadata names."""
    named = (metadata or {}).get("project")
    return otherwise if named is None else _string("project", named)


def time(text: str, field: str) -> datetime:
    """A time as callers write it; without an offset it is UTC. Raises `InvalidRequest`.

    >>> time("2026-02-12T10:30:00+02:00", "timestamp").isoformat()
    '2026-02-12T08:30:00+00:00'
    """
    try:
        # RFC 3339 takes a small t and z as well, which Python does not.
        found = datetime.fromisoformat(text.strip().upper())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{field} is no time; write it like 2026-02-12T10:30:00Z.", field=field
        ) from None


def encoded(value: Mapping[str, Any]) -> str:
    """A JSON object as the engine keeps it."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        raise InvalidRequest(
            "metadata holds what JSON has no word for, such as NaN; take it out.", field="metadata"
        ) from None


def failure(error: Mapping[str, object]) -> Failure:
    """The shape that most contracts give a failure."""
    data = {"error": dict(error)}
    return Failure(data, json.dumps(data, ensure_ascii=False))


def in_words_of(names: Mapping[str, str], error: RecollectError) -> RecollectError:
    """The same failure, its field called as the contract calls it."""
    field = str(error.facts.get("field", ""))
    if field not in names:
        return error
    said = str(error)
    if said.startswith(field):
        said = names[field] + said.removeprefix(field)
    return type(error)(said, **(error.facts | {"field": names[field]}))


def outage(error: Unavailable) -> str:
    """What is wrong with this machine, as far as a caller may know it: no paths, and what to do."""
    if isinstance(error, TooOften):
        # This is about the caller, and says how long to wait.
        return str(error)
    return " ".join((type(error).__doc__ or "").split())


def _string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"metadata.{name} must be a string.", field=f"metadata.{name}")
    return value
