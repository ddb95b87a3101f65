"""An answer as one JSON document: the names of its fields, times in UTC, nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from recollect.model import Event, Key, Record, rfc3339
from recollect.value import Value, fields

if TYPE_CHECKING:
    from recollect.errors import RecollectError

# The store's own number of a record means nothing outside it, and what a secret is held against is
# nobody's business.
_OURS: dict[type[Value], set[str]] = {Record: {"seq"}, Key: {"digest"}}
# Fields whose text is JSON already.
_JSON: dict[type[Value], str] = {Record: "metadata", Event: "detail"}


def left_out(kind: type[Value]) -> set[str]:
    """The fields that are not shown."""
    return _OURS.get(kind, set())


def spelled_in_json(kind: type[Value]) -> set[str]:
    """The fields that are shown as the JSON object that their text is."""
    return {_JSON[kind]} if kind in _JSON else set()


def document(answer: Value) -> dict[str, object]:
    """The fields of an answer, down to what JSON knows."""
    kind = type(answer)
    hidden = left_out(kind)
    plain = {name: _plain(getattr(answer, name)) for name in fields(kind) if name not in hidden}
    if kind in _JSON:
        import json

        plain[_JSON[kind]] = json.loads(getattr(answer, _JSON[kind]))
    return plain


def failure(error: RecollectError) -> dict[str, object]:
    """What went wrong, with the facts that a program may act on."""
    facts = {name: _plain(fact) for name, fact in error.facts.items()}
    return {"error": {**facts, "code": error.code, "message": str(error)}}


def _plain(value: object) -> object:
    match value:
        case Value():
            return document(value)
        case datetime():
            return rfc3339(value)
        case tuple() | list():
            return [_plain(one) for one in value]
        case None | str() | int() | float():
            return value
    return str(value)
