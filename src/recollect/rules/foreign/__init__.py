"""What other programs remembered: which format a text is of, and what it says.

Nothing here decides what is kept; a format's module turns its lines into facts, things and ties.
"""

from __future__ import annotations

import json
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

from recollect.rules.split import form_of
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


class Format(StrEnum):
    """How another program writes down what it remembers."""

    GRAPH = "server-memory"
    MEM0 = "mem0"
    MARKDOWN = "markdown"
    # Of Claude Code and Codex, and exports of ChatGPT and Claude; which, its lines say.
    TRANSCRIPT = "transcript"


class Fact(Value):
    """A text to be kept, with what its source says of it."""

    text: str
    # Where in the source it stands: the same again for the same thing, whatever it says by then.
    ref: str
    # For people: where in the file it is.
    place: str
    # Which program it is from.
    source: str
    title: str = ""
    type: str = "semantic"
    at: datetime | None = None
    session: str = ""
    speaker: str = ""
    user: str = ""
    project: str = ""
    # Empty for what is kept; `candidate` for what a rule took out of a conversation.
    status: str = ""
    confidence: float = 1.0
    # What else is known of it, as a JSON object.
    metadata: str = "{}"
    # The name of the thing that it is about.
    about: str = ""
    # Whether another text at the same place takes the place of this one.
    replaces: bool = False


class Thing(Value):
    """A person, project or thing that the source has a name for."""

    name: str
    type: str = ""
    place: str = ""


class Tie(Value):
    """A relation between two things, by their names."""

    src: str
    type: str
    dst: str
    place: str = ""


class Cargo(Value):
    """What one file holds, and what of it could not be read, with the reason."""

    facts: tuple[Fact, ...] = ()
    things: tuple[Thing, ...] = ()
    ties: tuple[Tie, ...] = ()
    left_out: tuple[str, ...] = ()


_MODULES = {
    Format.GRAPH: "graph",
    Format.MEM0: "mem0",
    Format.MARKDOWN: "pages",
    Format.TRANSCRIPT: "chats",
}
_DOCUMENTS = (".md", ".markdown", ".mdown", ".rst", ".rest", ".txt", ".text")
_DATA = (".json", ".jsonl", ".ndjson")
# So many lines are enough to see what a file is.
_LOOKED_AT = 40


def is_carrier(path: str) -> bool:
    """Whether a file found in a folder may hold something to take in, by its name.

    >>> is_carrier("export.jsonl"), is_carrier("Notes.MD"), is_carrier("logo.png")
    (True, True, False)
    """
    return path.lower().endswith(_DOCUMENTS + _DATA)


def recognise(name: str, text: str) -> Format | None:
    """The format of a file by what it holds; by its name only where that is a document.

    >>> recognise("x", '{"type": "entity", "name": "Ada", "observations": []}').value
    'server-memory'
    >>> recognise("notes.md", "Anything.").value
    'markdown'
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in {"{", "["} and not name.lower().endswith(_DOCUMENTS):
        for one in _samples(text):
            if (found := _of(one)) is not None:
                return found
        return None
    return Format.MARKDOWN if form_of(name) is not None else None


def read(format_: Format, name: str, text: str) -> Cargo:
    """What a file of that format holds."""
    module = import_module(f"recollect.rules.foreign.{_MODULES[format_]}")
    cargo: Cargo = module.read(name, text)
    return cargo


def parsed(text: str) -> Iterator[tuple[int, object]]:
    """The JSON values of a file with their lines, from one: one for the whole, or one a line.

    What is no JSON comes as the error that says so.
    """
    plain = text.removeprefix("\ufeff")
    try:
        yield 1, json.loads(plain)
    except (ValueError, RecursionError) as whole:
        lines = [(n, line) for n, line in enumerate(plain.splitlines(), 1) if line.strip()]
        if len(lines) <= 1 or plain.lstrip()[:1] == "[":
            yield 1, ValueError(f"is no JSON: {whole}")
            return
        for number, line in lines:
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, ValueError(f"is no JSON: {error}")


def short(value: object) -> str:
    """A JSON object as it is kept beside a text, without what says nothing."""
    said = (
        {k: v for k, v in value.items() if v not in (None, "", [], {})}
        if isinstance(value, dict)
        else {}
    )
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def text_of(value: object) -> str:
    """A value that should be a text, and is empty where it is none."""
    return value if isinstance(value, str) else ""


def _samples(text: str) -> Iterator[dict[str, object]]:
    for number, (_, value) in enumerate(parsed(text)):
        if number >= _LOOKED_AT:
            return
        match value:
            case dict():
                yield value
            case list():
                yield from (one for one in value[:_LOOKED_AT] if isinstance(one, dict))


def _of(one: dict[str, object]) -> Format | None:
    """The format that an object is typical of."""
    keys = {*one}
    if one.get("type") in {"entity", "relation"} or {"entities", "relations"} <= keys:
        return Format.GRAPH
    if keys & {"mapping", "chat_messages"} or {"sessionId", "message"} <= keys:
        return Format.TRANSCRIPT
    if "payload" in keys and one.get("type") in {"session_meta", "response_item", "turn_context"}:
        return Format.TRANSCRIPT
    if one.get("type") == "message" and {"role", "content"} <= keys:
        return Format.TRANSCRIPT
    if keys & {"results", "memories"} or ("memory" in keys and keys & {"id", "user_id", "hash"}):
        return Format.MEM0
    return None
