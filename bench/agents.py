"""Drives Claude Code and Codex, as npm has them, against a model that is a stub on this machine.

Each is set up by `recollect setup NAME --hooks` in a home of its own. In a first session the stub
has the agent call our tool to keep a fact, and says a decision; in a second one it asks for the
fact. What is looked at is what really reached the model and the store.

Run from the root: python -m bench.agents [--modules FOLDER] [--keep]. `npm install
@anthropic-ai/claude-code @openai/codex` in some folder brings the programs; FOLDER is its
`node_modules`. Without them it says so, and is done.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from bench.__main__ import machine, repository
from bench.measure import load

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = str(Path(sys.executable).with_name("recollect"))
RESULTS = Path(__file__).parent / "results" / "agents.json"
FACT = "The payment service talks to Postgres through a pool of 20 connections."
DECISION = "We decided to use Redis for the job queue of the shop, after {} had tried Kafka."
PROMPTS = ("Remember how the payment service reaches Postgres.", "How big is the pool to Postgres?")
PATIENCE = 120


class Model(ThreadingHTTPServer):
    """A model that calls one tool in the first turn of a session, and then says one sentence."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.tool, self.arguments, self.said = "", dict[str, object](), ""
        # What came, as text.
        self.heard: list[str] = []

    def plays(self, tool: str, arguments: dict[str, object], said: str) -> None:
        """What it is to do in the next session."""
        self.tool, self.arguments, self.said, self.heard = tool, arguments, said, []


class _Answers(BaseHTTPRequestHandler):
    server: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer whoever looks which models there are."""
        self._send("application/json", json.dumps({"data": [], "models": []}).encode())

    do_HEAD = do_GET  # noqa: N815 -- as above

    def do_POST(self) -> None:
        """Answer a turn in the language that it came in."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.heard.append(body)
        asked = json.loads(body or "{}")
        if self.path.endswith("count_tokens"):
            self._send("application/json", b'{"input_tokens": 10}')
        elif "/messages" in self.path:
            self._answer(asked, list(messages(self.server, asked)))
        elif self.path.endswith("/responses"):
            self._answer(asked, list(responses(self.server, asked)))
        else:
            self._send("application/json", b"{}")

    def _answer(self, asked: dict[str, Any], events: list[dict[str, Any]]) -> None:
        if not asked.get("stream"):
            self._send("application/json", json.dumps(events[0]["message"]).encode())
            return
        lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def messages(model: Model, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A turn as the Messages API streams it."""
    tools = [tool.get("name", "") for tool in asked.get("tools") or []]
    tool = next((name for name in tools if name.endswith(f"__{model.tool}")), "")
    called = any(
        part.get("type") == "tool_result"
        for message in asked["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    )
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model"),
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    wants = bool(tool) and not called
    if wants:
        block: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        part = json.dumps(model.arguments)
        delta = {"type": "input_json_delta", "partial_json": part}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": model.said if tools else "A title"}
    if not asked.get("stream"):
        whole = {**head, "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
        yield {"type": "message", "message": whole}
        return
    yield {"type": "message_start", "message": head}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": "tool_use" if wants else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def responses(model: Model, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A turn as the Responses API streams it."""
    called = any(item.get("type") == "function_call_output" for item in asked["input"])
    found = next(_tools(asked.get("tools") or [], model.tool), None)
    if found and not called:
        arguments = json.dumps(model.arguments)
        item = {"type": "function_call", "call_id": "call_1", "arguments": arguments, **found}
    else:
        text = {"type": "output_text", "text": model.said}
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [text]}
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}


def _tools(tools: list[dict[str, Any]], name: str) -> Iterator[dict[str, str]]:
    """The tool by the names that it is called with: by itself, or in a namespace."""
    for tool in tools:
        if tool.get("type") == "namespace":
            for one in _tools(tool["tools"], name):
                yield {**one, "namespace": tool["name"]}
        elif str(tool.get("name", "")).endswith(name):
            yield {"name": tool["name"]}


