"""What is read of a conversation: its end, for what was said since the person last spoke."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ops import Said
from recollect.rules.foreign.chats import turns
from recollect.rules.worth import ASSISTANT, USER
from recollect.ways.hooks.transcript import tail

if TYPE_CHECKING:
    from recollect.rules.foreign.chats import Turn
    from recollect.ways.hooks.event import Event


def last_turn(event: Event) -> tuple[str, tuple[Said, ...]]:
    """What was said since the person last spoke, their words included, and by which program."""
    source, said = "agent", list[Said]()
    for program, turn in turns("", tail(event.transcript), []):
        source = program
        if turn.role == USER:
            said = _on(said, turn)
        else:
            said.append(Said(ASSISTANT, turn.text, turn.at))
    if event.answer and not any(one.text == event.answer for one in said):
        said.append(Said(ASSISTANT, event.answer))
    return source, tuple(said)


def _on(said: list[Said], turn: Turn) -> list[Said]:
    """Messages of a person that follow each other without an answer are one turn."""
    before = said if said and all(one.role == USER for one in said) else []
    return [*before, Said(USER, turn.text, turn.at)]
