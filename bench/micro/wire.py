"""What a client of `recollect serve` waits for, against the SDK's own server with an empty tool."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from bench import child, words
from bench.measure import Figure, Target, load, milliseconds, p50, timed
from bench.stores import copied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Plan

COMMAND = str(Path(sys.executable).with_name("recollect"))
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Raw:
    """A client without an SDK, so that the server is what is measured."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=child.ROOT
        )
        self._last = 0

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self._send(message)
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def greet(self) -> None:
        self.ask("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


@contextmanager
def _served(command: list[str]) -> Iterator[Raw]:
    raw = Raw(command)
    with raw.process:
        yield raw
        assert raw.process.stdin is not None
        raw.process.stdin.close()
        raw.process.wait()


def run(plan: Plan) -> Iterator[Figure]:
    records = min(plan.largest, 10_000)
    with copied(records) as folder:
        serve = [COMMAND, "--store", str(folder / "memory.db"), "serve"]
        yield from _started(plan, serve, records)
        yield _trivial(plan, serve, records)
        yield from asyncio.run(_called(plan, serve, records))


def _started(plan: Plan, serve: list[str], records: int) -> Iterator[Figure]:
    times: list[float] = []
    resident: list[float] = []
    for _ in range(plan.rounds(20, 3)):
        begun = perf_counter()
        with _served(serve) as raw:
            raw.greet()
            raw.ask("tools/list")
            times.append((perf_counter() - begun) * 1e3)
            # Until everything that is imported behind the answer is there.
            sleep(1.5)
            resident.append(_resident(raw.process.pid))
    what = "from the start of the process to the list of tools"
    yield timed("wire", what, times, records=records, targets=(Target("value", at_most=450),))
    yield Figure(
        "wire",
        "resident memory before the model is needed",
        round(p50(resident), 1),
        "MB",
        records,
        targets=(Target("value", at_most=120),),
        rounds=len(resident),
        load=load(),
    )


def _trivial(plan: Plan, serve: list[str], records: int) -> Figure:
    """Turn by turn, so that both servers meet the same machine."""
    ours: list[float] = []
    theirs: list[float] = []
    empty = [sys.executable, "-m", "bench.child", "empty"]
    with _served(serve) as raw, _served(empty) as bare:
        for one in (raw, bare):
            one.greet()
        kept = raw.ask("tools/call", {"name": "store_memory", "arguments": {"content": "It."}})
        trivial = {"name": "get_memory", "arguments": {"id": kept["structuredContent"]["id"]}}
        for number in range(plan.rounds(1_000, 100) + 20):
            once = milliseconds(raw.ask, "tools/call", trivial)
            limit = milliseconds(bare.ask, "tools/call", {"name": "empty", "arguments": {}})
            if number >= 20:
                ours.append(once)
                theirs.append(limit)
    return timed(
        "wire",
        "get_memory, which reads one record",
        ours,
        records=records,
        limit=p50(theirs),
        limit_is="the SDK's server with an empty tool",
        targets=(Target("ratio", at_most=1.5),),
    )


async def _called(plan: Plan, serve: list[str], records: int) -> list[Figure]:
    """By the SDK's own client, as an agent's would."""
    rounds = plan.rounds(200, 20)
    texts, queries = words.texts(8_000_000, rounds + 3), words.queries(8, rounds + 3)
    calls = {
        "store_memory": [{"content": text} for text in texts],
        "recall": [{"query": query} for query in queries],
    }
    found: list[Figure] = []
    async with Client(StdioServerParameters(command=serve[0], args=serve[1:])) as client:
        for name, asked in calls.items():
            times: list[float] = []
            for arguments in asked:
                begun = perf_counter()
                reply = await client.call_tool(name, arguments)
                times.append((perf_counter() - begun) * 1e3)
                assert not reply.is_error, reply
            what = f"{name}, by the SDK's client"
            target = Target("value", at_most=15)
            found.append(timed("wire", what, times[3:], records=records, targets=(target,)))
    return found


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