def claude(modules: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """How Claude Code is asked something, with its environment."""
    program = str(modules / ".bin" / "claude")
    allowed = "mcp__recollect__store_memory,mcp__recollect__recall"
    return [program, "-p", prompt, "--allowedTools", allowed], {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "stub",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def codex(modules: Path, port: int, prompt: str) -> tuple[list[str], dict[str, str]]:
    """How Codex is asked something, with its environment."""
    stub = f'{{name="stub",base_url="http://127.0.0.1:{port}/v1",wire_api="responses"}}'
    program = str(modules / ".bin" / "codex")
    return [
        program, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
        "--dangerously-bypass-approvals-and-sandbox",
        "-c", f"model_providers.stub={stub}", "-c", 'model_provider="stub"', "-c", 'model="stub"',
        prompt,
    ], {}  # fmt: skip


AGENTS = {"claude-code": claude, "codex": codex}


def session(
    name: str, modules: Path, model: Model, home: Path, prompt: str
) -> dict[str, float | str]:
    """One session of a program, from its start to its end."""
    command, more = AGENTS[name](modules, model.server_port, prompt)
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=home / "shop", env=environment(home, more), capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False, timeout=PATIENCE,
    )  # fmt: skip
    return {
        "seconds": round(time.perf_counter() - begun, 1),
        "code": done.returncode,
        "said": (done.stdout if done.returncode == 0 else done.stdout + done.stderr)[-2000:],
    }


def environment(home: Path, more: dict[str, str]) -> dict[str, str]:
    """Nothing of the caller's settings, and no way out."""
    # Nobody listens there: what does not go to this machine goes nowhere.
    nowhere = "http://127.0.0.1:9"
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "NO_PROXY": "127.0.0.1",
        "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere, "no_proxy": "127.0.0.1", **more,
    }  # fmt: skip


def ours(home: Path, *args: str) -> str:
    """What a command of ours says."""
    done = subprocess.run(
        [COMMAND, *args], env=environment(home, {}), capture_output=True, text=True, check=True
    )
    return done.stdout


def tried(names: list[str], modules: Path) -> list[dict[str, object]]:
    """Each program keeps, and then each program finds what the others have kept."""
    model = Model()
    Thread(target=model.serve_forever, daemon=True).start()
    found: list[dict[str, object]] = []
    with TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "shop").mkdir()
        for name in names:
            (home / ("." + name.partition("-")[0])).mkdir()
            ours(home, "setup", name, "--hooks", "--yes")
        for name in names:
            fact = f"{FACT} ({name} says so.)"
            decision = DECISION.format(name)
            model.plays("store_memory", {"content": fact}, f"Done. {decision}")
            ran = session(name, modules, model, home, PROMPTS[0])
            kept = ours(home, "list", "--json")
            candidate = ours(home, "list", "--type", "decision", "--json")
            found.append({
                "agent": name, "session": "keeps", **ran,
                "tool was called and kept the fact": fact in kept,
                "hook kept the decision": decision in candidate,
            })  # fmt: skip
        for name in names:
            model.plays("recall", {"query": PROMPTS[1]}, "It is 20.")
            ran = session(name, modules, model, home, PROMPTS[1])
            first = next((one for one in model.heard if PROMPTS[1] in one), "")
            found.append({
                "agent": name, "session": "finds", **ran,
                "hooks put it before the model": all(
                    part in first for part in ("recollect-memory", "pool of 20")
                ),
                "tool found it": any("subgraph_nodes" in one for one in model.heard),
            })  # fmt: skip
    model.shutdown()
    return found


def main() -> int:
    """Try the programs that are there. Says which did not do what they should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=Path, default=Path("build/agents/node_modules"))
    parser.add_argument("--keep", action="store_true", help="write the results down")
    asked = parser.parse_args()
    bins = {"claude-code": "claude", "codex": "codex"}
    modules = asked.modules.absolute()
    names = [name for name in AGENTS if (modules / ".bin" / bins[name]).exists()]
    if not names:
        print(f"Neither program is in {modules}; --help says how to get them.", file=sys.stderr)
        return 0
    found = {
        "commit": repository()[0], "machine": machine(), "load": load(),
        "versions": {name: _version(modules / ".bin" / bins[name]) for name in names},
        "sessions": tried(names, modules),
    }  # fmt: skip
    print(json.dumps(found, indent=1))
    if asked.keep:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    missed = [one for one in found["sessions"] if False in one.values() or one["code"]]
    return 1 if missed else 0


def _version(program: Path) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
