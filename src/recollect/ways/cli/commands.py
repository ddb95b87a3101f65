"""Which commands there are, by purpose, and which module declares each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.ways.cli.command import Command

GROUPS = (
    ("Connect", "connect", ("setup", "unsetup", "doctor")),
    ("Keep", "keep", ("remember", "ingest", "revise", "supersede", "invalidate")),
    ("Find", "find", ("recall", "get", "list", "history", "timeline")),
    ("Decide", "deciding", ("decide", "decisions", "reflect")),
    ("Decision records", "records", ("adr",)),
    (
        "Measure",
        "measuring",
        ("outcome", "progress", "context", "analyse", "calibration", "skills", "anomalies"),
    ),
    ("Code", "code", ("index", "code", "why", "projects")),
    ("Link", "link", ("describe", "relate", "explore")),
    ("Bring in", "bring", ("import",)),
    ("Carry over", "carry", ("export", "restore", "backup")),
    ("Tidy up", "tidy", ("review", "stats")),
    ("Delete for good", "end", ("forget", "retention", "reset")),
    ("Look after", "care", ("status", "scopes", "verify", "changes", "embed")),
    ("Watch", "top", ("top",)),
    ("Serve", "serve", ("serve",)),
    ("Listen in", "hook", ("hook",)),
    ("Let others in", "keys", ("keys",)),
    ("The shell", "complete", ("completion",)),
)
MODULES = {name: module for _, module, names in GROUPS for name in names}


def command(name: str) -> Command:
    """The command of that name; only the module that declares it is imported."""
    module = import_module(f"recollect.ways.cli.{MODULES[name]}")
    found: Command = next(one for one in module.COMMANDS if one.name == name)
    return found
