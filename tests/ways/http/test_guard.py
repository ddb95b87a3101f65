"""What is turned away before anything is done about it."""

from __future__ import annotations

import asyncio

import pytest

from recollect.store.memory import MemoryStore
from recollect.ways.http.address import Address
from recollect.ways.http.guard import LARGEST_BODY, Guard
from tests.engine.build import opened
from tests.ways.http.conftest import JSON, request

PATHS = ["/", "/mcp", "/mcp/memento", "/healthz", "/readyz", "/nothing"]
EVERYWHERE = Address("0.0.0.0", 8377)


@pytest.fixture
def engine():
    """What never reaches an engine is the same on every store."""
    with opened(MemoryStore()) as made:
        yield made


def status(visit, headers, path="/healthz", **how):
    return visit(lambda client: client.get(path, headers=headers), **how).status_code


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "a b", ""],
)
def test_a_foreign_name_leads_nowhere(visit, path, host):
    assert status(visit, {"host": host}, path) == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8377", "[::1]:8377"])
def test_the_servers_own_names_lead_to_it(visit, host):
    assert status(visit, {"host": host}) == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://localhost.evil.example",
        "null",
        "",
        "file://",
        "chrome-extension://localhost",
        "http://user@localhost",
    ],
)
def test_a_foreign_page_may_do_nothing(visit, path, origin):
    assert status(visit, {"origin": origin}, path) == 403


@pytest.mark.parametrize("origin", ["http://localhost:8377", "http://127.0.0.1", "https://[::1]:1"])
def test_the_servers_own_pages_may_call_it(visit, origin):
    assert status(visit, {"origin": origin}) == 200


def test_two_names_or_two_origins_are_no_name_and_no_origin(visit):
    hosts = [("host", "localhost"), ("host", "localhost")]
    origins = [("origin", "http://localhost"), ("origin", "http://evil.example")]
    assert status(visit, hosts) == 421
    assert status(visit, origins) == 403


def test_whoever_serves_others_goes_by_numbers_and_by_what_was_configured(visit):
    for host, expected in (
        ("192.168.1.7:8377", 200),
        ("memory.example", 200),
        ("evil.example", 421),
    ):
        assert status(visit, {"host": host}, at=EVERYWHERE, names=("memory.example",)) == expected


def test_a_body_has_a_bound_whether_its_length_is_said_or_not(visit):
    async def parts():
        for _ in range(5):
            yield b" " * (1024 * 1024)

    async def sent(client):
        told = await client.post("/mcp", content=b" " * (LARGEST_BODY + 1), headers=JSON)
        untold = await client.post("/mcp", content=parts(), headers=JSON)
        fits = await client.post("/mcp", content=b" " * LARGEST_BODY, headers=JSON)
        return told.status_code, untold.status_code, fits.status_code

    assert visit(sent) == (413, 413, 400)


@pytest.mark.parametrize("told", [True, False])
def test_what_is_too_large_is_taken_in_to_its_end_before_that_is_said(told):
    parts = [b" " * (LARGEST_BODY + 1), b" " * 9, b""]
    happened = []

    async def receive():
        happened.append("read")
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        happened.append(message.get("status", "sent"))

    async def never(*_):
        happened.append("handed on")

    heads = [(b"host", b"localhost"), *[(b"content-length", b"4194314")] * told]
    heads += [(b"transfer-encoding", b"chunked")] * (not told)
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": heads}
    asyncio.run(Guard(never, Address())(scope, receive, send))
    assert happened == ["read", "read", "read", 413, "sent"]


def test_who_asks_first_whether_to_send_so_much_need_not(visit):
    async def sent(client):
        asking = {**JSON, "expect": "100-continue", "content-length": str(LARGEST_BODY + 1)}
        return await client.post("/mcp", content=b"", headers=asking)

    assert visit(sent).status_code == 413


def test_a_body_has_one_length_and_comes_as_it_is(visit):
    async def talk(client):
        both = {**JSON, "content-length": "2", "transfer-encoding": "chunked"}
        packed = {**JSON, "content-encoding": "gzip"}
        plain = {**JSON, "content-encoding": "identity"}
        return [
            await client.post("/mcp", content=b'{"a": 1}', headers=headers)
            for headers in (both, packed, plain)
        ]

    both, packed, plain = visit(talk)
    assert (both.status_code, both.headers["connection"]) == (400, "close")
    assert packed.status_code == 415
    assert "compressed" in packed.json()["detail"]
    assert plain.json()["error"]["code"] == -32600


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_what_is_only_looked_at_takes_nothing(visit, path, method):
    async def talk(client):
        return [await client.request(one, path) for one in (method, "HEAD", "GET")]

    refused, *looked = visit(talk)
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert [one.status_code for one in looked] == [200, 200]


def test_a_body_that_does_not_come_is_not_waited_for():
    heard = []

    async def never():
        await asyncio.Event().wait()

    async def app(scope, receive, send):
        raise AssertionError("this is never reached")

    async def send(message):
        heard.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "headers": [(b"host", b"localhost"), (b"content-length", b"10")],
    }
    asyncio.run(Guard(app, Address(), patience=0)(scope, never, send))
    assert heard[0]["status"] == 408
    assert (b"connection", b"close") in heard[0]["headers"]


def test_a_client_that_left_is_not_answered():
    async def left():
        return {"type": "http.disconnect"}

    async def app(scope, receive, send):
        raise AssertionError("this is never reached")

    async def send(message):
        raise AssertionError("nobody is there to hear it")

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(b"host", b"localhost"), (b"content-length", b"10")],
    }
    asyncio.run(Guard(app, Address())(scope, left, send))


@pytest.mark.parametrize("begun", [False, True])
def test_what_a_server_that_ends_has_no_time_for_is_told_so(begun):
    heard = []

    async def app(scope, receive, send):
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.Event().wait()

    async def send(message):
        heard.append(message)

    async def receive():
        raise AssertionError("there is no body to be read")

    async def main():
        scope = {"type": "http", "method": "GET", "headers": [(b"host", b"localhost")]}
        task = asyncio.create_task(Guard(app, Address())(scope, receive, send))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait((task,))
        return task.cancelled()

    assert asyncio.run(main()) is begun
    assert heard[0]["status"] == (200 if begun else 503)
    if not begun:
        assert b"ask again" in heard[1]["body"]


@pytest.mark.parametrize(
    "path",
    [
        "/mcp//",
        "/mcp/none/",
        "/%6dcp",
        "/mcp%2fmemento",
        "/mcp/memento/%2e%2e",
        "/MCP",
        "/mcp;x",
        "/healthz/",
        "/mcp/unheard-of",
        "/..%2f..%2fetc/passwd",
    ],
)
def test_a_path_is_what_it_is_and_nothing_else(visit, path):
    answer = visit(lambda client: client.post(path, json=request("ping"), headers=JSON))
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
