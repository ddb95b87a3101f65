"""Shapes of ops and answers: what an op takes as a model, and what an answer is as a schema.

Both are read from the fields that the values declare, so nothing is written twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache, reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, create_model

from recollect import decisions, model, ops
from recollect.contracts.shared import encoded
from recollect.model import Author, Scope, Where
from recollect.value import Value, defaults, fields
from recollect.ways.cli.document import left_out, spelled_in_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.contracts.contract import Caller

# What annotations of values may name; where they stand, it is there for type checkers alone.
_NAMES: dict[str, Any] = {
    "Any": Any,
    "Callable": Callable,
    "ClassVar": ClassVar,
    "Iterable": Iterable,
    "Sequence": Sequence,
    "Vector": object,
    "datetime": datetime,
}
# What a caller cannot say: it follows from who calls, or makes no sense from afar.
_OURS = {"author", "tenant", "roots", "confined", "vectors", "code"}
_PLAIN: dict[Any, dict[str, object]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
}
V = TypeVar("V", bound=Value)
PREFIX = "#/components/schemas/"


class Shape(BaseModel):
    """What a request may hold. What is not known is refused, so that nothing is misspelled."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@cache
def hints(kind: type[Value]) -> dict[str, Any]:
    """The types of the fields, as types."""
    module = sys.modules[kind.__module__]
    # A type that is named for type checkers alone is one of these modules'.
    known = {**vars(model), **vars(ops), **vars(decisions), **_NAMES, **vars(module)}
    return {
        name: found
        for name, found in get_type_hints(kind, known, known).items()
        if name in fields(kind)
    }


@cache
def taken(kind: type[Value], without: frozenset[str] = frozenset()) -> type[Shape]:
    """What an op takes from a caller, without what the path says already."""
    found: dict[str, Any] = {}
    for name, hint in hints(kind).items():
        if name in _OURS | without:
            continue
        if hint is Scope:
            found |= {"user": (str | None, None), "project": (str | None, None)}
        elif hint is Where:
            found |= _where()
        elif _is_object(kind, name):
            found[name] = (dict[str, Any] | None, None)
        elif name == "confirmed":
            found[name] = (bool, False)
        else:
            found[name] = (_said(hint), defaults(kind).get(name, ...))
    return create_model(f"{kind.__name__}Request", __base__=Shape, **found)


def _is_object(kind: type[Value], name: str) -> bool:
    """Whether a text is JSON: callers give the object itself."""
    return name == "metadata" or defaults(kind).get(name) == "{}"


def _where() -> dict[str, Any]:
    told = hints(Where)
    return {name: (told[name], defaults(Where)[name]) for name in told if name != "tenant"}


def _said(hint: Any) -> Any:  # noqa: ANN401 -- types are what this is about
    """A type as callers say it: a value inside of an op is an object."""
    if isinstance(hint, type) and issubclass(hint, Value):
        return taken(hint)
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, (_said(one) for one in get_args(hint)))
    if get_origin(hint) is tuple:
        return GenericAlias(tuple, (_said(get_args(hint)[0]), ...))
    return hint


def told(kind: type[Value], known: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of an answer, which is put among those that are known."""
    name = kind.__name__
    if name not in known:
        known[name] = {}
        shown = {n: hint for n, hint in hints(kind).items() if n not in left_out(kind)}
        properties = {n: _schema(hint, known) for n, hint in shown.items()}
        for field in spelled_in_json(kind):
            properties[field] = {"type": "object"}
        known[name] = {
            "type": "object",
            "description": " ".join((kind.__doc__ or "").split()),
            "properties": properties,
            "required": list(shown),
        }
    return {"$ref": f"{PREFIX}{name}"}


def _schema(hint: Any, known: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 -- as above
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if hint is type(None):
        return {"type": "null"}
    if get_origin(hint) in {Union, UnionType}:
        return {"anyOf": [_schema(one, known) for one in get_args(hint)]}
    if get_origin(hint) is tuple:
        return {"type": "array", **_items(get_args(hint), known)}
    if issubclass(hint, StrEnum):
        return {"type": "string", "enum": [one.value for one in hint]}
    return told(hint, known) if issubclass(hint, Value) else {}


def _items(hints_: tuple[Any, ...], known: dict[str, Any]) -> dict[str, Any]:
    """Any number of one type, or just these."""
    if hints_[1:] == (...,):
        return {"items": _schema(hints_[0], known)}
    return {"prefixItems": [_schema(one, known) for one in hints_]}


def built(kind: type[V], said: Shape, caller: Caller, given: Mapping[str, object]) -> V:
    """The op that a caller asks for. `given` is what the path says."""
    values: dict[str, Any] = {}
    for name, hint in hints(kind).items():
        if name in given:
            values[name] = given[name]
        elif name in _OURS:
            values |= _followed(name, hint, caller)
        elif hint is Scope:
            values[name] = _scope(said, caller)
        elif hint is Where:
            values[name] = _whose(said, caller)
        elif _is_object(kind, name):
            if getattr(said, name) is not None:
                values[name] = encoded(getattr(said, name))
        else:
            values[name] = _value(hint, getattr(said, name), caller)
    return kind(**values)


def _followed(name: str, hint: Any, caller: Caller) -> dict[str, Any]:  # noqa: ANN401 -- as above
    """What follows from who calls; nothing where the op's own default does."""
    if hint is Author:
        return {name: caller.author}
    found = {"tenant": caller.tenant, "roots": caller.roots, "confined": True}
    return {name: found[name]} if name in found else {}


def _scope(said: Any, caller: Caller) -> Scope:  # noqa: ANN401 -- a model made at run time
    return Scope(
        caller.tenant,
        caller.user if said.user is None else said.user,
        caller.project if said.project is None else said.project,
    )


def _whose(said: Any, caller: Caller) -> Where:  # noqa: ANN401 -- a model made at run time
    values = {name: getattr(said, name) for name in _where()}
    values["user"] = values["user"] or caller.user or None
    return Where(**{**values, "tenant": caller.tenant})


def _value(hint: Any, value: Any, caller: Caller) -> Any:  # noqa: ANN401 -- as above
    """A value as the op has it: an object is one of its own values."""
    if isinstance(value, tuple):
        return tuple(_value(get_args(hint)[0], one, caller) for one in value)
    if isinstance(value, Shape):
        inside = next(
            one
            for one in (hint, *get_args(hint))
            if isinstance(one, type) and issubclass(one, Value)
        )
        return built(inside, value, caller, {})
    return value
