"""`recollect serve` as a client starts it, and raw lines to talk to it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = (sys.executable, "-m", "recollect", "serve")
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Process:
    """One server, and the client's end of its pipes."""

    def __init__(self, *options: str) -> None:
        self.running = subprocess.Popen(
            [*COMMAND, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.running.stdin is not None
        assert self.running.stdout is not None
        self.sink, self.source = self.running.stdin, self.running.stdout

    def send(self, *messages: Any) -> None:
        """Write messages, one a line; bytes as they are."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.sink.write(line + b"\n")
        self.sink.flush()

    def hear(self) -> Any:
        """The next line."""
        line = self.source.readline()
        assert line, self.running.stderr and self.running.stderr.read().decode()
        return json.loads(line)

    def ask(self, *messages: Any) -> Any:
        """Write, and read one line."""
        self.send(*messages)
        return self.hear()

    def call(self, name: str, id_: int | str = 7, /, **arguments: Any) -> Any:
        """The result of calling a tool."""
        return self.ask(request("tools/call", {"name": name, "arguments": arguments}, id_))[
            "result"
        ]

    def end(self) -> tuple[int, str]:
        """Close the client's end, and wait. Answers the exit code and what was complained of.

        That a call was slow says something of the machine.
        """
        _, said = self.running.communicate(timeout=30)
        lines = said.decode().splitlines(keepends=True)
        return self.running.returncode, "".join(one for one in lines if ": slow: " not in one)


def request(method: str, params: Any = None, id_: int | str = 1) -> dict[str, Any]:
    """A request."""
    asked = {"jsonrpc": "2.0", "id": id_, "method": method}
    return asked if params is None else {**asked, "params": params}


@contextmanager
def serving(*options: str) -> Iterator[Process]:
    """A server that ends with the block, if it has not ended by then."""
    process = Process(*options)
    with process.running:
        try:
            yield process
        finally:
            process.running.kill()


@contextmanager
def talking(*options: str) -> Iterator[Process]:
    """A server that was greeted."""
    with serving(*options) as process:
        process.ask(HELLO)
        process.send(READY)
        yield process
