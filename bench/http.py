"""The server over HTTP: a call against the SDK's own smallest server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from bench.measure import Figure, Target, load
from bench.stores import copied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from bench.measure import Plan

SERVE = (sys.executable, "-m", "recollect", "serve", "--http", "0")
# What anybody would write first with the SDK: one tool that says what it was told.
SMALLEST = """
import sys, uvicorn
import mcp_types as t
from mcp.server.lowlevel import Server
tool = t.Tool(name="echo", input_schema={"type": "object"})
async def tools(context, params):
    return t.ListToolsResult(tools=[tool])
async def call(context, params):
    said = t.TextContent(type="text", text=params.arguments["text"])
    return t.CallToolResult(content=[said])
server = Server("smallest", on_list_tools=tools, on_call_tool=call)
app = server.streamable_http_app(stateless_http=True, json_response=True)
class Saying(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}/mcp", flush=True)
Saying(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")).run()
"""
RATIO = Target("ratio", at_least=0.8)


def run(plan: Plan) -> Iterator[Figure]:
    yield _one_call(plan)


def call(name: str, **arguments: object) -> bytes:
    params = {"name": name, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(asked).encode()


class Client:
    """One connection that is kept: as little as will do, so that the server is what is measured."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self._port = port
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            "Accept: application/json\r\nContent-Length: "
        ).encode()

    async def __aenter__(self) -> Self:
        self._reading, self._writing = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writing.close()

    async def ask(self, body: bytes) -> bytes:
        self._writing.write(self._head + str(len(body)).encode() + b"\r\n\r\n" + body)
        head = await self._reading.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = re.search(rb"content-length: (\d+)", head)
        assert length, head
        return await self._reading.readexactly(int(length[1]))


@contextmanager
def served(command: tuple[str, ...], store: Path | None = None) -> Iterator[tuple[int, int]]:
    """A server as a process: its port and its process id."""
    environment = {**os.environ, "RECOLLECT_STORE": str(store or "")}
    # That calls are slow while 32 ask at once is what is measured.
    environment["RECOLLECT_LOG_LEVEL"] = "error"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        port = re.search(r"http://\S+?:(\d+)/mcp", said)
        assert port, said
        # Whatever else it has to say must not fill the pipe.
        Thread(target=running.stdout.read, daemon=True).start()
        try:
            yield int(port[1]), running.pid
        finally:
            running.terminate()


async def _rate(port: int, body: bytes, seconds: float) -> float:
    """Requests a second of as many clients as there are cores, each with one connection."""
    done = 0
    end = time.perf_counter() + seconds

    async def one() -> None:
        nonlocal done
        async with Client(port) as client:
            while time.perf_counter() < end:
                await client.ask(body)
                done += 1

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(8)))
    return done / (time.perf_counter() - begun)


def _one_call(plan: Plan) -> Figure:
    """Rounds in turn, so that whatever else the machine does meets both alike."""
    ours: list[float] = []
    theirs: list[float] = []
    smallest = (sys.executable, "-c", SMALLEST)
    trivial = call("get_memory", id="00000000000000000000")
    with (
        copied(0) as folder,
        served(SERVE, folder / "memory.db") as (port, _),
        served(smallest) as (other, _),
    ):
        # Not while the model is being loaded beside the calls.
        asyncio.run(_rate(port, call("recall", query="x"), 5))
        for _ in range(plan.rounds(10, 3)):
            ours.append(asyncio.run(_rate(port, trivial, 1)))
            theirs.append(asyncio.run(_rate(other, call("echo", text="x"), 1)))
    return Figure(
        "http",
        "calls of a trivial tool (a read by id), 8 connections",
        round(max(ours), 1),
        "1/s",
        limit=round(max(theirs), 1),
        limit_is="the SDK's smallest stateless server with one tool that echoes",
        ratio=round(max(ours) / max(theirs), 3),
        targets=(RATIO,),
        rounds=len(ours),
        detail={"ours": [round(x) for x in ours], "smallest": [round(x) for x in theirs]},
        load=load(),
    )
