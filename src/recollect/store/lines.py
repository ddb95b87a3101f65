"""What a store holds as lines of JSON and back, for a file from which it can be made again.

A line holds one thing under the name of what it is. `READ` names every kind of line there is, so
that a kind which a newer version adds is refused by this one and never dropped in silence.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from recollect.model import Author, AuthorKind, Edge, Event, Whole, micros, moment
from recollect.store import states
from recollect.value import fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recollect.model import Vector

# Raised with every change that an older Recollect would misread.
FORMAT = 1
HEAD, EVENT, RECORD, EDGE, END = "recollect_export", "event", "record", "edge", "end"
_TYPES = {"<f2": "float16", "<f4": "float32"}


def line(name: str, said: Mapping[str, object]) -> bytes:
    """One line of the file, line end included."""
    return json.dumps({name: said}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def parsed(given: bytes) -> tuple[str, Any]:
    """The name of what a line holds, and what it says. Raises `ValueError`."""
    said = json.loads(given)
    if not isinstance(said, dict) or len(said) != 1:
        raise ValueError
    return next(iter(said.items()))


def event(entry: Event) -> bytes:
    """An entry of the ledger."""
    author = [entry.author.kind.value, entry.author.name]
    state = {name: getattr(entry, name) for name in fields(Event)}
    return line(EVENT, {**state, "at": micros(entry.at), "author": author})


def whole(one: Whole) -> bytes:
    """A record with its versions, and with its vector where it has one."""
    said: dict[str, object] = {
        "state": states.plain(one.record),
        "salt": b64encode(one.salt).decode(),
    }
    if one.versions:
        said["versions"] = [states.plain(version) for version in one.versions]
    if one.vector is not None:
        said |= _packed(one.vector)
    if one.codes:
        said["codes"] = b64encode(one.codes).decode()
    if one.parts:
        said["parts"] = b64encode(one.parts).decode()
    return line(RECORD, said)


def edge(drawn: Edge) -> bytes:
    """A link between two records."""
    state = {name: getattr(drawn, name) for name in fields(Edge)}
    until = None if drawn.valid_until is None else micros(drawn.valid_until)
    times = {"created_at": micros(drawn.created_at), "valid_from": micros(drawn.valid_from)}
    return line(EDGE, {**state, **times, "valid_until": until})


def _event(said: dict[str, Any]) -> Event:
    kind, name = said["author"]
    author = Author(AuthorKind(kind), name)
    return Event(**said | {"at": moment(said["at"]), "author": author})


def _whole(said: dict[str, Any]) -> Whole:
    return Whole(
        states.record(said["state"]),
        b64decode(said["salt"], validate=True),
        tuple(map(states.record, said.get("versions", ()))),
        _unpacked(said),
        b64decode(said.get("codes", ""), validate=True),
        b64decode(said.get("parts", ""), validate=True),
    )


def _edge(said: dict[str, Any]) -> Edge:
    until = said["valid_until"]
    times = {
        "created_at": moment(said["created_at"]),
        "valid_from": moment(said["valid_from"]),
        "valid_until": None if until is None else moment(until),
    }
    return Edge(**said | times)


def _packed(vector: Vector) -> dict[str, str]:
    """The numbers under the name of their type: halves, where these say the same."""
    from numpy import array_equal

    type_ = "<f2" if array_equal(vector.astype("<f2"), vector) else "<f4"
    return {_TYPES[type_]: b64encode(vector.astype(type_).tobytes()).decode()}


def _unpacked(said: dict[str, Any]) -> Vector | None:
    from numpy import float32, frombuffer

    for type_, name in _TYPES.items():
        if name in said:
            return frombuffer(b64decode(said[name], validate=True), type_).astype(float32)
    return None


# How each kind of line is read.
READ: dict[str, Callable[[dict[str, Any]], Event | Whole | Edge]] = {
    EVENT: _event,
    RECORD: _whole,
    EDGE: _edge,
}
