"""JSON Schemas of tools, made from the types that the program itself runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

    from recollect.contracts.contract import Params


class _Plain(GenerateJsonSchema):
    """Schemas as a person would write them: nothing said twice, null as a second type."""

    def field_title_should_be_set(self, schema: object) -> bool:
        del schema
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if "$ref" in inner or "type" not in inner:
            return {"anyOf": [inner, {"type": "null"}]}
        return {**inner, "type": [inner["type"], "null"]}


def input_schema(params: type[Params]) -> dict[str, Any]:
    """What a tool takes."""
    return _cleaned(params.model_json_schema(schema_generator=_Plain))


def output_schema(returns: Any) -> dict[str, Any]:  # noqa: ANN401 -- a TypedDict, which has no type
    """What a tool answers."""
    return _cleaned(TypeAdapter(returns).json_schema(schema_generator=_Plain, mode="serialization"))


def _cleaned(schema: dict[str, Any]) -> dict[str, Any]:
    """Without names that only the program uses, and with every shared part in its place."""
    parts = schema.pop("$defs", {})
    found: dict[str, Any] = _inlined(schema, parts)
    return {"properties": {}, **found} if found.get("type") == "object" else found


def _inlined(node: Any, parts: dict[str, Any]) -> Any:  # noqa: ANN401 -- any part of a schema
    if isinstance(node, list):
        return [_inlined(one, parts) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(parts[node["$ref"].rpartition("/")[2]], parts)
    kept = {
        name: {key: _inlined(one, parts) for key, one in value.items()}
        if name == "properties"
        else _inlined(value, parts)
        for name, value in node.items()
        if not _spare(name, value, node)
    }
    # An answer may always say more than its contract asks for.
    if kept.get("additionalProperties") is True:
        del kept["additionalProperties"]
    return kept


def _spare(name: str, value: object, node: dict[str, Any]) -> bool:
    return (
        name == "title"
        or (name == "description" and "properties" in node)
        or (name == "default" and value is None)
    )
