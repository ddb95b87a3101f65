"""The server over HTTP: a call against the SDK's own smallest server, and many clients at once."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from bench import words
from bench.measure import Figure, Target, load, percentile
from bench.stores import copied, open_store
from recollect import ops
from recollect.ways.mcp.server import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from bench.measure import Plan

CLIENTS = 32
# Of a hundred requests.
RECALLS = 70
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
    yield from _many_clients(plan)


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
        max(ours),
        "1/s",
        limit=max(theirs),
        limit_is="the SDK's smallest stateless server with one tool that echoes",
        ratio=max(ours) / max(theirs),
        targets=(RATIO,),
        rounds=len(ours),
        detail={"ours": ours, "smallest": theirs},
        load=load(),
    )


def _many_clients(plan: Plan) -> Iterator[Figure]:
    """32 clients, 70 of 100 requests a recall and the others a new memory, for a minute."""
    size, seconds = plan.largest, 5 if plan.quick else 60
    with copied(size) as folder:
        store = folder / "memory.db"
        alone = _engine_alone(folder, seconds)
        with served(SERVE, store) as (port, pid):
            asyncio.run(_mixed(port, 1, min(seconds, 5)))
            single, _ = asyncio.run(_mixed(port, 1, min(seconds, 10)))
            sizes: list[int] = []
            watching = _watched(pid, sizes, seconds)
            times, rate = asyncio.run(_mixed(port, CLIENTS, seconds))
            watching.join()
    later = sizes[len(sizes) // 3 :]
    spread = (max(later) - min(later)) / min(later) if later else 0.0
    median = percentile(single, 0.5)
    yield Figure(
        "http",
        f"{CLIENTS} clients, {RECALLS} % recall and the rest new memories",
        rate,
        "1/s",
        size,
        limit=alone,
        limit_is="the engine alone, as many threads, same mix",
        ratio=rate / alone,
        targets=(RATIO,),
        rounds=len(times),
        load=load(),
    )
    worst = percentile(times, 0.99)
    yield Figure(
        "http",
        f"the same: 99 of 100 requests take at most ({CLIENTS} clients)",
        worst,
        "ms",
        size,
        limit=median,
        limit_is="half of the requests of a single client",
        ratio=worst / median,
        targets=(Target("ratio", at_most=10),),
        load=load(),
    )
    yield Figure(
        "http",
        "the same: memory of the server over the last two thirds, largest against smallest",
        100 * spread,
        "%",
        size,
        targets=(Target("value", at_most=20),),
        detail={"kilobytes": sizes},
        load=load(),
    )


async def _mixed(port: int, clients: int, seconds: float) -> tuple[list[float], float]:
    """How long each request took, in milliseconds, and how many there were a second."""
    times: list[float] = []
    begun = time.perf_counter()
    end = begun + seconds

    async def one(number: int) -> None:
        chance = random.Random(number)
        async with Client(port) as client:
            while time.perf_counter() < end:
                body = _body(chance)
                clock = time.perf_counter()
                answer = await client.ask(body)
                times.append((time.perf_counter() - clock) * 1e3)
                assert b'"isError":false' in answer, answer[:500]

    await asyncio.gather(*(one(number) for number in range(clients)))
    return times, len(times) / (time.perf_counter() - begun)


@cache
def _said() -> tuple[list[str], list[str]]:
    """Questions, and texts that no store of ours has."""
    return words.queries(7, 2000), words.texts(7_000_000, 2000)


def _body(chance: random.Random) -> bytes:
    queries, texts = _said()
    if chance.randrange(100) < RECALLS:
        return call("recall", query=chance.choice(queries), limit=10)
    return call("store_memory", content=f"{chance.choice(texts)} {chance.random()}")


def _engine_alone(folder: Path, seconds: float) -> float:
    """The same mix by as many threads as the server has for calls, without a server."""
    done = [0] * AT_ONCE
    queries, texts = _said()
    with open_store(folder) as engine:
        engine.run(ops.Recall(queries[0], needs_vector=True))
        end = time.perf_counter() + seconds

        def work(number: int) -> None:
            chance = random.Random(number)
            while time.perf_counter() < end:
                if chance.randrange(100) < RECALLS:
                    engine.run(ops.Recall(chance.choice(queries)))
                else:
                    engine.run(ops.Remember(f"{chance.choice(texts)} {chance.random()}"))
                done[number] += 1

        threads = [Thread(target=work, args=(number,)) for number in range(len(done))]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(done) / (time.perf_counter() - begun)


def _watched(pid: int, sizes: list[int], seconds: float) -> Thread:
    """Writes down how large a process is, ten times a second."""

    def watch() -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            found = next(line for line in status.splitlines() if line.startswith("VmRSS"))
            sizes.append(int(found.split()[1]))
            time.sleep(0.1)

    thread = Thread(target=watch)
    thread.start()
    return thread
