"""One request of the REST API: found in the table, read, carried out, answered."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode

from anyio import to_thread
from pydantic import ValidationError

from recollect.contracts.problem import problem
from recollect.errors import Conflict, InvalidRequest, NotAllowed, NotFound, RecollectError
from recollect.ops import Got, ListKeys, RevokeKey, RotateKey
from recollect.ways.call import contained
from recollect.ways.cli.document import document
from recollect.ways.http.asgi import JSON, Answer, header, headers
from recollect.ways.http.rest.failing import failing, wrong
from recollect.ways.http.rest.once import again, kept, marked
from recollect.ways.http.rest.openapi import openapi
from recollect.ways.http.rest.shape import Shape, built, taken
from recollect.ways.http.rest.table import ROOT, Route, routes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recollect.contracts.contract import Caller
    from recollect.engine import Engine
    from recollect.engine.once import Mark
    from recollect.ops import Op
    from recollect.value import Value
    from recollect.ways.http.asgi import Receive, Scope, Send
    from recollect.ways.limits import Limits
    from recollect.ways.mcp.server import Note
    from recollect.ways.turns import Turns

BAD = 400
# A version, or the tag of a read, which has the version before what else there was.
_half = re.compile("[\ud800-\udfff]").search
_VERSIONED = re.compile(r'(?:W/)?"?(\d{1,15})(?:-[0-9a-f]+)?"?', re.ASCII)
OPENAPI = f"{ROOT}/openapi.json"
WHOAMI = f"{ROOT}/whoami"


class Desk:
    """Answers every request below the root of the API."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what is served, to whom, how often, who is told
        self,
        engine: Engine,
        caller: Callable[[Scope], Caller],
        client: Callable[[Scope], str],
        limits: Limits | None,
        note: Note,
        turns: Turns,
    ) -> None:
        self._engine = engine
        self._note = note
        self._caller = caller
        self._client = client
        self._limits = limits
        self._turns = turns

    async def serve(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer one request, whose body was read."""
        del receive
        answer = await self._answer(scope, body)
        await answer.send(send, bare=scope["method"] == "HEAD")

    async def _answer(self, scope: Scope, body: bytes) -> Answer:
        path = scope["raw_path"].decode("latin-1").removeprefix(ROOT)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        found = [(route, said) for route in routes() if (said := _said(route, path)) is not None]
        if f"{ROOT}{path}" in {OPENAPI, WHOAMI}:
            return await self._of_itself(scope, path, method)
        if not found:
            return wrong(404, "no_such_path", f"There is nothing here; {OPENAPI} has every path.")
        for route, said in found:
            if route.method == method:
                return await self._routed(scope, route, said, body)
        allowed = ", ".join(sorted({route.method for route, _ in found}))
        detail = f"This path takes {allowed}."
        return wrong(405, "no_such_method", detail, ("allow", allowed))

    async def _of_itself(self, scope: Scope, path: str, method: str) -> Answer:
        if method != "GET":
            return wrong(405, "no_such_method", "This path takes GET.", ("allow", "GET"))
        if f"{ROOT}{path}" == OPENAPI:
            return _shown(200, await to_thread.run_sync(openapi))
        caller = self._caller(scope)
        said = {"tenant": caller.tenant, "user": caller.user, "role": caller.role.value}
        return _shown(200, {"name": caller.author.name, **said})

    async def _routed(
        self, scope: Scope, route: Route, said: dict[str, str], body: bytes
    ) -> Answer:
        began = perf_counter()
        answer = await self._carried_out(scope, route, said, body)
        error = "" if answer.status < BAD else str(answer.status)
        facts = {"method": "rest", "tool": route.op.__name__, "error": error, "version": "v1"}
        self._note(facts, None, perf_counter() - began)
        return answer

    async def _carried_out(
        self, scope: Scope, route: Route, said: dict[str, str], body: bytes
    ) -> Answer:
        caller = self._caller(scope)
        try:
            _check(route, caller)
            refused = _unreadable(scope, route) or _no_json(scope, route, body)
            if refused is not None:
                return refused
            if self._limits is not None:
                self._limits.take(self._client(scope), "rest", "" if route.reads else route.path)
            mark = marked(scope, route, caller, body)
            op = _op(scope, route, said, body, caller)
            self._engine.start()
            return await self._turns.run(lambda: self._run(scope, route, op, caller, mark))
        except Conflict as error:
            if _expected(scope) is not None and "version" in str(error):
                return wrong(412, "changed_meanwhile", str(error))
            return failing(error)
        except RecollectError as error:
            return failing(error)

    def _run(
        self, scope: Scope, route: Route, op: Op[Any], caller: Caller, mark: Mark | None
    ) -> Answer:
        with contained(f"{route.method} {route.path}"):
            if isinstance(op, RevokeKey | RotateKey):
                # Keys of other tenants are none of this caller's.
                known = self._engine.run(ListKeys(caller.tenant)).keys
                if op.id not in {key.id for key in known}:
                    raise NotFound("There is no such key.", id=op.id)
            if mark is None:
                return _rendered(scope, route, op, self._engine.run(op))
            came = self._engine.once(
                op, mark, lambda answer: kept(op, _rendered(scope, route, op, answer))
            )
            return again(came) if isinstance(came, str) else _rendered(scope, route, op, came)


def _said(route: Route, path: str) -> dict[str, str] | None:
    """What a path says in the places of the braces; None where it is no path of the route."""
    wanted, given = route.path.split("/"), path.split("/")
    if len(wanted) != len(given):
        return None
    said = {}
    for want, give in zip(wanted, given, strict=True):
        if want.startswith("{") and give:
            said[want[1:-1]] = unquote(give)
        elif want != give:
            return None
    return said


def _check(route: Route, caller: Caller) -> None:
    if not caller.role.includes(route.role):
        raise NotAllowed(
            f"This needs the role {route.role}, and this caller has {caller.role}. Use a key that"
            f" was made with `recollect keys create NAME --role {route.role}`.",
            needed=route.role.value,
            role=caller.role.value,
        )


def _op(scope: Scope, route: Route, said: dict[str, str], body: bytes, caller: Caller) -> Op[Any]:
    given: dict[str, object] = dict(route.fixed)
    for name, value in said.items():
        given[route.field if route.several else name] = (value,) if route.several else value
    expected = _expected(scope)
    if expected is not None and route.method == "PATCH":
        given["expected_version"] = expected
    model = taken(route.op, frozenset(given))
    try:
        if route.method in {"GET", "DELETE"}:
            params = _from_query(model, scope)
        else:
            params = _from_body(model, body)
    except ValidationError as error:
        raise problem(error) from None
    return built(route.op, params, caller, given)


def _from_query(model: type[Shape], scope: Scope) -> Shape:
    try:
        text = scope["query_string"].decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError:
        raise InvalidRequest("The query of the address cannot be read.") from None
    found: dict[str, Any] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    for name, values in found.items():
        field = model.model_fields.get(name)
        several = field is not None and "tuple" in str(field.annotation)
        if not several and len(values) > 1:
            raise InvalidRequest(f"{name} is given twice; give it once.", field=name)
        found[name] = tuple(values) if several else values[0]
    return model.model_validate(found)


def _from_body(model: type[Shape], body: bytes) -> Shape:
    try:
        document = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise InvalidRequest("The body is not JSON in UTF-8.") from None
    if not isinstance(document, dict):
        raise InvalidRequest("The body is a JSON object.")
    for path, text in _texts(document):
        if _half(text):
            said = "holds half a surrogate pair, which is no text"
            raise InvalidRequest(f"{path} {said}.", field=path, problem=said)
    # Read again from its text, where a time is a string and a list may be a tuple.
    try:
        return model.model_validate_json(body or b"{}", strict=True)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":
            raise InvalidRequest(
                "The body is JSON that cannot be read: it is nested too deeply. Send it flatter."
            ) from None
        raise


def _texts(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each text in a document, and each name, with the name of the field that it is in."""
    left: list[tuple[str, Any]] = list(document.items())
    yield from (("A field's name", name) for name in document)
    while left:
        path, value = left.pop(0)
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, list):
            left += [(f"{path}.{place}", one) for place, one in enumerate(value)]
        elif isinstance(value, dict):
            yield from ((path, name) for name in value)
            left += [(f"{path}.{name}", one) for name, one in value.items()]


