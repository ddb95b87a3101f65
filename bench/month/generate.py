"""Writes a month of transcripts in four formats, with facts planted in them, and says which."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bench.month import abroad, phrases

if TYPE_CHECKING:
    from pathlib import Path

PLANTED = phrases.PLANTED | abroad.PLANTED
CHATTER = phrases.CHATTER | abroad.CHATTER
SLOTS = phrases.SLOTS | abroad.SLOTS
_SLOT = re.compile(r"\{(\w+)\}")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FORMATS = ("claude-code", "codex", "chatgpt", "claude")
DAYS = 30
SESSIONS = 3
PLANTED_A_SESSION = 2


@dataclass(frozen=True)
class Planted:
    """A fact, and what a text has to hold to say it."""

    kind: str
    text: str
    marks: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        return all(mark in text for mark in self.marks)


@dataclass(frozen=True)
class Turn:
    role: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Session:
    id: str
    format: str
    turns: tuple[Turn, ...]


def month(which: str, seed: int = 7) -> tuple[list[Session], list[Planted]]:
    """The sessions of a month, and what is worth keeping of them."""
    chance = random.Random(f"{which} {seed}")
    sessions: list[Session] = []
    planted: list[Planted] = []
    kinds = [(kind, one) for kind, several in PLANTED[which].items() for one in several]
    said: set[str] = set()
    for number in range(DAYS * SESSIONS):
        at = START + timedelta(days=number // SESSIONS, hours=3 * (number % SESSIONS))
        lines = [_chatter(which, chance) for _ in range(chance.randint(10, 24))]
        taken: list[tuple[str, str]] = []
        for _ in range(PLANTED_A_SESSION):
            fact, role = _planted(kinds, chance, said)
            planted.append(fact)
            where = chance.choice([n for n, line in enumerate(lines) if line not in taken])
            # Some facts stand alone in a message, others among what is not worth keeping.
            whole = f"{lines[where][1]} {fact.text}" if _joins(lines[where], role) else fact.text
            if chance.random() < 0.5:
                taken.append((role, fact.text))
                lines.insert(where, taken[-1])
            else:
                taken.append((role, whole))
                lines[where] = taken[-1]
        turns = tuple(
            Turn(role, text, at + timedelta(minutes=2 * place))
            for place, (role, text) in enumerate(lines)
        )
        sessions.append(Session(f"session-{number:03d}", FORMATS[number % len(FORMATS)], turns))
    return sessions, planted


def _joins(line: tuple[str, str], role: str) -> bool:
    return line[0] == role and "\n" not in line[1] and line[1][-1] in ".!?"


def _planted(
    kinds: list[tuple[str, tuple[str, str]]], chance: random.Random, said: set[str]
) -> tuple[Planted, str]:
    while True:
        kind, (role, phrase) = chance.choice(kinds)
        text, marks = _filled(phrase, chance)
        if text not in said:
            said.add(text)
            return Planted(kind, text, marks), role


def _chatter(which: str, chance: random.Random) -> tuple[str, str]:
    if chance.random() < 0.12:
        return "user", _filled(chance.choice(phrases.BLOCKS[which.partition("-")[0]]), chance)[0]
    role, phrase = chance.choice(CHATTER[which])
    return role, _filled(phrase, chance)[0]


def _filled(phrase: str, chance: random.Random) -> tuple[str, tuple[str, ...]]:
    marks: list[str] = []

    def fill(slot: re.Match[str]) -> str:
        marks.append(chance.choice(SLOTS[slot[1]]))
        return marks[-1]

    text = _SLOT.sub(fill, phrase)
    return text[0].upper() + text[1:], tuple(mark[1:] for mark in marks)


def write(sessions: list[Session], folder: Path) -> None:
    """Each program's files as it writes them itself."""
    chats: dict[str, list[dict[str, object]]] = {"chatgpt": [], "claude": []}
    for session in sessions:
        if session.format in chats:
            chats[session.format].append(_CHATS[session.format](session))
        else:
            lines = _LINES[session.format](session)
            path = folder / session.format / f"{session.id}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    for name, said in chats.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "conversations.json").write_text(json.dumps(said), encoding="utf-8")


def _claude_code(session: Session) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = [
        {"type": "summary", "summary": "Work on the service", "leafUuid": "x"}
    ]
    for number, turn in enumerate(session.turns):
        content: object = turn.text
        if turn.role == "assistant":
            content = [
                {"type": "thinking", "thinking": "We decided to use Rust for all."},
                {"type": "text", "text": turn.text},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
            ]
        lines.append(
            {
                "type": turn.role,
                "sessionId": session.id,
                "cwd": "/home/ada/shop",
                "uuid": f"{session.id}-{number}",
                "timestamp": turn.at.isoformat().replace("+00:00", "Z"),
                "isSidechain": False,
                "message": {"role": turn.role, "content": content},
            }
        )
        if turn.role == "assistant":
            result = {"type": "tool_result", "tool_use_id": "t", "content": "We always use Perl."}
            more = {"type": "user", "message": {"role": "user", "content": [result]}}
            lines.append({**lines[-1], **more, "uuid": f"{session.id}-{number}-r"})
    return lines


def _codex(session: Session) -> list[dict[str, object]]:
    def item(turn: Turn, payload: dict[str, object]) -> dict[str, object]:
        at = turn.at.isoformat().replace("+00:00", "Z")
        return {"timestamp": at, "type": "response_item", "payload": payload}

    meta = {"id": session.id, "cwd": "/home/ada/shop", "originator": "codex_cli_rs"}
    at = session.turns[0].at.isoformat()
    lines: list[dict[str, object]] = [{"timestamp": at, "type": "session_meta", "payload": meta}]
    context = {
        "type": "input_text",
        "text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
    }
    lines.append(item(session.turns[0], {"type": "message", "role": "user", "content": [context]}))
    for turn in session.turns:
        kind = "input_text" if turn.role == "user" else "output_text"
        said = [{"type": kind, "text": turn.text}]
        lines.append(item(turn, {"type": "message", "role": turn.role, "content": said}))
        out: dict[str, object] = {
            "type": "function_call_output",
            "call_id": "c",
            "output": "We always use Perl.",
        }
        lines.append(item(turn, out))
    return lines


def _chatgpt(session: Session) -> dict[str, object]:
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"
    for number, turn in enumerate(session.turns):
        id_ = f"{session.id}-{number}"
        message = {
            "id": id_,
            "author": {"role": turn.role},
            "create_time": turn.at.timestamp(),
            "content": {"content_type": "text", "parts": [turn.text]},
        }
        mapping[id_] = {"id": id_, "message": message, "parent": parent, "children": []}
        parent = id_
    lost = {
        "id": "lost",
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": ["We decided to use Perl for the shop."]},
    }
    mapping["lost"] = {"id": "lost", "message": lost, "parent": "root", "children": []}
    return {
        "title": "Shop",
        "create_time": session.turns[0].at.timestamp(),
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": session.id,
    }


def _claude(session: Session) -> dict[str, object]:
    return {
        "uuid": session.id,
        "name": "Shop",
        "created_at": session.turns[0].at.isoformat(),
        "chat_messages": [
            {
                "uuid": f"{session.id}-{number}",
                "sender": "human" if turn.role == "user" else "assistant",
                "text": turn.text,
                "content": [{"type": "text", "text": turn.text}],
                "created_at": turn.at.isoformat(),
            }
            for number, turn in enumerate(session.turns)
        ],
    }


_LINES = {"claude-code": _claude_code, "codex": _codex}
_CHATS = {"chatgpt": _chatgpt, "claude": _claude}
