"""What is measured in processes of its own: `python -m bench.child NAME ARGUMENTS`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
# No module of the engine is imported before a child asks for it: imports are what is measured.


def start(name: str, *arguments: object) -> subprocess.Popen[str]:
    """Begin a child that reads from us and is read by us."""
    command = [sys.executable, "-m", "bench.child", name, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def asked(name: str, *arguments: object) -> dict[str, float]:
    """Run a child to its end, and read its last line."""
    with start(name, *arguments) as child:
        said, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"bench.child {name} ended with {child.returncode}")
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def answer(store: str, query: str) -> dict[str, object]:
    """From the first import to the answer of a search by words."""
    begun = perf_counter()
    from recollect.config import Config
    from recollect.ops import Recall, Weights
    from recollect.wiring import open_engine

    engine = open_engine(Config(store=store))
    opened = perf_counter()
    found = engine.run(Recall(query, weights=Weights(0, 1, 0)))
    ended = perf_counter()
    engine.close()
    return {
        "hits": len(found.hits),
        "inside": (ended - begun) * 1e3,
        "opened": (opened - begun) * 1e3,
        "imported numpy": "numpy" in sys.modules,
        "imported onnxruntime": "onnxruntime" in sys.modules,
    }


def reopen(store: str, rounds: str) -> dict[str, object]:
    """Open, search by words and close, over and over in one process."""
    from bench import words
    from recollect.config import Config
    from recollect.ops import Recall, Weights
    from recollect.wiring import open_engine

    times, opens = [], []
    for query in words.queries(3, int(rounds) + 2):
        begun = perf_counter()
        engine = open_engine(Config(store=store))
        opened = perf_counter()
        engine.run(Recall(query, weights=Weights(0, 1, 0)))
        times.append((perf_counter() - begun) * 1e3)
        opens.append((opened - begun) * 1e3)
        engine.close()
    return {"times": times[2:], "opens": opens[2:]}


def resident(store: str, recalls: str) -> dict[str, object]:
    """Memory before anything, with the model loaded, and after so many searches."""
    before = _memory()
    from recollect.config import Config
    from recollect.ops import Recall
    from recollect.wiring import open_engine

    with open_engine(Config(store=store)).start() as engine:
        engine.run(Recall("what is there?"))
        loaded = _memory()
        for query in sys.stdin.read().splitlines()[: int(recalls)]:
            engine.run(Recall(query))
        return {"before": before, "first recall": loaded, "after": _memory()}


def _memory() -> dict[str, float]:
    """In MB: what is resident, our share of it, and what is no copy of a file."""
    rollup = Path("/proc/self/smaps_rollup").read_text("ascii")
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in rollup.splitlines()[1:]}
    return {
        "rss": round(sizes["Rss"], 1),
        "pss": round(sizes["Pss"], 1),
        "anonymous": round(sizes["Anonymous"], 1),
    }


def write(store: str, provider: str, who: str, count: str) -> dict[str, object]:
    """Wait for a line, then remember so many texts; answer their ids and how long each took."""
    from bench import words
    from recollect.config import Config
    from recollect.errors import RecollectError
    from recollect.ops import Remember
    from recollect.wiring import open_engine

    texts = words.texts(6_000_000 + int(who), int(count))
    ids, times, errors = [], [], []
    with open_engine(Config(store=store, embedding=provider)) as engine:
        engine.ports.semantics.configured().load()
        print("ready", flush=True)
        sys.stdin.readline()
        begun = perf_counter()
        for text in texts:
            once = perf_counter()
            try:
                ids.append(engine.run(Remember(f"{who}: {text}")).record.id)
            except RecollectError as error:
                errors.append(str(error))
            times.append((perf_counter() - once) * 1e3)
        return {"seconds": perf_counter() - begun, "ids": ids, "times": times, "errors": errors}


def write_until_killed(store: str, who: str) -> dict[str, object]:
    """Remember, supersede and revise, and print each acknowledgement, for ever."""
    from itertools import count

    from bench import words
    from recollect.config import Config
    from recollect.ops import Remember, Revise
    from recollect.wiring import open_engine

    texts = words.texts(7_000_000 + int(who), 2_000)
    before = ""
    with open_engine(Config(store=store, embedding="hash")) as engine:
        print("ready", flush=True)
        for number in count():
            text = f"{who}, {number}: {texts[number % len(texts)]}"
            supersedes = (before,) if before and number % 4 == 3 else ()
            done = engine.run(Remember(text, supersedes=supersedes)).record
            if number % 5 == 4:
                text += " Corrected."
                done = engine.run(Revise(done.id, text=text)).record
            print(json.dumps([done.id, text, before if supersedes else ""]), flush=True)
            before = done.id
    return {}


def empty() -> dict[str, object]:
    """The SDK's own server over its own transport, with a tool that does nothing."""
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    async def listed(*_: object) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(name="empty", input_schema={"type": "object"})]
        )

    async def called(*_: object) -> types.CallToolResult:
        return types.CallToolResult(content=[])

    async def main() -> None:
        server = Server[object]("empty", on_list_tools=listed, on_call_tool=called)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
    raise SystemExit


CHILDREN: dict[str, Callable[..., dict[str, object]]] = {
    f.__name__: f for f in (answer, empty, reopen, resident, write, write_until_killed)
}

if __name__ == "__main__":
    print(json.dumps(CHILDREN[sys.argv[1]](*sys.argv[2:])))