def _expected(scope: Scope) -> int | None:
    """The version that the caller has read, as `If-Match` says it."""
    found = _VERSIONED.fullmatch((header(scope, b"if-match") or "").strip())
    return int(found[1]) if found else None


def _unreadable(scope: Scope, route: Route) -> Answer | None:
    """What is answered where a condition is none of ours, so that it cannot be said to hold."""
    said = header(scope, b"if-match")
    if route.reads or said is None or said.strip() == "*":
        return None
    if route.method != "PATCH":
        detail = "Only a correction (PATCH) has a condition. Nothing was done; send no If-Match."
        return wrong(400, "invalid_request", detail)
    if _expected(scope) is not None:
        return None
    detail = (
        'If-Match says the version of the record that was read, as `If-Match: "3"`, or is the ETag'
        " of that. Nothing was changed; read the record again and send its version."
    )
    return wrong(412, "changed_meanwhile", detail)


def _no_json(scope: Scope, route: Route, body: bytes) -> Answer | None:
    """What is answered where a body that is read does not say that it is JSON."""
    kind = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if not body or route.method in {"GET", "DELETE"} or kind == JSON:
        return None
    detail = "Send JSON, and say so: `Content-Type: application/json`."
    return wrong(415, "unsupported_media_type", detail)


def _known(scope: Scope, tag: str) -> bool:
    """Whether the caller has this already, as one of those that `If-None-Match` lists."""
    listed = ",".join(headers(scope, b"if-none-match")).split(",")
    return not {"*", tag, tag.removeprefix("W/")}.isdisjoint(one.strip() for one in listed)


