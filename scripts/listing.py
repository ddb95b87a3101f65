"""Writes what is offered to src/recollect/contracts/listing.json; `--check` only compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.contracts.address import names, with_query
from recollect.contracts.every import MODULES, contract
from recollect.contracts.listing import FILE
from recollect.contracts.schema import input_schema, output_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.contracts.contract import Prompt, Resource, Row, Tool


def listing() -> str:
    """Everything that is offered, as the wire shows it, by contract."""
    made = {name: _contract(name) for name in MODULES}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _contract(name: str) -> dict[str, Any]:
    found = contract(name)
    return {
        "instructions": found.instructions,
        "protocol_errors": found.protocol_errors,
        "tools": [_tool(one) for one in found.tools],
        "resources": [shown for one in found.resources for shown in _resource(one)],
        "prompts": [_prompt(one) for one in found.prompts],
    }


def _named(one: Row) -> dict[str, Any]:
    return {"name": one.name, "title": one.title, "description": one.doc}


def _resource(one: Resource) -> Iterator[dict[str, Any]]:
    """A resource, its template, or both where it takes a query as well."""
    kind = {**_named(one), "mimeType": "application/json"}
    if not names(one.uri):
        yield {"uri": one.uri, **kind}
    template = with_query(one.uri, one.params.model_fields)
    if template != one.uri or names(one.uri):
        yield {"uriTemplate": template, **kind}


def _prompt(one: Prompt) -> dict[str, Any]:
    fields = one.params.model_fields.items()
    return {
        **_named(one),
        "arguments": [
            {"name": name, "description": field.description or "", "required": field.is_required()}
            for name, field in fields
        ],
    }


def _tool(one: Tool) -> dict[str, Any]:
    shown = {
        **_named(one),
        "inputSchema": input_schema(one.params),
        "outputSchema": output_schema(one.returns),
        "annotations": {
            "readOnlyHint": one.hints.read_only,
            "destructiveHint": one.hints.destructive,
            "idempotentHint": one.hints.idempotent,
            "openWorldHint": False,
        },
    }
    return shown | ({"_meta": {"anthropic/alwaysLoad": True}} if one.core else {})


def main() -> int:
    """Write the file, or say that it is not what it should be."""
    made = listing()
    if "--check" not in sys.argv[1:]:
        Path(FILE).write_text(made, "utf-8")
        return 0
    same = Path(FILE).read_text("utf-8") == made
    if not same:
        print("The list of tools is not that of the tables; `make docs` writes it anew.")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
