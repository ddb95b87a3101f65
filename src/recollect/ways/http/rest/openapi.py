"""The REST API as OpenAPI 3.1 has it, made from the table and from what ops and answers declare."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from recollect._version import __version__
from recollect.ways.http.rest.failing import KIND, TITLES
from recollect.ways.http.rest.once import HEADER, LONGEST
from recollect.ways.http.rest.shape import PREFIX, taken, told
from recollect.ways.http.rest.table import ROOT, routes

if TYPE_CHECKING:
    from recollect.value import Value
    from recollect.ways.http.rest.table import Route

_JSON = "application/json"
_PROBLEM = {
    "type": "object",
    "description": "What went wrong, as RFC 9457 has it.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}
_FAILURES = (400, 401, 403, 404, 408, 409, 413, 429, 503)
_WRITING = (412, 415, 422)
_WHO = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("name", "tenant", "user", "role")},
    "required": ["name", "tenant", "user", "role"],
}


@cache
def openapi() -> dict[str, Any]:
    """The whole document."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM, "Who": _WHO}
    paths: dict[str, dict[str, Any]] = {
        f"{ROOT}/whoami": {"get": _itself("whoami", "Say who calls, by the key.", "Who")},
    }
    for route in routes():
        paths.setdefault(f"{ROOT}{route.path}", {})[route.method.lower()] = _operation(
            route, schemas
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recollect",
            "version": __version__,
            "description": "One memory, over HTTP. Whoever runs the server on this machine needs no"
            " key while there is none.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


def answer_of(route: Route) -> type[Value]:
    """What a route's op answers."""
    base: Any = next(one for one in route.op.__orig_bases__ if get_args(one))  # type: ignore[attr-defined]
    found: type[Value] = get_args(base)[0]
    return found


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    model = taken(route.op, frozenset(_given(route)))
    schema = model.model_json_schema(ref_template=PREFIX + "{model}")
    schemas.update(schema.pop("$defs", {}))
    made: dict[str, Any] = {
        "operationId": route.op.__name__,
        "summary": " ".join((route.op.__doc__ or "").split()),
        "description": f"Needs the role {route.role}.",
        "parameters": [_in_path(name) for name in route.braces],
        "responses": _responses(route, told(answer_of(route), schemas)),
    }
    if route.method in {"GET", "DELETE"}:
        made["parameters"] += _in_query(schema)
    else:
        name = f"{route.op.__name__}Request"
        schemas[name] = schema
        made["requestBody"] = {
            "required": bool(schema.get("required")),
            "content": {_JSON: {"schema": {"$ref": f"{PREFIX}{name}"}}},
        }
    made["parameters"] += _in_head(route)
    return made


def _given(route: Route) -> set[str]:
    told = {name for name, _ in route.fixed}
    return told | ({route.field} if route.several else set(route.braces))


def _in_path(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _in_query(schema: dict[str, Any]) -> list[dict[str, Any]]:
    needed = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": _bare(one)}
        for name, one in schema["properties"].items()
    ]


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what may stand in an address, where nothing can be null."""
    some = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return some[0] if len(some) == 1 else schema


def _in_head(route: Route) -> list[dict[str, Any]]:
    if route.reads:
        return [_header("If-None-Match", "Answer nothing where it is what I have.")]
    found = [
        _header(
            HEADER.title(),
            "Do it once, however often it is sent with the same key.",
            minLength=1,
            maxLength=LONGEST,
            pattern="^[!-~]+$",
        )
    ]
    if route.method == "PATCH":
        found.append(
            _header(
                "If-Match",
                "Only if this is still its version: a number in quotes, or the ETag of its read.",
            )
        )
    return found


def _header(name: str, about: str, **more: object) -> dict[str, Any]:
    schema = {"type": "string", **more}
    return {"name": name, "in": "header", "description": about, "schema": schema}


def _responses(route: Route, schema: dict[str, Any]) -> dict[str, Any]:
    done: dict[str, Any] = {
        "description": "Done.",
        "content": {_JSON: {"schema": schema}},
    }
    if route.reads:
        about = "What it was, for If-None-Match."
        done["headers"] = {
            "ETag": {"description": about, "schema": {"type": "string"}},
            "Link": {"description": "The next page.", "schema": {"type": "string"}},
        }
    found = {str(route.status): done}
    if route.reads:
        found["304"] = {"description": "It is what the caller has."}
    for status in (*_FAILURES, *(() if route.reads else _WRITING)):
        found[str(status)] = _failure(status)
    return found


def _failure(status: int) -> dict[str, Any]:
    schema = {"$ref": f"{PREFIX}Problem"}
    title = {408: "Too slow", 413: "Too large"}.get(status) or TITLES[status]
    return {"description": title, "content": {KIND: {"schema": schema}}}


def _itself(name: str, about: str, schema: str) -> dict[str, Any]:
    content = {_JSON: {"schema": {"$ref": f"{PREFIX}{schema}"}}}
    return {
        "operationId": name,
        "summary": about,
        "responses": {
            "200": {"description": "Done.", "content": content},
            "401": _failure(401),
            "503": _failure(503),
        },
    }
