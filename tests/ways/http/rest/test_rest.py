"""The REST API as a script meets it: one route for each op, on both stores."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest

from recollect.decisions import Decide
from recollect.engine import HANDLERS
from recollect.errors import RecollectError
from recollect.model import Author, AuthorKind, Role, Where
from recollect.ops import CreateKey, List, ListKeys
from recollect.ways.http.rest.failing import STATUS
from recollect.ways.http.rest.openapi import answer_of, openapi
from recollect.ways.http.rest.table import AT_HOME, ROOT, TABLE, routes
from recollect.ways.limits import CALLS, Limits
from tests.engine.build import remember

FACT = "The kettle stands in the kitchen."


def asked(method, path, /, body=None, **headers):
    async def ask(client):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await client.request(method, ROOT + path, json=body, headers=named)

    return ask


@pytest.fixture
def key(engine):
    def make(role=Role.AGENT, **more):
        return engine.run(CreateKey("a key", role, **more)).secret

    return make


def test_every_op_has_a_route_or_is_for_whoever_has_the_file():
    placed = [route.op for route in routes()]
    assert len(placed) == len(set(placed))
    assert {op.__name__ for op in {*placed} | AT_HOME} == set(HANDLERS)
    assert len({(route.method, route.path) for route in routes()}) == len(placed)


def test_a_text_is_kept_and_found(visit):
    async def talk(client):
        kept = await client.post(f"{ROOT}/memories", json={"text": FACT, "metadata": {"a": 1}})
        found = await client.post(f"{ROOT}/recall", json={"query": "kettle", "explain": True})
        return kept, found

    kept, found = visit(talk)
    assert (kept.status_code, kept.json()["created"]) == (201, True)
    assert kept.json()["record"]["metadata"] == {"a": 1}
    assert kept.json()["record"]["author"]["kind"] == "agent"
    assert found.json()["hits"][0]["record"]["text"] == FACT
    assert found.json()["hits"][0]["why"]["terms"]


def test_many_texts_are_kept_at_once(visit, engine):
    items = [{"text": f"Fact {n}.", "confidence": 0.5} for n in range(3)]
    answer = visit(asked("POST", "/memories/several", {"items": items}))
    assert (answer.status_code, answer.json()["created"]) == (201, 3)
    assert [one.confidence for one in engine.run(List()).records] == [0.5] * 3


def test_a_record_is_read_corrected_and_deleted(visit, engine):
    id_ = remember(engine, FACT).id

    async def talk(client):
        path = f"{ROOT}/records/{id_}"
        return [
            await client.get(path),
            await client.patch(path, json={"title": "Where it stands"}),
            await client.get(f"{path}/history"),
            await client.post(f"{path}/invalidate", json={"reason": "moved"}),
            await client.delete(path),
            await client.get(path),
        ]

    read, corrected, history, ended, gone, missing = visit(talk)
    assert read.json()["records"][0]["text"] == FACT
    assert corrected.json()["record"]["title"] == "Where it stands"
    assert len(history.json()["versions"]) == 2
    assert ended.json()["record"]["valid_until"] is not None
    assert gone.json()["ids"] == [id_]
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


def test_what_changed_meanwhile_is_not_overwritten(visit, engine):
    id_ = remember(engine, FACT).id

    async def talk(client):
        path = f"{ROOT}/records/{id_}"
        first = await client.patch(path, json={"title": "A"}, headers={"if-match": '"1"'})
        second = await client.patch(path, json={"title": "B"}, headers={"if-match": '"1"'})
        third = await client.patch(
            path, json={"title": "B"}, headers={"if-match": first.headers["etag"]}
        )
        return first, second, third

    first, second, third = visit(talk)
    assert [one.status_code for one in (first, second, third)] == [200, 412, 200]
    assert third.headers["etag"] == '"3"'


def test_the_tag_of_what_was_read_is_the_condition_of_its_correction(visit, engine):
    record = remember(engine, FACT).id
    decision = engine.run(
        Decide("The kettle stays in the kitchen.", author=Author(AuthorKind.AGENT))
    ).decision.record.id
    for path, first, second in (
        (f"/records/{record}", {"title": "A"}, {"title": "B"}),
        (f"/decisions/{decision}", {"notes": "A"}, {"notes": "B"}),
    ):
        tag = visit(asked("GET", path)).headers["etag"]
        assert visit(asked("GET", path, if_none_match=tag)).status_code == 304
        done = visit(asked("PATCH", path, first, if_match=tag))
        assert (done.status_code, done.headers["etag"]) == (200, '"2"')
        late = visit(asked("PATCH", path, second, if_match=tag))
        assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
        assert visit(asked("PATCH", path, second, if_match='W/"2"')).status_code == 200


def test_only_a_correction_has_a_condition(visit, engine):
    id_ = remember(engine, FACT).id
    refused = visit(asked("DELETE", f"/records/{id_}", if_match='"7"'))
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert engine.run(List()).total == 1


@pytest.mark.parametrize("said", ["garbage", 'W/"585fef9d98cf9fc3fcfe59dc"', '"1", "2"', ""])
def test_a_condition_that_says_no_version_does_not_hold(visit, engine, said):
    id_ = remember(engine, FACT).id
    answer = visit(asked("PATCH", f"/records/{id_}", {"title": "A"}, if_match=said))
    assert (answer.status_code, answer.json()["code"]) == (412, "changed_meanwhile")
    assert engine.run(List()).records[0].version == 1
    whatever = visit(asked("PATCH", f"/records/{id_}", {"title": "A"}, if_match="*"))
    assert whatever.status_code == 200


def test_one_of_several_that_a_client_has_is_not_sent_again(visit, engine):
    remember(engine, FACT)
    tag = visit(asked("GET", "/records")).headers["etag"]
    for listed in (f'"x", {tag}', tag.removeprefix("W/"), "*"):
        assert visit(asked("GET", "/records", if_none_match=listed)).status_code == 304
    assert visit(asked("GET", "/records", if_none_match='"x", "y"')).status_code == 200


def test_a_head_is_as_long_as_what_it_stands_for(visit, engine):
    remember(engine, FACT)
    whole, head = (visit(asked(method, "/records")) for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-length", "etag"):
        assert head.headers[name] == whole.headers[name]


def test_what_a_client_has_already_is_not_sent_again(visit, engine):
    remember(engine, FACT)

    async def talk(client):
        first = await client.get(f"{ROOT}/records")
        same = {"if-none-match": first.headers["etag"]}
        again = await client.get(f"{ROOT}/records", headers=same)
        await client.post(f"{ROOT}/memories", json={"text": "Another."})
        return again, await client.get(f"{ROOT}/records", headers=same)

    again, changed = visit(talk)
    assert (again.status_code, again.content) == (304, b"")
    assert (changed.status_code, changed.json()["total"]) == (200, 2)


def test_pages_lead_to_the_next_one(visit, engine):
    for n in range(5):
        remember(engine, f"Fact {n}.")

    async def talk(client):
        seen, path = [], f"{ROOT}/records?limit=2&kinds=memory"
        while path:
            answer = await client.get(path)
            seen += [one["text"] for one in answer.json()["records"]]
            path = answer.links.get("next", {}).get("url")
        return seen

    assert sorted(visit(talk)) == [f"Fact {n}." for n in range(5)]


def test_a_write_that_is_sent_twice_with_one_key_is_done_once(visit, engine):
    body = {"text": FACT, "once": False}

    async def talk(client):
        def send(said, key):
            return client.post(f"{ROOT}/memories", json=said, headers={"idempotency-key": key})

        return [
            await send(body, "k1"),
            await send(body, "k1"),
            await send({"text": "x"}, "k1"),
            await send(body, "k2"),
            await send(body, "x" * 201),
        ]

    first, again, other, fresh, long = visit(talk)
    assert first.json() == again.json()
    assert [one.status_code for one in (first, again, other, fresh, long)] == [
        *(201, 201, 422, 201, 400)
    ]
    assert engine.run(List()).total == 2


def sent(path, said, *keys, method="POST"):
    """Sends a write with keys, and answers what came back."""

    async def talk(client):
        headers = [("idempotency-key", one) for one in keys]
        return await client.request(method, f"{ROOT}{path}", json=said, headers=headers)

    return talk


def test_a_key_holds_for_a_server_that_is_started_anew(visit, engine):
    body = {"text": FACT, "once": False}
    answers = [visit(sent("/memories", body, "k")) for _ in range(3)]
    assert {(one.status_code, one.text, one.headers["etag"]) for one in answers} == {
        (201, answers[0].text, '"1"')
    }
    assert visit(sent("/memories", {"text": "Another."}, "k")).json()["code"] == "key_used"
    assert engine.run(List()).total == 1


def test_of_several_writes_at_once_with_one_key_one_is_done(visit, engine):
    async def talk(client):
        send = sent("/memories", {"text": FACT, "once": False}, "k")
        return await asyncio.gather(*(send(client) for _ in range(8)))

    answers = visit(talk)
    assert {(one.status_code, one.text) for one in answers} == {(201, answers[0].text)}
    assert engine.run(List()).total == 1


@pytest.mark.parametrize("keys", [("",), ("x" * 201,), ("a", "b")])
def test_what_is_no_key_is_refused_and_does_nothing(visit, engine, keys):
    answer = visit(sent("/memories", {"text": FACT}, *keys))
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert engine.run(List()).total == 0


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_taken_and_changes_something(visit, engine, kind):
    async def talk(client):
        said = {"content-type": kind}
        whole = json.dumps({"text": FACT})
        return [
            await client.post(f"{ROOT}/memories", content=whole, headers=said),
            await client.post(f"{ROOT}/skills", headers=said),
        ]

    refused, empty = visit(talk)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")
    assert empty.status_code == 200
    assert engine.run(List()).total == 0


def test_reads_take_no_notice_of_a_key(visit, engine):
    remember(engine, FACT)
    first = visit(sent("/recall", {"query": "Ada"}, "k"))
    assert visit(sent("/recall", {"query": "anybody else"}, "k")).status_code == 200
    assert first.status_code == 200
    assert visit(sent("/memories", {"text": "New."}, "k")).status_code == 201


def test_a_secret_is_not_kept_to_be_answered_again(visit, engine):
    known = {"name": "editor"}

    secret = engine.run(CreateKey("admin", role=Role.ADMIN)).secret

    async def twice(client):
        said = {"authorization": f"Bearer {secret}", "idempotency-key": "k"}
        return [await client.post(f"{ROOT}/keys", json=known, headers=said) for _ in range(2)]

    first, again = visit(twice)
    assert first.status_code == 201
    assert (again.status_code, again.json()["code"]) == (409, "done_before")
    assert len(engine.run(ListKeys()).keys) == 2


def test_forgetting_takes_what_was_answered_along(visit, engine):
    body = {"text": FACT}
    id_ = visit(sent("/memories", body, "k")).json()["record"]["id"]
    gone = [visit(sent(f"/records/{id_}", None, "f", method="DELETE")) for _ in range(2)]
    assert [one.status_code for one in gone] == [200, 200]
    again = visit(sent("/memories", body, "k"))
    assert (again.status_code, again.json()["code"]) == (409, "done_before")
    assert FACT not in again.text
    assert engine.run(List()).total == 0


def test_keys_of_writes_are_each_clients_own(visit, engine, key):
    one, other = key(), key()

    async def talk(client):
        return [
            await client.post(
                f"{ROOT}/memories",
                json={"text": f"Of {n}."},
                headers={"idempotency-key": "same", "authorization": f"Bearer {secret}"},
            )
            for n, secret in enumerate((one, other))
        ]

    assert [answer.status_code for answer in visit(talk)] == [201, 201]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "text"),
        ({"text": 7}, "text"),
        ({"text": ""}, "text"),
        ({"text": "x", "texts": "y"}, "texts"),
        ({"text": "x", "author": {"kind": "human"}}, "author"),
        ({"text": "x", "tenant": "other"}, "tenant"),
        ({"text": "x", "confidence": 7}, "confidence"),
        ({"text": "x", "event_time": "2026-01-01T00:00:00"}, "time zone"),
        ([], "object"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(visit, engine, body, says):
    answer = visit(asked("POST", "/memories", body))
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["status"], told["code"]) == (400, "invalid_request")
    assert says in told["detail"]
    assert engine.run(List()).total == 0


def deep(levels):
    """An object in an object, and so on."""
    return {"a": deep(levels - 1)} if levels else {}


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        ({"text": "x", "txt": "y"}, "txt", "txt is not known here; leave it out"),
        ({"text": "x", "event_time": "soon"}, "event_time", "must be a time, as 2026-"),
        ({"text": "x", "supersedes": "y"}, "supersedes", "must be an array, not a string."),
        ({"text": "x", "once": "maybe"}, "once", "must be true or false, not a string."),
        ({"text": "\ud800"}, "text", "text holds half a surrogate pair, which is no text."),
        ({"text": "x", "metadata": {"a": ["\udfff"]}}, "metadata.a.0", "half a surrogate"),
        ({"text": "x", "metadata": {"\udfff": 1}}, "metadata", "half a surrogate"),
        ({"\udfff": "x"}, "A field's name", "half a surrogate"),
        ({"text": "x", "metadata": deep(300)}, None, "nested too deeply"),
    ],
)
def test_what_is_wrong_with_a_body_is_said_in_our_own_words(visit, body, field, says):
    async def ask(client):
        # Half a pair has no UTF-8, and an escape in JSON.
        headers = {"content-type": "application/json"}
        return await client.post(f"{ROOT}/memories", content=json.dumps(body), headers=headers)

    told = visit(ask).json()
    assert (told["status"], told.get("field")) == (400, field)
    assert says in told["detail"]


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("limit=x", "limit", "limit must be a whole number."),
        ("limit=1.5", "limit", "limit must be a whole number."),
        (f"limit={'9' * 5000}", "limit", "limit is a larger number"),
        ("bogus=1", "bogus", "bogus is not known here; leave it out"),
        ("current=maybe", "current", "current must be true or false."),
        ("at=soon", "at", "at must be a time, as 2026-"),
        ("kinds=bogus", "kinds.0", "must be one of 'memory', 'decision'"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_in_our_own_words(visit, query, field, says):
    told = visit(asked("GET", f"/records?{query}")).json()
    assert (told["status"], told["field"]) == (400, field)
    assert says in told["detail"]
    assert "input" not in told["detail"].lower()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/records/", 404),
        ("/records/a/b", 404),
        ("/records/%2e%2e/history", 404),
        ("/records?limit=x", 400),
        ("/records?limit=1&limit=2", 400),
        ("/records?unknown=1", 400),
        ("/records?limit=%ff", 400),
        ("/records?limit=0", 400),
        ("/records?limit=99999999999999999999", 400),
    ],
)
def test_a_wrong_address_is_a_clear_failure(visit, path, status):
    assert visit(asked("GET", path)).status_code == status


def test_a_path_says_which_methods_it_takes(visit):
    answer = visit(asked("PUT", "/records/x"))
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, PATCH")


@pytest.mark.parametrize("route", routes(), ids=lambda one: one.op.__name__)
def test_every_route_needs_its_role(visit, key, route):
    roles = list(Role)
    path = route.path.replace("{", "").replace("}", "")
    for role in roles:
        body: object = None if route.method in {"GET", "DELETE"} else {}
        answer = visit(asked(route.method, path, body, authorization=f"Bearer {key(role)}"))
        allowed = roles.index(role) >= roles.index(route.role)
        assert (answer.status_code != 403) is allowed, (role, answer.text)
        assert answer.status_code < 500
    assert visit(asked(route.method, path)).status_code == 401


def test_nothing_is_deleted_that_was_not_confirmed(visit, engine, key):
    remember(engine, FACT)
    admin = f"Bearer {key(Role.ADMIN)}"
    assert visit(asked("DELETE", "/everything", authorization=admin)).json() == {"counts": None}
    assert engine.run(List()).total == 1
    visit(asked("DELETE", "/everything?confirmed=true", authorization=admin))
    assert engine.run(List()).total == 0


def test_keys_of_other_tenants_are_none_of_an_admins(visit, engine, key):
    admin = f"Bearer {key(Role.ADMIN)}"
    foreign = engine.run(CreateKey("theirs", tenant="other")).key
    for method, path in (("DELETE", ""), ("POST", "/rotate")):
        body: object = {} if method == "POST" else None
        answer = visit(asked(method, f"/keys/{foreign.id}{path}", body, authorization=admin))
        assert answer.status_code == 404
    made = visit(asked("POST", "/keys", {"name": "new"}, authorization=admin)).json()
    assert made["key"]["tenant"] == "local"
    assert "digest" not in made["key"]
    listed = visit(asked("GET", "/keys", authorization=admin)).json()["keys"]
    assert {one["tenant"] for one in listed} == {"local"}


def test_who_calls_is_told(visit, key):
    said = visit(asked("GET", "/whoami", authorization=f"Bearer {key(tenant='team')}")).json()
    assert said == {"name": "a key", "tenant": "team", "user": "", "role": "agent"}


def test_limits_hold_here_too_where_they_are_set(visit):
    async def talk(client):
        return [
            await client.post(f"{ROOT}/memories", json={"text": f"Fact {n}."}) for n in range(3)
        ]

    *_, last = visit(talk, limits=Limits({CALLS: 2}))
    assert (last.status_code, last.json()["code"]) == (429, "too_often")
    assert int(last.headers["retry-after"]) > 0


def test_the_description_is_served_and_has_every_route(visit):
    served = visit(asked("GET", "/openapi.json")).json()
    assert served == json.loads(json.dumps(openapi()))
    told = {(method.upper(), path) for path, of in served["paths"].items() for method in of}
    assert {(one.method, ROOT + one.path) for one in TABLE} <= told


def test_every_failure_has_a_status():
    def kinds(kind):
        yield kind
        for one in kind.__subclasses__():
            yield from kinds(one)

    for kind in kinds(RecollectError):
        if kind is not RecollectError:
            assert any(one in STATUS for one in kind.__mro__), kind


def test_memories_of_another_tenant_are_not_there(visit, engine, key):
    theirs = remember(engine, FACT)
    team = f"Bearer {key(Role.ADMIN, tenant='team')}"
    for route in routes():
        if "{id}" not in route.path or not route.reads:
            continue
        path = route.path.replace("{id}", theirs.id)
        answer = visit(asked(route.method, path, authorization=team))
        assert FACT not in answer.text, route.path
    assert visit(asked("GET", "/records", authorization=team)).json()["total"] == 0
    found = visit(asked("POST", "/recall", {"query": "kettle"}, authorization=team))
    assert found.json()["hits"] == []
    for method, path, body in (
        ("DELETE", "", None),
        ("PATCH", "", {"text": "x"}),
        ("POST", "/invalidate", {}),
    ):
        answer = visit(asked(method, f"/records/{theirs.id}{path}", body, authorization=team))
        assert answer.status_code == 404
    assert [one.text for one in engine.run(List(Where())).records] == [FACT]


def test_every_op_and_every_answer_has_a_name_of_its_own():
    # Both name schemas of the description, where one would hide the other.
    ops, answers = {route.op for route in routes()}, {answer_of(route) for route in routes()}
    names = [one.__name__ for one in (*ops, *answers)]
    assert [name for name, times in Counter(names).items() if times > 1] == []
