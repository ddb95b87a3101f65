"""Looks whether everything works: Python, the command, the store, the model, and each client."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from time import monotonic
from typing import TYPE_CHECKING

from recollect._version import __version__
from recollect.errors import RecollectError
from recollect.ops import Status
from recollect.value import Value
from recollect.ways.setup import change
from recollect.ways.setup.clients import CLIENTS, Start, here
from recollect.ways.setup.talk import run, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from recollect.config import Config
    from recollect.engine import Engine
    from recollect.ways.setup.clients import Client

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Finding(Value):
    """What was looked at and what was found; with advice where something is wrong."""

    what: str
    said: str
    advice: str = ""
    # Nothing is wrong, and there is something that could be done.
    hint: bool = False

    @property
    def wrong(self) -> bool:
        """Whether somebody has to do something."""
        return bool(self.advice) and not self.hint


def examine(
    config: Config, engine: Callable[[], Engine], home: Mapping[str, str], command: str
) -> Iterator[Finding]:
    """Look at everything, in the order in which one thing needs the other."""
    yield Finding("Python", platform.python_version())
    yield _command(command)
    yield from _store(config, engine)
    for client in CLIENTS:
        if here(client, home):
            yield _client(client, home, command)
            if client.hooks:
                yield from _hooks(client, home)


def _command(command: str) -> Finding:
    said = f"recollect {__version__}, {command}"
    if shutil.which("recollect"):
        return Finding("command", said)
    advice = "`recollect` is not on your PATH. Clients start it all the same, by its whole path."
    return Finding("command", said, advice, hint=True)


def _store(config: Config, engine: Callable[[], Engine]) -> Iterator[Finding]:
    try:
        opened = engine()
        health = opened.run(Status(config.tenant))
    except RecollectError as error:
        yield Finding("store", config.store, str(error))
        return
    noun = "memory" if health.counts.memories == 1 else "memories"
    yield Finding("store", f"{config.store}, {health.counts.memories} {noun}")
    folder = os.path.dirname(config.store)
    if os.stat(config.store).st_mode & _OTHERS and os.stat(folder).st_mode & _OTHERS:
        advice = f"Others on this machine may read it. To end that: chmod 600 '{config.store}'"
        yield Finding("permissions", "the store is not yours alone", advice)
    begun = monotonic()
    try:
        embedder = opened.ports.semantics.configured()
        embedder.load()
        embedder.query("Does the model answer?")
    except RecollectError as error:
        yield Finding("model", health.model, str(error))
    else:
        yield Finding("model", f"{health.model}, in {(monotonic() - begun) * 1000:.0f} ms")


def _client(client: Client, home: Mapping[str, str], own: str) -> Finding:
    try:
        entry = change.entry(client, home)
        if entry is None:
            # What a client reads, `recollect setup` need not be able to change.
            change.putting(client, Start(own), home)
    except RecollectError as error:
        return Finding(client.title, "its settings cannot be read", str(error))
    if entry is None:
        advice = f"To connect it: recollect setup {client.name}"
        return Finding(client.title, "installed, and not connected", advice, hint=True)
    command, environment = _started(entry)
    heard = talk(command, environment)
    if heard.problem:
        advice = f"To connect it anew: recollect setup {client.name}"
        return Finding(client.title, heard.problem, advice)
    said = f"connected; {heard.tools} tools after {heard.milliseconds} ms"
    return Finding(client.title, said)


def _hooks(client: Client, home: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what the client runs when something happens can be run."""
    what = f"{client.title} hooks"
    anew = f"recollect setup {client.name} --hooks"
    try:
        commands = change.hooks(client, home)
    except RecollectError as error:
        yield Finding(what, "its settings cannot be read", str(error))
        return
    if not commands:
        advice = f"To have it reminded at each prompt: {anew}"
        yield Finding(what, "not set up", advice, hint=True)
        return
    begun = monotonic()
    for command in dict.fromkeys(commands.values()):
        if problem := run(command):
            yield Finding(what, problem, f"To set them up anew: {anew}")
            return
    took = (monotonic() - begun) * 1000
    yield Finding(what, f"{', '.join(commands)}; {took:.0f} ms")


def _started(entry: Mapping[str, object]) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of an entry, in any client's words."""
    command, arguments = entry.get("command", ""), entry.get("args", [])
    parts = command if isinstance(command, list) else [command]
    parts = [*parts, *arguments] if isinstance(arguments, list) else parts
    named = entry.get("env", entry.get("environment", {}))
    environment = named if isinstance(named, dict) else {}
    return [str(part) for part in parts], {str(k): str(v) for k, v in environment.items()}
