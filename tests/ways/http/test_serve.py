"""The server as a process: real sockets, real clients, real signals."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
import uvicorn
from mcp import Client
from uvicorn.server import ServerState

from recollect.config import Config
from recollect.ops import List
from recollect.ways.http import protocol
from recollect.wiring import open_engine
from tests.ways.http.process import serving

DOCUMENT = Path(__file__).parents[4] / "shared" / "contracts" / "membria.md"
FACT = "The kettle stands in the kitchen."
# As the document of the contract prints it, but for the port.
CURL = """curl -X POST http://localhost:{port} \\
  -H "Content-Type: application/json" \\
  -d '{{
    "jsonrpc": "2.0",
    "id": "test-1",
    "method": "tools/call",
    "params": {{
      "name": "membria.capture_decision",
      "arguments": {{
        "statement": "Test decision",
        "alternatives": ["Alt 1"],
        "confidence": 0.75
      }}
    }}
  }}'"""


def test_a_plain_curl_is_answered_with_plain_json():
    with serving("--contracts", "membria") as server:
        command = CURL.format(port=server.port)
        if DOCUMENT.exists():
            assert command.replace(str(server.port), "9090") in DOCUMENT.read_text(encoding="utf-8")
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)  # noqa: S602 -- as printed
        answer = json.loads(done.stdout)
        assert (answer["id"], answer["result"]["isError"]) == ("test-1", False)
        assert answer["result"]["structuredContent"]["status"] == "pending"
        assert server.end() == (0, "")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_clients_of_the_sdk_are_served_in_both_eras(mode):
    async def talk(url):
        async with Client(f"{url}/mcp/memento", mode=mode) as client:
            await client.call_tool("store_memory", {"content": FACT})
            found = await client.call_tool("search_memories", {"query": "kettle"})
            return client.protocol_version, found.structured_content

    with serving() as server:
        version, found = asyncio.run(talk(server.url))
        assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
        assert FACT in json.dumps(found)
        assert server.end() == (0, "")


def test_a_key_made_by_another_process_closes_the_door_at_once(recollect):
    with serving() as server:
        assert server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 200
        secret = recollect("keys", "create", "one", "--json").json["secret"]
        assert server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 401
        assert server.call("store_memory", secret, content=FACT)["result"]["isError"] is False


def test_elsewhere_is_served_only_where_there_is_a_key(recollect):
    refused = recollect("serve", "--http", "0.0.0.0:0")
    assert refused.code == 2
    assert "recollect keys create NAME" in refused.err
    recollect("keys", "create", "one")
    with serving(at="0.0.0.0:0") as server:
        assert server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 401


def test_a_taken_port_is_said_to_be_taken(recollect):
    with serving() as server:
        refused = recollect("serve", "--http", str(server.port))
    assert refused.code == 4
    assert "name another port with --http" in refused.err


def test_open_streams_do_not_hold_up_the_end():
    async def listen(server):
        async with Client(f"{server.url}/mcp", mode="legacy") as client:
            await client.list_tools()
            return await asyncio.to_thread(server.end)

    with serving() as server:
        # It would wait for five seconds, and then complain of what it had to break off.
        assert asyncio.run(listen(server)) == (0, "")


def test_what_was_asked_before_the_end_is_answered(tmp_path):
    asked = [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": "store_memory", "arguments": {"content": f"{FACT} {n}"}},
        }
        for n in range(100)
    ]
    with (
        open_engine(Config(store=str(tmp_path / "memory.db"), embedding="hash")) as engine,
        serving() as server,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = pool.submit(server.post, "/", asked)
        while not engine.run(List()).total:
            assert not answer.done()
        assert server.end() == (0, "")
        status, results = answer.result()
        assert (status, len(results["results"])) == (200, 100)
        assert engine.run(List()).total == 100


def test_who_comes_again_to_a_stream_begins_anew():
    async def talk(url):
        both = {"accept": "application/json, text/event-stream"}
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        async with httpx2.AsyncClient(base_url=url) as client:
            greeted = await client.post("/mcp", json=asked, headers=both)
            known = {**both, "mcp-session-id": greeted.headers["mcp-session-id"]}
            for last in ("1", "of a stream that never was"):
                again = {**known, "last-event-id": last}
                async with client.stream("GET", "/mcp", headers=again) as stream:
                    assert stream.status_code == 200
                    assert stream.headers["content-type"] == "text/event-stream"
            return (await client.delete("/mcp", headers=known)).status_code

    with serving() as server:
        assert asyncio.run(talk(server.url)) == 200
        assert server.end() == (0, "")


PATHS = ("//mcp", "/mcp/../mcp", "/./mcp", "/mcp/memento/..", "/\\mcp", "http://evil.example/mcp")
BROKEN = (
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"garbage\r\n\r\n",
)


def test_no_spelling_of_a_path_and_no_broken_head_gets_through():
    def status(head):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            client.sendall(head)
            client.shutdown(socket.SHUT_WR)
            return int(client.makefile("rb").readline().split()[1])

    with serving() as server:
        for path in PATHS:
            asked = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
            assert status(asked.encode()) in {400, 404}, path
        for head in BROKEN:
            assert status(head) in {400, 421}, head[:80]
        assert status(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") == 200


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_head_that_does_not_come_is_not_waited_for(monkeypatch, begun):
    monkeypatch.setattr(protocol, "PATIENCE", 0)

    async def app(scope, receive, send):
        raise AssertionError("this is never reached")

    async def main():
        loop = asyncio.get_running_loop()
        config = uvicorn.Config(app, log_config=None)
        server = await loop.create_server(
            lambda: protocol.Patient(config, ServerState(), {}), "127.0.0.1", 0
        )
        async with server:
            reading, writing = await asyncio.open_connection(*server.sockets[0].getsockname())
            writing.write(begun)
            try:
                return await reading.read()
            except ConnectionResetError:
                # What was begun was not even read.
                return b""
            finally:
                writing.close()

    assert asyncio.run(main()) == b""
