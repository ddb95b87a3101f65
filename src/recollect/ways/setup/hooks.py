"""Hooks in the settings of clients: put behind those that are there already, and taken out again.

Claude Code and Codex say the same of them: for each event a list of groups, each with commands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.edit import at, jsonc
from recollect.ways.setup.clients import HOOKS

if TYPE_CHECKING:
    from collections.abc import Iterator

_TABLE = "hooks"
# However the command is quoted, and wherever it is.
_is_ours = re.compile(r"(?:^|[\s/'\"])recollect['\"]?\s+hook\b").search


def hooked(text: str, command: str) -> str:
    """Settings in which the command is run whenever something happens that it is for.

    >>> hooked('{"hooks": {}}', "recollect hook").count("recollect hook")
    3
    """
    for event, seconds in HOOKS:
        path = (_TABLE, event)
        group = {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}
        ours = [place for place, _ in _ours(text, event)]
        if len(ours) == 1 and _groups(text, event)[ours[0]] == group:
            continue
        for place in reversed(ours):
            text = jsonc.drop(text, path, place)
        text = jsonc.append(text, path, group)
    return text


def unhooked(text: str, was: str) -> str:
    """Settings without it, and without the tables that were made for it."""
    for event, _ in HOOKS:
        path = (_TABLE, event)
        for place, _ in reversed(list(_ours(text, event))):
            text = jsonc.drop(text, path, place)
        if at(jsonc.read(text), path) == [] and at(jsonc.read(was), path) is None:
            text = jsonc.take(text, path)
    if at(jsonc.read(text), (_TABLE,)) == {} and at(jsonc.read(was), (_TABLE,)) is None:
        text = jsonc.take(text, (_TABLE,))
    return text


def commands(text: str) -> dict[str, str]:
    """The commands of ours in settings, by the event that they are for."""
    return {event: command for event, _ in HOOKS for _, command in _ours(text, event)}


def _ours(text: str, event: str) -> Iterator[tuple[int, str]]:
    """Groups that hold nothing but our command: where they are, and the command."""
    for place, group in enumerate(_groups(text, event)):
        held = group.get("hooks") if isinstance(group, dict) else None
        said = [str(one.get("command", "")) for one in held or () if isinstance(one, dict)]
        if len(said) == 1 and _is_ours(said[0]):
            yield place, said[0]


def _groups(text: str, event: str) -> list[object]:
    found = at(jsonc.read(text), (_TABLE, event))
    return found if isinstance(found, list) else []
