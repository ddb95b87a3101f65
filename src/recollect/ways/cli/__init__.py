"""The command line: arguments in, one op, and its answer as text or as JSON.

This finds the command and says what came of it. A command's module, and what it needs, is imported
when it is the one that is asked for.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

from recollect._version import __version__
from recollect.errors import (
    Conflict,
    InvalidRequest,
    NotAllowed,
    NotFound,
    RecollectError,
    Unavailable,
)
from recollect.ways.cli.command import (
    CONFLICT,
    DONE,
    GLOBAL,
    INTERRUPTED,
    INVALID,
    NOT_DONE,
    UNAVAILABLE,
    UNREAD,
    Reply,
    parser,
)
from recollect.ways.cli.commands import MODULES, command
from recollect.ways.cli.say import complain, fitting, note

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from recollect.config import Config
    from recollect.ways.cli.command import Command
    from recollect.ways.cli.line import Shown

_CODES: dict[type, int] = {
    NotFound: NOT_DONE,
    InvalidRequest: INVALID,
    NotAllowed: INVALID,
    Conflict: CONFLICT,
    Unavailable: UNAVAILABLE,
}
_VALUED = {name for one in GLOBAL for name in one.names if not one.flag}


def main(argv: list[str]) -> int:
    """Run one command and return its exit code."""
    _complete()
    code = _done(argv)
    return DONE if code and _goes_on(argv) else code


def _complete() -> None:
    """Open what the caller has closed: a store must not get the number of an output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            stream = open(nothing, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 -- stays
            setattr(sys, name, stream)


def _done(argv: list[str]) -> int:
    as_json = "--json" in _before_dashes(argv)
    try:
        try:
            return _say(_reply(argv), as_json=as_json)
        except RecollectError as error:
            return _complain(error, as_json=as_json)
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return UNREAD
    except OSError as error:
        _abandon_output()
        complain(_refused(error))
        return UNAVAILABLE


def _refused(error: OSError) -> str:
    """What the system did not let pass, and what to do."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "There is no room left to write to. Free some space, and do it again."
    reason = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    return f"the system refuses to go on: {reason}{where}. See to that, and do it again."


def _goes_on(argv: list[str]) -> bool:
    """Whether a program waits for the command that has to go on whatever came of it."""
    name, _ = _split(argv)
    return name in MODULES and command(str(name)).fails_open


def _reply(argv: list[str]) -> Reply:
    name, rest = _split(argv)
    if name is None and {"--version", "-V"} & {*rest}:
        return Reply((f"recollect {__version__}",), lambda: {"version": __version__})
    if name is None or name == "help":
        return _help(rest, asked=name is not None or "--help" in rest or "-h" in rest)
    found = command(_known(name))
    if "-h" in _before_dashes(rest) or "--help" in _before_dashes(rest):
        return _page(found)
    return _run(found, _parsed(found, rest))


def _parsed(found: Command, rest: list[str]) -> Namespace:
    """Options may stand between the words of a text, unless two dashes end the options."""
    made = parser(found)
    try:
        return made.parse_args(rest)
    except InvalidRequest:
        if "--" in rest:
            raise
    # Understands more, and takes longer.
    return made.parse_intermixed_args(rest)


def _split(argv: list[str]) -> tuple[str | None, list[str]]:
    """The command's name, and the rest: global options may stand before it as well as after."""
    place = 0
    while place < len(argv) and argv[place].startswith("-"):
        place += 2 if argv[place] in _VALUED else 1
    if place >= len(argv):
        return None, argv
    return argv[place], argv[:place] + argv[place + 1 :]


def _known(name: str) -> str:
    if name in MODULES:
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, MODULES, 1, 0.7)
    guess = f" Did you mean `recollect {near[0]}`?" if near else ""
    raise InvalidRequest(
        f"There is no command {name!r}.{guess} `recollect --help` lists the commands."
    )


def _help(rest: list[str], *, asked: bool) -> Reply:
    names = [one for one in rest if not one.startswith("-")]
    if names in (["help"], ["recollect"]):
        names = []
    if names == ["settings"]:
        from recollect.ways.cli.manual import settings

        return _pages(list(settings()))
    if names and asked:
        return _page(command(_known(names[0])))
    from recollect.ways.cli.overview import overview

    lines = list(overview())
    return Reply(lines, lambda: {"help": "\n".join(map(str, lines))}, 0 if asked else INVALID)


def _page(found: Command) -> Reply:
    from recollect.ways.cli.manual import page

    return _pages(list(page(found)))


def _pages(lines: list[Shown]) -> Reply:
    return Reply(lines, lambda: {"help": "\n".join(map(str, lines))})


def _run(found: Command, args: Namespace) -> Reply:
    from recollect.config import load

    flags = ("store", "tenant", "user", "project")
    config = load({flag: getattr(args, flag, None) for flag in flags})
    if found.needs_store or (found.looks_up and args.store and _folder_is_there(config)):
        _expect_store(config)
    from recollect.ways.cli.session import Session

    with Session(config) as session:
        if not (found.doing and sys.stderr.isatty()) or args.json:
            return found.run(session, args)
        from recollect.ways.cli.bar import Bar

        with Bar(found.doing) as bar:
            session.report = bar.show
            return found.run(session, args)


def _expect_store(config: Config) -> None:
    # Where a server is to keep the memory, opening says why it does not.
    kept_here = not (config.own_folder or config.elsewhere)
    if kept_here and not os.path.exists(config.store):
        raise NotFound(
            f"There is no store at {config.store}. Correct the path; `recollect remember` makes"
            " a new one.",
            path=config.store,
        )


def _folder_is_there(config: Config) -> bool:
    """Without it, nothing is made, and opening says so."""
    return os.path.isdir(os.path.dirname(os.path.abspath(config.store)))


def _say(reply: Reply, *, as_json: bool) -> int:
    if as_json:
        _write_json(reply.data())
        return reply.code
    _write(reply.lines)
    for said in reply.notes:
        note(said)
    return reply.code


def _complain(error: RecollectError, *, as_json: bool) -> int:
    if as_json:
        from recollect.ways.cli.document import failure

        _write_json(failure(error))
    else:
        complain(str(error))
    return next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)


def _write_json(data: dict[str, object]) -> None:
    import json

    indent = None
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8, whatever the terminal speaks.
        sys.stdout.reconfigure(encoding="utf-8")
        indent = 2 if sys.stdout.isatty() else None
    _write([json.dumps(data, ensure_ascii=False, indent=indent)])


def _write(lines: Iterable[Shown]) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    for line in fitting(lines, sys.stdout):
        print(line)
    print(end="", flush=True)


def _before_dashes(argv: list[str]) -> list[str]:
    """What may be options; after `--` everything is text."""
    return argv[: argv.index("--")] if "--" in argv else argv


def _abandon_output() -> None:
    """Let Python's own flush at exit go nowhere, instead of failing a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
