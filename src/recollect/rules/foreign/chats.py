"""Transcripts of agents and assistants: what was said by whom and when, without their tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.foreign import Cargo, Fact, parsed, text_of
from recollect.rules.foreign.when import when
from recollect.rules.worth import ASSISTANT, CANDIDATE, USER, worth
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

CLAUDE_CODE, CODEX, CHATGPT, CLAUDE = "claude-code", "codex", "chatgpt", "claude"
_ROLES = {"user": USER, "human": USER, "assistant": ASSISTANT}
_TEXTS = {"text", "input_text", "output_text"}
# What the programs themselves say in a person's name.
_NOT_SAID = re.compile(
    r"\s*(?:<(?:command-|local-command|environment_context|user_instructions|permissions|turn_aborted"
    r"|INSTRUCTIONS)|Caveat: |\[Request interrupted|# AGENTS\.md|This session is being continued)"
)


class Turn(Value):
    """One thing that was said."""

    role: str
    text: str
    at: datetime | None
    session: str
    project: str
    place: str


def read(name: str, text: str) -> Cargo:
    """What is worth keeping of a transcript, as candidates; never the transcript itself."""
    facts: dict[tuple[str, str], Fact] = {}
    left_out: list[str] = []
    for source, turn in turns(name, text, left_out):
        for kept in worth(turn.text, turn.role):
            # Who says a thing again says nothing new.
            fact = Fact(
                kept.text,
                ref=f"{source}#{turn.session}",
                place=turn.place,
                source=source,
                type=kept.type,
                at=turn.at,
                session=turn.session,
                speaker=turn.role if turn.role == ASSISTANT else "",
                project=turn.project,
                status=CANDIDATE,
                confidence=kept.confidence,
            )
            facts.setdefault((turn.project, " ".join(kept.text.lower().split())), fact)
    return Cargo(tuple(facts.values()), left_out=tuple(left_out))


def turns(name: str, text: str, left_out: list[str]) -> Iterator[tuple[str, Turn]]:
    """What was said, with the program that wrote it down."""
    session = _Session("", "")
    for line, value in parsed(text):
        place = f"{name}, line {line}"
        match value:
            case {"sessionId": str() as id_, "message": dict() as message, **more}:
                yield from _said(CLAUDE_CODE, _claude_code(message, id_, _named(more), place))
            case {"type": "session_meta", "payload": dict() as meta}:
                session = _Session(text_of(meta.get("id")), _project(meta.get("cwd")))
            case {"type": "response_item", "payload": dict() as item, **more}:
                yield from _said(CODEX, _codex(item, more.get("timestamp"), session, place))
            case {"type": "message", "role": str(), "content": list(), **more}:
                yield from _said(
                    CODEX,
                    _codex(_named(value), more.get("timestamp"), session, place),
                )
            case {"id": str() as id_, "timestamp": str(), "instructions": _}:
                session = _Session(id_, "")
            case ValueError():
                left_out.append(f"{place}: {value}")
            case list() | {"mapping": dict()} | {"chat_messages": list()}:
                yield from _conversations(name, value if isinstance(value, list) else [value])
            case _:
                # Programs write down much beside what is said.
                pass


class _Session(Value):
    id: str
    project: str


def _said(source: str, turn: Turn | None) -> Iterator[tuple[str, Turn]]:
    if turn is not None and turn.role and turn.text.strip() and not _NOT_SAID.match(turn.text):
        yield source, turn


def _claude_code(
    message: dict[str, object], session: str, more: dict[str, object], place: str
) -> Turn | None:
    if more.get("isSidechain") or more.get("isMeta") or more.get("isCompactSummary"):
        return None
    role, text = _ROLES.get(text_of(message.get("role")), ""), _parts(message.get("content"))
    at = when(more.get("timestamp"))
    return Turn(role, text, at, session, _project(more.get("cwd")), place)


def _codex(item: dict[str, object], at: object, session: _Session, place: str) -> Turn | None:
    if item.get("type") != "message":
        return None
    role = _ROLES.get(text_of(item.get("role")), "")
    text = _parts(item.get("content"))
    return Turn(role, text, when(at), session.id, session.project, place)


def _conversations(name: str, values: list[object]) -> Iterator[tuple[str, Turn]]:
    for number, value in enumerate(values, 1):
        place = f"{name}, conversation {number}"
        match value:
            case {"mapping": dict() as nodes, **more}:
                yield from _chatgpt(nodes, _named(more), place)
            case {"chat_messages": list() as messages, **more}:
                id_ = text_of(more.get("uuid"))
                for message in messages:
                    if isinstance(message, dict):
                        yield from _said(CLAUDE, _claude(message, id_, place))


def _claude(message: dict[str, object], session: str, place: str) -> Turn:
    role = _ROLES.get(text_of(message.get("sender")), "")
    text = text_of(message.get("text")) or _parts(message.get("content"))
    return Turn(role, text, when(message.get("created_at")), session, "", place)


def _chatgpt(
    nodes: dict[str, object], more: dict[str, object], place: str
) -> Iterator[tuple[str, Turn]]:
    session = text_of(more.get("conversation_id")) or text_of(more.get("id"))
    for message in _branch(nodes, more.get("current_node")):
        author, content = message.get("author"), message.get("content")
        if isinstance(author, dict) and isinstance(content, dict):
            role = _ROLES.get(text_of(author.get("role")), "")
            at = when(message.get("create_time"))
            turn = Turn(role, _parts(content.get("parts")), at, session, "", place)
            yield from _said(CHATGPT, turn)


def _branch(nodes: dict[str, object], at: object) -> list[dict[str, object]]:
    """The messages of the branch that was taken, oldest first; what was edited has others."""
    found: list[dict[str, object]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen:
        seen.add(at)
        node = nodes.get(at)
        if not isinstance(node, dict):
            break
        if isinstance(message := node.get("message"), dict):
            found.append(message)
        at = node.get("parent")
    return found[::-1]


def _parts(content: object) -> str:
    """What is said in a message that may have parts, without tools' calls and their results."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in content if isinstance(content, list) else ():
        match part:
            case str():
                texts.append(part)
            case {"type": str() as kind, "text": str() as said} if kind in _TEXTS:
                texts.append(said)
    return "\n".join(texts)


def _project(folder: object) -> str:
    return text_of(folder).rstrip("/").rpartition("/")[2]


def _named(value: object) -> dict[str, object]:
    """An object of JSON, whose keys are texts."""
    return {str(name): one for name, one in value.items()} if isinstance(value, dict) else {}
