"""The command that agents' programs call when something happens in a session."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from recollect.model import Scope
from recollect.ops import Capture, Get
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import standard_input
from recollect.ways.hooks.event import PROMPT, START, STOP, event

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from recollect.model import Hit
    from recollect.rules.inject import Shown
    from recollect.ways.cli.session import Session
    from recollect.ways.hooks.event import Event

_MOST_TOUCHED = 1_000
_NOTHING = Reply((), dict)


def _hook(session: Session, args: Namespace) -> Reply:
    said = event(standard_input(), args.event or "")
    if said.name not in session.config.hooks:
        return _NOTHING
    if said.name == STOP:
        return _captured(session, said)
    return _reminded(session, said)


def _reminded(session: Session, said: Event) -> Reply:
    from recollect.ways.hooks import remind, usage
    from recollect.ways.hooks.transcript import tail

    scope, budget = _scope(session, said), session.config.hook_tokens
    known = _plain(tail(said.transcript)) if said.transcript else ""
    # Who has no memory yet is reminded of nothing, and gets none by the way.
    there = os.path.exists(session.config.store)
    if said.name == PROMPT:
        told = usage.told(session.config.store, said.session)
        hits = _found(session, said.prompt, scope, there=there)
        hits = [hit for hit in hits if hit.record.id not in told]
        shown = remind.at_prompt(hits, said.prompt, budget, known)
    elif there:
        shown = remind.at_start(session.engine, scope, budget, known)
    else:
        return _NOTHING
    if not shown.text:
        return _NOTHING
    _note(session, said, shown)
    output = {"hookEventName": said.called, "additionalContext": shown.text}
    data: dict[str, object] = {"hookSpecificOutput": output}
    # At the start both programs take plain text; at a prompt this is the form that both read.
    lines = shown.text.split("\n") if said.name == START else [json.dumps(data, ensure_ascii=False)]
    return Reply(lines, lambda: data)


def _found(session: Session, prompt: str, scope: Scope, *, there: bool) -> Sequence[Hit]:
    """What the server finds, where one is named and quick; else what the store finds by words."""
    from recollect.ways.hooks import remind

    config, query = session.config, remind.looked_for(prompt)
    if not query:
        return ()
    if config.hook_server:
        from recollect.ways.hooks.server import recall

        found = recall(config.hook_server, query, scope, config.key)
        if found is not None:
            return found
    return remind.by_words(session.engine, scope, prompt) if there else ()


def _captured(session: Session, said: Event) -> Reply:
    from recollect.ways.hooks.listen import last_turn

    source, messages = last_turn(said)
    scope = _scope(session, said)
    _touch(session, said)
    answer = session.run(Capture(messages, scope, source, said.session[:200]))
    # Nothing is said to the program: a hook that speaks at the end of a turn may begin another.
    return Reply((), lambda: document(answer))


def _touch(session: Session, said: Event) -> None:
    """Note that what was shown in this session was looked at: now, as nobody waits for it."""
    from recollect.ways.hooks.usage import uses

    used = uses(session.config.store) if said.session else ()
    mine = (use for use in used if use.session == said.session)
    ids = tuple(dict.fromkeys(id_ for use in mine for id_ in use.ids))
    if ids:
        session.run(Get(ids[-_MOST_TOUCHED:], session.config.tenant, touch=True))


def _scope(session: Session, said: Event) -> Scope:
    from recollect.ways.place import project

    config = session.config
    return Scope(config.tenant, config.user, project(config, said.folder or None))


def _note(session: Session, said: Event, shown: Shown) -> None:
    from recollect.ways.hooks.usage import Use, note

    use = Use(session.now, said.name, said.session[:200], shown.tokens, shown.ids)
    note(session.config.store, use)


def _plain(transcript: str) -> str:
    """A transcript as text: what stands in its JSON as it was said."""
    return transcript.replace('\\"', '"')


COMMANDS = (
    Command(
        "hook",
        "remind an agent, and keep what a turn has brought",
        "Programs such as Claude Code and Codex call this when something happens, with a JSON\n"
        "object on standard input. At the start of a session and at a prompt it answers with the\n"
        "few memories that matter, fenced and dated; at the end of a turn it keeps facts and\n"
        "decisions as candidates, and nothing else. Whatever goes wrong, it ends well, so that no\n"
        "agent is ever held up. RECOLLECT_HOOKS and RECOLLECT_HOOK_TOKENS say how much it does.",
        (
            "recollect hook prompt < event.json",
            "recollect hook < event.json",
        ),
        (
            Argument(
                ("event",),
                "start, prompt or stop; without it, what the object says",
                "EVENT",
                several="?",
                choices=(START, PROMPT, STOP),
            ),
        ),
        _hook,
        fails_open=True,
    ),
)
