"""What is wrong with the arguments of a call, in words that a caller can act on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_TIME = "must be a time, as 2026-01-31T12:00:00Z"
# By pydantic's own name of the error; the names in braces are those of its context.
_SAID = {
    "missing": "is missing; it is required",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be an array",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "finite_number": "must be a finite number",
    "literal_error": "must be one of {expected}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "string_unicode": "holds half a surrogate pair, which is no text",
    # What comes in the query of an address is text that is read.
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is a larger number than there is any use for",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be an array",
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_from_date_parsing": _TIME,
    "enum": "must be one of {expected}",
    "extra_forbidden": "is not known here; leave it out, or correct its name",
}
_SHOWN = 60
# So long may a word be that somebody meant as one of a few.
_word = re.compile(r"[A-Za-z][A-Za-z_-]{0,23}").fullmatch
# Beyond it programs no longer agree on what a number is.
_LARGEST = 2**53


def problem(error: ValidationError) -> InvalidRequest:
    """The first thing that is wrong. What was sent is never repeated, but for its type."""
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))[:_SHOWN] or "arguments"
    said = _said(first)
    kind = f", not {_kind(first['input'])}" if first["type"].endswith("_type") else ""
    return InvalidRequest(
        f"{field} {said}{kind}.",
        field=field,
        problem=said,
        type=first["type"],
        received=_received(first),
        **{name: value for name, value in first.get("ctx", {}).items() if name != "error"},
    )


def _said(first: ErrorDetails) -> str:
    template = _SAID.get(first["type"])
    if template is None:
        return first["msg"][:1].lower() + first["msg"][1:]
    return template.format(**first.get("ctx", {}))


def _kind(value: object) -> str:
    """The type as JSON calls it.

    >>> _kind(True), _kind(1.5), _kind([])
    ('a boolean', 'a number', 'an array')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
    return "an object"


def _received(first: ErrorDetails) -> object:
    """What came in the place of what is asked for; one word, where one of a few was asked for."""
    value = first["input"]
    if first["type"] == "missing":
        return None
    if first["type"] == "literal_error" and isinstance(value, str) and _word(value):
        return value
    return _shown(value)


def _shown(value: object) -> object:
    """What was received, where that is short enough to be worth repeating, and JSON has it.

    >>> _shown(1.5), _shown(float("nan")), _shown(10**400)
    (1.5, 'a number', 'a number')
    """
    repeated = isinstance(value, int | float) and -_LARGEST <= value <= _LARGEST
    return value if repeated else _kind(value)
