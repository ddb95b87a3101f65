"""What the documents ask of each tool's schemas, field by field, in a form of our own.

`facts.json` holds it for all tools, so that a clone without the documents compares with the same.
Run `python -m tests.contracts.facts` where the documents are, and it is written anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = Path(__file__).parents[3] / "shared" / "contracts"
FILE = Path(__file__).with_name("facts.json")
# What a field may be held to, in the order in which it is written down.
_BOUNDS = (
    *("const", "enum", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    *("minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "default"),
)
# What is told by the other parts of a fact, or holds a field to nothing.
_TOLD = {"type", "properties", "required", "items", "anyOf", "oneOf", "description", "title"}


def facts(schema: dict[str, Any]) -> dict[str, str]:
    """Each field by its path, with its types, whether it is required, and its bounds.

    >>> facts({"properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]})
    {'n': 'integer required minimum=1'}
    """
    return dict(_fields(schema, ""))


def documented() -> dict[str, Any]:
    """The same of every tool in the documents, by contract."""
    contracts = json.loads((DOCUMENTS / "contracts.json").read_text("utf-8"))
    return {name: {"tools": _tools(one["tools"])} for name, one in contracts.items()}


def _tools(tools: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {side: facts(one.get(side, {})) for side in ("input", "output")}
        for name, one in tools.items()
    }


def _fields(schema: dict[str, Any], above: str) -> Iterator[tuple[str, str]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path = f"{above}{name}"
        yield path, _fact(field, required=name in required)
        yield from _within(field, path)


def _within(field: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for one in (field, *field.get("anyOf", ()), *field.get("oneOf", ())):
        yield from _fields(one, f"{path}.")
        items = one.get("items")
        if items:
            yield f"{path}[]", _fact(items, required=True)
            yield from _within(items, f"{path}[]")


def _fact(field: dict[str, Any], *, required: bool) -> str:
    parts = ["|".join(sorted(_types(field))) or "anything", *["required"] * required]
    return " ".join([*parts, *(f"{name}={_told(value)}" for name, value in _bounds(field))])


def _types(field: dict[str, Any]) -> set[str]:
    several = [*field.get("anyOf", ()), *field.get("oneOf", ())]
    if several:
        return {type_ for one in several for type_ in _types(one)}
    type_ = field.get("type", [])
    return {type_} if isinstance(type_, str) else set(type_)


def _bounds(field: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for one in (field, *field.get("anyOf", ()), *field.get("oneOf", ())):
        # That null may stand for nothing is said by the type already.
        names = (*_BOUNDS, *sorted(one.keys() - _TOLD - {*_BOUNDS}))
        yield from ((name, one[name]) for name in names if one.get(name) is not None)


def _told(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        value = [one for one in value if one is not None]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    FILE.write_text(json.dumps(documented(), indent=1, ensure_ascii=False) + "\n", "utf-8")
