"""What is answered over HTTP to whoever sends plain JSON, in whatever way."""

from __future__ import annotations

import json

import pytest

from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, offered
from recollect.ops import List
from tests.ways.http.conftest import JSON, calling, request

FACT = "The kettle stands in the kitchen."
HELLO = request(
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
)


def posted(document, path="/mcp", **headers):
    content = document if isinstance(document, bytes) else json.dumps(document)

    async def post(client):
        return await client.post(path, content=content, headers={**JSON, **headers})

    return post


@pytest.mark.parametrize("path", ["/", "/mcp", "/mcp/memento", "/mcp/", "/mcp/memento/"])
def test_one_call_without_a_handshake_is_answered_with_json(visit, engine, path):
    answer = visit(posted(calling("store_memory", "x-1", content=FACT), path))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json()["id"] == "x-1"
    assert answer.json()["result"]["isError"] is False
    assert [one.text for one in engine.run(List()).records] == [FACT]


def test_each_contract_has_a_path_of_its_own(visit):
    async def listed(client):
        return {
            name: (await client.post(f"/mcp/{name}", json=request("tools/list"))).json()["result"][
                "tools"
            ]
            for name in NAMES
        }

    found = visit(listed)
    assert found == {name: [o.shown for o in offered(Selection((name,)))] for name in NAMES}


def test_what_was_not_chosen_has_no_path(visit):
    assert (
        visit(posted(request("ping"), "/mcp/memory-mcp"), Selection(("memento",))).status_code
        == 404
    )


def test_an_array_is_answered_as_results(visit):
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = [
        calling("store_memory", "a", content=FACT),
        ready,
        calling("nothing", "b"),
        {"jsonrpc": "2.0", "id": "c"},
        7,
    ]
    answer = visit(posted(asked)).json()
    assert list(answer) == ["results"]
    first, second, third, fourth = answer["results"]
    assert (first["id"], first["result"]["isError"]) == ("a", False)
    assert (second["id"], second["error"]["code"]) == ("b", -32602)
    assert (third["id"], third["error"]["code"]) == ("c", -32600)
    assert (fourth["id"], fourth["error"]["code"]) == (None, -32600)
    assert "jsonrpc" not in first


def test_an_array_of_whoever_speaks_the_protocol_is_answered_with_one(visit):
    asked = [request("ping", None, 1), request("ping", None, 2)]
    answer = visit(posted(asked, accept="application/json, text/event-stream"))
    assert answer.json() == [{"jsonrpc": "2.0", "id": n, "result": {}} for n in (1, 2)]


@pytest.mark.parametrize("many", [0, 101])
def test_an_array_has_a_bound(visit, many):
    answer = visit(posted([request("ping")] * many))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


def test_what_wants_no_answer_gets_none(visit):
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for document in (ready, [ready]):
        answer = visit(posted(document))
        assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": NaN}', -32700),
        (b"7", -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600),
    ],
)
def test_what_is_no_message_is_said_to_be_none(visit, body, code):
    answer = visit(posted(body))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("kind", ["text/plain", "application/jsonp", ""])
def test_only_json_is_taken(visit, kind):
    answer = visit(posted(request("ping"), **{"content-type": kind}))
    assert answer.status_code == 415


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
def test_what_has_no_session_can_only_be_posted(visit, method):
    answer = visit(lambda client: client.request(method, "/mcp"))
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_whoever_takes_no_streams_may_say_hello_too(visit, version):
    hello = {**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}
    answer = visit(posted(hello, accept="application/json"))
    assert answer.json()["result"]["protocolVersion"] == version
    assert "mcp-session-id" not in answer.headers


def test_a_session_is_spoken_in_streams_until_it_is_deleted(visit):
    both = {"accept": "application/json, text/event-stream"}

    async def talk(client):
        said = {**HELLO["params"], "capabilities": {"tools": True, "sampling": False}}
        hello = await client.post("/mcp", json={**HELLO, "params": said}, headers=both)
        session = {**both, "mcp-session-id": hello.headers["mcp-session-id"]}
        ping = await client.post("/mcp", json=request("ping"), headers=session)
        gone = await client.delete("/mcp", headers=session)
        late = await client.post("/mcp", json=request("ping"), headers=session)
        return hello, ping, gone, late

    hello, ping, gone, late = visit(talk)
    assert hello.headers["content-type"].startswith("text/event-stream")
    assert '"result":{}' in ping.text
    assert (gone.status_code, late.status_code) == (200, 404)


def test_the_newest_revision_is_answered_with_json_where_no_stream_is_taken(visit):
    meta = "io.modelcontextprotocol/"
    said = {"_meta": {f"{meta}protocolVersion": "2026-07-28", f"{meta}clientCapabilities": {}}}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover"}
    for accept in ("application/json", "application/json, text/event-stream", "*/*"):
        answer = visit(posted(request("server/discover", said), accept=accept, **headers))
        assert answer.json()["result"]["supportedVersions"] == ["2026-07-28"]


def test_whoever_wants_progress_hears_it_in_a_stream(visit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = calling("store_memory", content=FACT)
    asked["params"]["_meta"] = {"progressToken": "p"}
    answer = visit(posted(asked, accept="application/json, text/event-stream"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert '"isError":false' in answer.text


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "name is missing; it is required."),
        ({"name": 7}, "name must be a string, not a number."),
        ({"name": "recall", "arguments": []}, "arguments must be an object, not an array."),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "application/json, text/event-stream"])
def test_what_is_wrong_with_params_is_said(visit, params, says, accept):
    answer = visit(posted(request("tools/call", params), accept=accept))
    error = answer.json()["error"]
    assert (error["code"], error["message"]) == (-32602, f"params.{says}")


def test_what_is_no_json_is_told_what_to_send(visit):
    error = visit(posted(b"{")).json()["error"]
    assert error["code"] == -32700
    assert error["message"].endswith("Send one JSON-RPC message, or an array of them.")


def test_an_unknown_method_is_an_error_of_the_protocol(visit):
    answer = visit(posted(request("tools/dance")))
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32601)
