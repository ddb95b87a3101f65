"""Which clients there are: where their settings are, and how they say that a server is started.

One declaration a client, and no code for any of them.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from recollect.errors import NotFound
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Entry = dict[str, object]

NAME = "recollect"


class Start(Value):
    """How the server is started."""

    command: str
    arguments: tuple[str, ...] = ("serve",)
    # Of the command that hooks run.
    hook: tuple[str, ...] = ("hook",)


class Place(Value):
    """A path below a folder of the home folder, or below one that a variable names."""

    path: str
    under: str = ""
    variable: str = ""

    def of(self, home: Mapping[str, str]) -> str:
        """Where that is for somebody."""
        named = home.get(self.variable, "")
        folder = named if os.path.isabs(named) else os.path.join(home["HOME"], self.under)
        return os.path.join(folder, self.path)


class Client(Value):
    """One client."""

    name: str
    title: str
    # Where its settings may be; the first that is there, or else the first of all.
    files: tuple[Place, ...]
    # The client is here when one of these is, or its settings are.
    signs: tuple[Place, ...]
    # Where in the file servers are named; the first that is there already, or else the last.
    tables: tuple[tuple[str, ...], ...]
    entry: Callable[[Start], Entry]
    toml: bool = False
    # Where it reads which commands it runs when something happens; None where it runs none.
    hooks: Place | None = None


def _plain(start: Start) -> Entry:
    return {"command": start.command, "args": list(start.arguments)}


def _typed(start: Start) -> Entry:
    return {"type": "stdio", **_plain(start)}


def _in_one(start: Start) -> Entry:
    return {"type": "local", "command": [start.command, *start.arguments], "enabled": True}


def _config(path: str) -> Place:
    return Place(path, ".config", "XDG_CONFIG_HOME")


def _mac(path: str) -> Place:
    return Place(path, "Library/Application Support")


def _either(path: str) -> tuple[Place, ...]:
    """Where programs with a window keep their settings on this system."""
    return (_mac(path),) if sys.platform == "darwin" else (_config(path),)


_SERVERS = (("mcpServers",),)
CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        (Place(".claude.json", variable="CLAUDE_CONFIG_DIR"),),
        (Place(".claude"),),
        _SERVERS,
        _typed,
        hooks=Place("settings.json", ".claude", "CLAUDE_CONFIG_DIR"),
    ),
    Client(
        "codex",
        "Codex",
        (Place("config.toml", ".codex", "CODEX_HOME"),),
        (Place("", ".codex", "CODEX_HOME"),),
        (("mcp_servers",),),
        _plain,
        toml=True,
        hooks=Place("hooks.json", ".codex", "CODEX_HOME"),
    ),
    Client("cursor", "Cursor", (Place(".cursor/mcp.json"),), (Place(".cursor"),), _SERVERS, _plain),
    Client(
        "vscode",
        "VS Code",
        _either("Code/User/mcp.json"),
        _either("Code/User"),
        (("servers",),),
        _typed,
    ),
    Client(
        "gemini",
        "Gemini CLI",
        (Place(".gemini/settings.json"),),
        (Place(".gemini"),),
        _SERVERS,
        _plain,
    ),
    Client(
        "windsurf",
        "Windsurf",
        (Place(".codeium/windsurf/mcp_config.json"),),
        (Place(".codeium/windsurf"),),
        _SERVERS,
        _plain,
    ),
    Client(
        "zed",
        "Zed",
        (_config("zed/settings.json"),),
        (_config("zed"),),
        (("context_servers",),),
        _plain,
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        _either("Claude/claude_desktop_config.json"),
        _either("Claude"),
        _SERVERS,
        _plain,
    ),
    Client(
        "opencode",
        "OpenCode",
        (_config("opencode/opencode.json"), _config("opencode/opencode.jsonc")),
        (_config("opencode"),),
        # Its second version has a table of its own for servers.
        (("mcp", "servers"), ("mcp",)),
        _in_one,
    ),
)
NAMES = tuple(client.name for client in CLIENTS)
HOOKED = tuple(client.name for client in CLIENTS if client.hooks)
# What happens, and after how many seconds a client goes on without us.
HOOKS = (("SessionStart", 5), ("UserPromptSubmit", 5), ("Stop", 10))


def file(one: Client, home: Mapping[str, str]) -> str:
    """The settings file of a client, which may not be there yet."""
    found = [place.of(home) for place in one.files]
    return next((path for path in found if os.path.exists(path)), found[0])


def here(one: Client, home: Mapping[str, str]) -> bool:
    """Whether a client seems to be installed."""
    signs = (file(one, home), *(sign.of(home) for sign in one.signs))
    return any(map(os.path.exists, signs))


def client(name: str) -> Client:
    """The client of that name.

    Raises:
        NotFound: there is none.
    """
    for one in CLIENTS:
        if one.name == name:
            return one
    raise NotFound(f"There is no client {name!r}; the clients are {', '.join(NAMES)}.")