def _rendered(scope: Scope, route: Route, op: Op[Any], answer: Value) -> Answer:
    shown = _shown(route.status, document(answer))
    version = _version(answer)
    if not route.reads:
        tags = () if version is None else (("etag", f'"{version}"'),)
        return Answer(shown.status, shown.body, shown.type, (*shown.headers, *tags))
    tag = _tag(shown, version)
    said = (("etag", tag), *_next(scope, op, answer))
    if _known(scope, tag):
        return Answer(304, headers=said)
    return Answer(shown.status, shown.body, shown.type, (*shown.headers, *said))


def _version(answer: Any) -> int | None:  # noqa: ANN401 -- any answer
    """The version of the one record that an answer is about."""
    record = getattr(answer, "record", None)
    if hasattr(answer, "whole"):
        record = answer.whole.decision.record
    elif isinstance(answer, Got) and len(answer.records) == 1:
        (record,) = answer.records
    return getattr(record, "version", None)


def _tag(shown: Answer, version: int | None) -> str:
    """What tells an answer from others. Of one record it begins with what `If-Match` wants."""
    digest = blake2b(shown.body, digest_size=12).hexdigest()
    return f'W/"{digest}"' if version is None else f'"{version}-{digest}"'


def _next(scope: Scope, op: Any, answer: Any) -> list[tuple[str, str]]:  # noqa: ANN401 -- any op
    """Where the next page is, if there is one."""
    offset, limit = getattr(op, "offset", None), getattr(op, "limit", None)
    total = getattr(answer, "total", None)
    if offset is None or limit is None or total is None or offset + limit >= total:
        return []
    said = parse_qsl(scope["query_string"].decode("ascii"))
    kept = [(name, value) for name, value in said if name not in {"offset", "limit"}]
    query = urlencode([*kept, ("limit", limit), ("offset", offset + limit)])
    return [("link", f'<{scope["raw_path"].decode("latin-1")}?{query}>; rel="next"')]


def _shown(status: int, found: dict[str, object]) -> Answer:
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return Answer(status, text.encode("utf-8", "backslashreplace"))
