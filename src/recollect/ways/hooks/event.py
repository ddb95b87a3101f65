"""What a program says when it calls a hook."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

START, PROMPT, STOP = "start", "prompt", "stop"
# The programs' own names for what happened.
EVENTS = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "Stop": STOP,
    "SubagentStop": STOP,
    "SessionEnd": STOP,
    "PreCompact": STOP,
}


class Event(Value):
    """One call of a hook."""

    # start, prompt or stop; empty for what no hook of ours is for.
    name: str
    # As the program calls it, for it wants to read that again.
    called: str
    session: str = ""
    # Where the agent works.
    folder: str = ""
    # What the person says to the agent.
    prompt: str = ""
    # The file with the conversation so far.
    transcript: str = ""
    # What the agent said last.
    answer: str = ""


def event(given: str, name: str = "") -> Event:
    """The event that is on standard input; `name` goes before what it says itself.

    >>> event('{"hook_event_name": "UserPromptSubmit", "prompt": "Hi"}').name
    'prompt'
    """
    try:
        said = json.loads(given or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"What is on standard input is no JSON: {error}.") from None
    if not isinstance(said, dict):
        raise InvalidRequest("What is on standard input is JSON but no object.")
    called = _text(said, "hook_event_name")
    names = {ours: theirs for theirs, ours in reversed(EVENTS.items())}
    return Event(
        name or EVENTS.get(called, ""),
        called or names.get(name, ""),
        _text(said, "session_id"),
        _text(said, "cwd"),
        _text(said, "prompt"),
        _text(said, "transcript_path"),
        _text(said, "last_assistant_message"),
    )


def _text(said: Mapping[str, object], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
