"""A record as one line of JSON and back, for what is kept or carried whole."""

from __future__ import annotations

import json
from typing import Any

from recollect.model import Author, AuthorKind, Kind, Record, Scope, micros, moment
from recollect.value import fields

_TIMES = ("created_at", "updated_at", "event_time", "valid_from", "valid_until", "accessed_at")
# What the store adds by itself, and would add anew.
_STORES_OWN = ("seq", "supersedes", "superseded_by")


def dump(record: Record) -> str:
    """The record's own fields as JSON, times in microseconds."""
    return json.dumps(plain(record), ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> Record:
    """The inverse of `dump`."""
    return record(json.loads(text))


def plain(record: Record) -> dict[str, Any]:
    """The record's own fields as JSON knows them."""
    state: dict[str, Any] = {f: getattr(record, f) for f in fields(Record) if f not in _STORES_OWN}
    for time in _TIMES:
        state[time] = None if state[time] is None else micros(state[time])
    state["kind"] = record.kind.value
    state["scope"] = [record.scope.tenant, record.scope.user, record.scope.project]
    state["author"] = [record.author.kind.value, record.author.name]
    return state


def record(state: dict[str, Any]) -> Record:
    """The inverse of `plain`."""
    times = {time: None if state[time] is None else moment(state[time]) for time in _TIMES}
    kind, name = state["author"]
    return Record(
        **state
        | times
        | {
            "kind": Kind(state["kind"]),
            "scope": Scope(*state["scope"]),
            "author": Author(AuthorKind(kind), name),
        }
    )
