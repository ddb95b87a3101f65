"""Commands that connect clients and look whether all is well: setup, unsetup, doctor."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from recollect import config
from recollect.contracts.listing import selection
from recollect.errors import InvalidRequest, NotFound, RecollectError
from recollect.value import replace
from recollect.ways.cli.command import NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.line import BAD, FAINT, GOOD, NAME, WARNING, line
from recollect.ways.cli.read import confirmed
from recollect.ways.cli.shared import YES
from recollect.ways.setup import change
from recollect.ways.setup.clients import CLIENTS, HOOKED, NAMES, Start, client, here

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session
    from recollect.ways.setup.change import Change
    from recollect.ways.setup.clients import Client
    from recollect.ways.setup.doctor import Finding

    # Makes a change, and says what is so now.
    Do: TypeAlias = Callable[[change.Keeper, Change], str]


def _setup(session: Session, args: Namespace) -> Reply:
    selection(args.contracts)
    home, start = config.places(), _start(session, args)
    chosen = _chosen(args.clients, home)
    if not chosen:
        raise NotFound(
            "None of the clients that can be set up is here. Name one to set it up all the same:"
            f" {', '.join(NAMES)}. Any other starts this: {start.command} serve"
        )
    hooked = [one for one in chosen if one.hooks]
    if args.hooks and not hooked:
        raise InvalidRequest(f"Only these have hooks that can be set up: {', '.join(HOOKED)}.")

    def putting(one: Client) -> list[Change]:
        also = [change.putting_hooks(one, start, home)] if args.hooks and one.hooks else []
        return [change.putting(one, start, home), *also]

    changes, left = _worked_out(chosen, putting)
    bare = () if args.hooks else [one for one in hooked if _without_hooks(one, home)]
    notes = tuple(
        f"{one.title} has to ask its memory by itself; to be reminded unasked, and have what it"
        f" learns kept: recollect setup {one.name} --hooks"
        for one in bare
    )
    reply = _changed(args, changes, left, "connected", _connect)
    return replace(reply, notes=(*reply.notes, *notes))


def _unsetup(session: Session, args: Namespace) -> Reply:
    del session
    home, keeper = config.places(), change.Keeper(config.notes())
    chosen = [client(name) for name in args.clients] or list(CLIENTS)

    def taking(one: Client) -> list[Change]:
        hooks = [change.taking_hooks(one, keeper, home)] if one.hooks else []
        own = change.taking(one, keeper, home)
        asked = [own] if args.clients or own.needed else []
        return asked + [each for each in hooks if each.needed]

    changes, left = _worked_out(chosen, taking)
    return _changed(args, changes, left, "not connected", _disconnect)


def _worked_out(
    chosen: Sequence[Client], work_out: Callable[[Client], list[Change]]
) -> tuple[list[Change], dict[str, str]]:
    """What changes, and by name why some clients are left as they are: the others need not wait."""
    changes: list[Change] = []
    left: dict[str, str] = {}
    for one in chosen:
        try:
            changes += work_out(one)
        except RecollectError as why:
            if len(chosen) == 1:
                raise
            left[one.name] = str(why)
    return changes, left


def _without_hooks(one: Client, home: Mapping[str, str]) -> bool:
    """Whether it is known that a client runs no hooks of ours."""
    try:
        return not change.hooks(one, home)
    except RecollectError:
        return False


def _connect(keeper: change.Keeper, one: Change) -> str:
    kept = keeper.keep(one)
    change.do(one)
    also = f" As it was: {kept}" if kept else ""
    if one.hooks:
        asks = " Codex asks once whether you trust them: /hooks." if one.client.toml else ""
        return f"{one.client.title} runs the hooks from its next session on.{asks}{also}"
    return f"Connected {one.client.title}. Restart it, and it has a memory.{also}"


def _disconnect(keeper: change.Keeper, one: Change) -> str:
    change.do(one)
    keeper.forget(one)
    if one.hooks:
        return f"{one.client.title} runs no hooks of ours any more."
    return f"Disconnected {one.client.title}. Its memories are kept: `recollect status`."


def _changed(
    args: Namespace, changes: Sequence[Change], left: dict[str, str], state: str, do: Do
) -> Reply:
    needed = [one for one in changes if one.needed]
    lines = [f"{c.title}: {state} already ({c.path})" for c in changes if not c.needed]
    diffs: list[Shown] = [
        each for one in needed for each in (f"{one.title}:", *map(_changing, one.shown()), "")
    ]
    if args.dry_run or not needed:
        said = [*diffs, *lines] or ([] if left else ["There is nothing to change."])
        return _reply(said, changes, (), left)
    if not args.yes and not confirmed("yes", *diffs, *lines, *left.values(), ""):
        return Reply(("Nothing was changed.",), lambda: _told(changes, (), left), NOT_DONE)
    keeper = change.Keeper(config.notes())
    done: dict[str, str] = {}
    for one in needed:
        try:
            done[one.name] = do(keeper, one)
        except RecollectError as why:
            if len(needed) == 1 and not left:
                raise
            left[one.client.name] = str(why)
    return _reply([*lines, *done.values()], changes, done, left)


def _reply(
    said: Sequence[Shown], changes: Sequence[Change], done: Container[str], left: Mapping[str, str]
) -> Reply:
    code = NOT_DONE if left else 0
    return Reply(said, lambda: _told(changes, done, left), code, tuple(left.values()))


def _changing(shown: str) -> Shown:
    """A line of a change, in the colours that such lines have."""
    what = {"+": GOOD, "-": BAD, "@": FAINT}.get(shown[:1])
    return line((shown, what), hang=1) if what else shown


def _told(
    changes: Sequence[Change], done: Container[str], left: Mapping[str, str]
) -> dict[str, object]:
    return {
        "clients": [
            {
                "client": one.client.name,
                "hooks": one.hooks,
                "path": one.path,
                "needed": one.needed,
                "done": one.name in done,
                "diff": "\n".join(one.shown()),
            }
            for one in changes
        ],
        "left": [{"client": name, "problem": why} for name, why in left.items()],
    }


def _chosen(names: Sequence[str], home: Mapping[str, str]) -> list[Client]:
    return [client(name) for name in names] or [one for one in CLIENTS if here(one, home)]


def _start(session: Session, args: Namespace) -> Start:
    store = () if session.config.own_folder else ("--store", session.config.store)
    arguments = ["serve", *store]
    if args.contracts:
        arguments += ["--contracts", args.contracts]
    if args.read_only:
        arguments.append("--read-only")
    return Start(_command(), tuple(arguments), ("hook", *store))


def _command() -> str:
    """The command that runs, by a path that stays when it is upgraded."""
    own = os.path.join(os.path.dirname(sys.executable), "recollect")
    known = shutil.which("recollect")
    if known and (os.path.realpath(known) == os.path.realpath(own) or not os.path.exists(own)):
        return os.path.abspath(known)
    return own


def _doctor(session: Session, args: Namespace) -> Reply:
    del args
    from recollect.ways.cli.document import document
    from recollect.ways.setup.doctor import examine

    found = list(examine(session.config, lambda: session.engine, config.places(), _command()))
    wrong = sum(one.wrong for one in found)
    last = f"{wrong} of these need you." if wrong else "All is well."
    code = NOT_DONE if wrong else 0
    return Reply(
        [*_lines(found), last], lambda: {"findings": [document(one) for one in found]}, code
    )


def _lines(found: Sequence[Finding]) -> Iterator[Shown]:
    for one in found:
        mark = ("!!", BAD) if one.wrong else ("--", WARNING) if one.hint else ("ok", GOOD)
        yield line(mark, "  ", (one.what, NAME), f": {one.said}", hang=6)
        if one.advice:
            yield line("      ", one.advice, hang=6)


_CLIENTS = Argument(("clients",), ", ".join(NAMES), "CLIENT", several="*")
_DRY = Argument(("--dry-run",), "show what would change, and change nothing", flag=True)
COMMANDS = (
    Command(
        "setup",
        "connect clients: Claude Code, Codex, Cursor and others",
        "Say in the settings of clients how they start the server. Without a name, all that are\n"
        "here. The exact change is shown first, what a file was is kept, and nothing else in it\n"
        "is touched. A client whose settings cannot be read is left as it is, and said.\n"
        "`recollect unsetup` makes it what it was.",
        (
            "recollect setup cursor --dry-run",
            "recollect setup claude-code codex --yes",
            "recollect setup claude-code --hooks --yes",
            "recollect setup gemini --contracts memento --yes",
        ),
        (
            _CLIENTS,
            Argument(("--contracts",), "as of `recollect serve`", "NAMES", default=""),
            Argument(("--read-only",), "as of `recollect serve`", flag=True),
            Argument(
                ("--hooks",),
                "also have it reminded at each prompt, and what it learns kept:"
                f" {' and '.join(HOOKED)}",
                flag=True,
            ),
            _DRY,
            YES,
        ),
        _setup,
    ),
    Command(
        "unsetup",
        "disconnect clients, and leave their settings as they were",
        "Take out of the settings of clients what `recollect setup` has put in. A file that\n"
        "nobody has touched since is what it was, byte for byte. No memory is deleted.",
        ("recollect unsetup --dry-run", "recollect unsetup cursor --yes"),
        (_CLIENTS, _DRY, YES),
        _unsetup,
    ),
    Command(
        "doctor",
        "look whether everything works, and say what to do",
        "Look at Python, the command, the store, the model and every client that is here: each is\n"
        "asked for its settings, and the server is started as the client would. Changes nothing.",
        ("recollect doctor", "recollect doctor --json"),
        (),
        _doctor,
        doing="looking",
    ),
)
