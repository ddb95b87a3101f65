"""Starts what clients start, as they do: a server, with which it talks, and commands of hooks."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from threading import Timer
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, cast

from recollect._version import __version__
from recollect.config import inherited
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Seconds, after which a client would have given up as well.
_PATIENCE = 10.0
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "recollect doctor", "version": __version__},
}


class Heard(Value):
    """What a server said, or why it said nothing."""

    name: str = ""
    tools: int = 0
    milliseconds: int = 0
    problem: str = ""


def talk(command: Sequence[str], environment: Mapping[str, str]) -> Heard:
    """Hold the beginning of a conversation with what a command starts."""
    begun = monotonic()
    try:
        # A command of the person's own settings, which their client starts as well.
        process = subprocess.Popen(  # noqa: S603 -- see above
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=inherited(environment),
        )
    except OSError as error:
        return Heard(problem=f"{command[0]} cannot be started ({error.strerror})")
    with process:
        server = _Server(process)
        late = Timer(_PATIENCE, process.kill)
        late.start()
        try:
            name = server.ask(1, "initialize", _HELLO)["serverInfo"]["name"]
            server.say({"method": "notifications/initialized"})
            tools = len(server.ask(2, "tools/list", {})["tools"])
            return Heard(str(name), tools, round((monotonic() - begun) * 1000))
        except (OSError, ValueError, KeyError, TypeError):
            return Heard(problem=server.complaint())
        finally:
            late.cancel()
            server.end()


def run(command: str) -> str:
    """Run a command of hooks as its client would, with nothing to do. Answers what is wrong."""
    try:
        # A command of the person's own settings, which their client runs by a shell as well.
        done = subprocess.run(  # noqa: S602 -- see above
            command,
            shell=True,
            input=b"{}",
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=inherited({"RECOLLECT_HOOKS": "none"}),
        )
    except subprocess.TimeoutExpired:
        return f"{command} does not come to an end"
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    if done.returncode or said:
        return f"{command} cannot be run: {said or f'it ended with {done.returncode}'}"
    return ""


class _Server:
    """The client's end of a server's pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        streams = (process.stdin, process.stdout, process.stderr)
        self._sink, self._source, self._errors = cast("tuple[IO[bytes], ...]", streams)

    def ask(self, id_: int, method: str, params: object) -> dict[str, Any]:
        self.say({"id": id_, "method": method, "params": params})
        result: dict[str, Any] = json.loads(self._source.readline())["result"]
        return result

    def say(self, message: Mapping[str, object]) -> None:
        self._sink.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._sink.flush()

    def complaint(self) -> str:
        """Why it does not answer, as far as it says."""
        self._process.kill()
        said = self._errors.read().decode("utf-8", "replace").strip()
        last = said.splitlines()[-1] if said else "it said nothing"
        return f"it does not answer as a server does: {last}"

    def end(self) -> None:
        """Close our end, as a client does, and wait a moment."""
        with suppress(OSError):
            self._sink.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
