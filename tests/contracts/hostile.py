"""What a careless or a malicious client may send, made from the schemas that are listed.

For each field of a tool: everything that could be in it, beside arguments that are all right. What
is then to be expected is said by the schema too: what it does not allow is refused.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from recollect.contracts.shared import _FIELDS, _TIMES
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEGABYTE = "hostile " * 131_072
# As deep as a message may be and still be read; a deeper one is refused before any tool sees it.
DEPTH = 700
TEXTS = {
    "blank": (" \n\t", "\u3000", "\u200b"),
    "1 MB": (MEGABYTE,),
    "NUL": ("\0", "harbour\0crane"),
    "surrogate": ("\ud800", "harbour \udfff crane"),
    "FTS": ('"', "AND OR NOT", "NEAR(a b, 5)", "text: ^x* -y", '{a} : "b" + c', "a* OR (b"),
    "SQL": ("'; DROP TABLE record; --", '" OR 1=1 --', "x' UNION SELECT sql FROM sqlite_master"),
    "path": ("../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "..\\..\\boot.ini"),
    "format": ("%s%n{0}{self.__class__}", "\x1b[31m\x07\r", "\u202e\ufeff", "NaN", "null"),
}
NUMBERS = {
    "huge": (2**31, 2**63, -(2**63) - 1, 10**30, -(10**400), 10**400, 1e308, -1e308, 5e-324),
    "NaN": (math.nan, math.inf, -math.inf),
}
OTHERS: dict[str, Any] = {
    "string": "seven",
    "number": 7.5,
    "boolean": True,
    "array": ["seven"],
    "object": {"seven": 7},
}
# What no failure may hold, of what goes on inside.
_LEAKED = re.compile(
    r"""Traceback|\bFile\ "|\.py\b|site-packages|sqlite|apsw|pydantic|recollect\.[a-z]|<class
    |object\ at\ 0x|0x[0-9a-f]{6}|\b(?:SELECT|INSERT\ INTO|DELETE\ FROM|UPDATE\ \w+\ SET)\b
    |[a-z]\w*Error\b|\b[A-Z]\w+Error\b|/tmp|/home|/var|/usr|errors\.""",
    re.VERBOSE,
)


class Attack(Value):
    """One call: what is wrong with which field, and the arguments."""

    sort: str
    field: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.sort} in {self.field}: {str(self.arguments)[:300]}"


def attacks(schema: dict[str, Any], valid: Callable[[], dict[str, Any]]) -> Iterator[Attack]:
    """All there is to try on one tool. Each call has valid arguments of its own beside it."""
    for name, field in schema["properties"].items():
        if name in schema.get("required", ()):
            yield Attack("missing", name, {k: v for k, v in valid().items() if k != name})
        for sort, value in _values(field):
            yield Attack(sort, name, {**valid(), name: value})
    for sort, texts in TEXTS.items():
        yield Attack(f"{sort} as a name", "", {**valid(), texts[0]: texts[0]})


def arguments(schema: dict[str, Any], id_: Callable[[str], str]) -> dict[str, Any]:
    """The least that a tool takes; `id_` answers an id for a field of that name."""
    return {
        name: _plain(name, schema["properties"][name], id_) for name in schema.get("required", ())
    }


def must_refuse(schema: dict[str, Any], attack: Attack, *, keeps: bool) -> bool:
    """Whether the schema does not allow the arguments, or JSON has no word for what is kept."""
    if keeps and not _finite(_known(schema, attack.arguments)):
        return True
    return not Draft202012Validator(_read(schema)).is_valid(attack.arguments)


def leaked(text: str, sent: dict[str, Any]) -> str | None:
    """What of the inside shows in a failure, where the caller has not said it first."""
    if not _LEAKED.search(text):
        return None
    for said in sorted(_strings(sent), key=len, reverse=True):
        for form in (said, json.dumps(said)[1:-1], json.dumps(said, ensure_ascii=False)[1:-1]):
            # Long ones are shown by their beginnings.
            for shown in (form, form[:200], form[:60]):
                if shown:
                    text = text.replace(shown, "…")
    found = _LEAKED.search(text)
    return found[0] if found else None


def _read(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as the rulings read it: where null is a type, it may stand in an enumeration."""
    fields = {
        name: {**field, "enum": [*field["enum"], None]}
        if "enum" in field and "null" in _types(field)
        else field
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": fields}


def _plain(name: str, field: dict[str, Any], id_: Callable[[str], str]) -> Any:
    types = _types(field)
    if "array" in types:
        return [_plain(name, field["items"], id_)]
    if "enum" in field:
        return field["enum"][0]
    if field.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    if "string" in types:
        named = re.search(r"(^|_)(ids?|entity|path)$", name)
        return id_(name) if named else "The harbour has cranes."
    return field.get("minimum", False)


def _values(field: dict[str, Any], *, inside: bool = False) -> Iterator[tuple[str, Any]]:
    types = _types(field)
    yield "null", None
    for type_, other in OTHERS.items():
        yield f"{type_} in place of {'|'.join(sorted(types))}", other
    yield "deep", _nested(DEPTH, lambda inner: [inner])
    yield "deep", _nested(DEPTH, lambda inner: {"x": inner})
    for sort, numbers in NUMBERS.items():
        yield from ((sort, number) for number in numbers)
    yield from (("bound", value) for value in _beyond(field))
    yield from (("another case", one.upper()) for one in field.get("enum", ()) if one)
    yield "empty", ""
    for sort, texts in TEXTS.items():
        yield from ((sort, text) for text in texts)
    if "array" in types and not inside:
        yield "empty", []
        yield "many", ["x"] * (field.get("maxItems", 1000) + 1)
        for sort, value in _values(field["items"], inside=True):
            yield f"{sort} among items", [value, "x"]
    if "object" in types and not inside:
        yield "empty", {}
        yield from _within()


def _within() -> Iterator[tuple[str, Any]]:
    """What may be in an object that may hold anything."""
    for sort, texts in TEXTS.items():
        for text in texts:
            yield f"{sort} as a key", {text: "x"}
            yield f"{sort} as a value", {"x": text}
            yield f"{sort} deeper down", {"x": [{"y": [text]}]}
    for sort, numbers in NUMBERS.items():
        yield from ((f"{sort} as a value", {"x": [number]}) for number in numbers)
    yield "many keys", {str(number): number for number in range(50_000)}
    for name in (*_FIELDS, *_TIMES, "project"):
        for other in (*OTHERS.values(), None, "", *(text for t in TEXTS.values() for text in t)):
            yield f"{name} within", {name: other}
    yield "times that are none", {"valid_from": "2026-01-02", "valid_until": "2026-01-01"}
    for time in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-13-45", "١٢"):
        yield from ((f"{name} beyond all", {name: time}) for name in _TIMES)


def _beyond(field: dict[str, Any]) -> Iterator[Any]:
    for bound, step in (("minimum", -1), ("maximum", 1)):
        if bound in field:
            yield field[bound]
            yield field[bound] + step
    if "exclusiveMinimum" in field:
        yield field["exclusiveMinimum"]


def _types(field: dict[str, Any]) -> set[str]:
    type_ = field["type"]
    return {type_} if isinstance(type_, str) else set(type_)


def _nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = wrap(value)
    return value


def _parts(value: Any) -> Iterator[Any]:
    """All that is in a value, however deep."""
    level = [value]
    while level:
        one = level.pop()
        yield one
        if isinstance(one, dict):
            level += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            level += one


def _known(schema: dict[str, Any], value: Any) -> Any:
    """What is left of a value without what its schema does not know, which is ignored."""
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    fields = schema["properties"]
    return {name: _known(fields[name], one) for name, one in value.items() if name in fields}


def _finite(value: Any) -> bool:
    return all(math.isfinite(one) for one in _parts(value) if isinstance(one, float))


def _strings(value: Any) -> set[str]:
    return {one for one in _parts(value) if isinstance(one, str)}
