"""What a command is: one declaration, from which its parser, its help and its page are made."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, NoReturn

from recollect.errors import InvalidRequest
from recollect.value import Value
from recollect.ways.cli.read import text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

DONE, NOT_DONE, INVALID, CONFLICT, UNAVAILABLE = 0, 1, 2, 3, 4
INTERRUPTED, UNREAD = 130, 141


class Argument(Value):
    """One argument or option of a command."""

    names: tuple[str, ...]
    about: str
    metavar: str | None = None
    read: Callable[[str], object] = text
    # "+" or "*" takes several at once, "append" one each time the option is given.
    several: str = ""
    flag: bool = False
    choices: tuple[str, ...] | None = None
    default: object = None

    @property
    def help(self) -> str:
        """What it is for, and what it is when it is not given."""
        return (
            self.about if self.default in {None, ""} else f"{self.about} (default: {self.default})"
        )


class Reply(Value):
    """What a command has to say: to people, to programs, and to the shell."""

    # Written one by one, so that a reader who has seen enough ends the work.
    lines: Iterable[Shown]
    # A function, so that people do not wait for what only programs read.
    data: Callable[[], dict[str, object]]
    code: int = DONE
    # Beside the answer: what a person should know about it.
    notes: tuple[str, ...] = ()


class Command(Value):
    """One command."""

    name: str
    purpose: str
    about: str
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...]
    run: Callable[[Session, Namespace], Reply]
    # Whether it makes no sense on a store that is not there yet.
    needs_store: bool = False
    # Whether it is about what is kept already, so that a store named with --store has to be there.
    looks_up: bool = False
    # What is said while it goes on for longer than a moment.
    doing: str = ""
    # Whether it ends well whatever happens, because a program waits that has to go on.
    fails_open: bool = False


GLOBAL = (
    Argument(("--store",), "the file that holds the memory", "PATH"),
    Argument(("--tenant",), "which of several separate memories in the file", "NAME"),
    Argument(("--json",), "answer with one JSON document, errors included", flag=True),
)


class _Parser(ArgumentParser):
    """A parser whose complaints are errors like all others."""

    def error(self, message: str) -> NoReturn:
        raise InvalidRequest(f"{message}; `{self.prog} --help` shows how to call it.")


def parser(command: Command) -> ArgumentParser:
    """The parser of one command."""
    made = _Parser(
        prog=f"recollect {command.name}",
        description=command.about,
        formatter_class=_formatter,
        allow_abbrev=False,
        add_help=False,
    )
    given = made.add_argument_group("arguments")
    options = made.add_argument_group("options")
    for argument in command.arguments:
        group = options if argument.names[0].startswith("-") else given
        group.add_argument(*argument.names, **_options(argument))
    shared = made.add_argument_group("options of every command")
    shared.add_argument("-h", "--help", help="show this page", action="store_true")
    for argument in GLOBAL:
        shared.add_argument(*argument.names, **_options(argument))
    return made


def _formatter(prog: str) -> RawDescriptionHelpFormatter:
    # Help that is as wide everywhere, so that what is shown is what was tested.
    return RawDescriptionHelpFormatter(prog, max_help_position=28, width=90)


def _choices(argument: Argument) -> str | None:
    """What is shown of an argument without a name: what it can be."""
    named = argument.names[0].startswith("-") or not argument.choices
    return None if named else f"{{{','.join(argument.choices or ())}}}"


def _options(argument: Argument) -> dict[str, Any]:
    about = argument.help.replace("%", "%%")
    if argument.flag:
        return {"help": about, "action": "store_true"}
    options: dict[str, Any] = {
        "help": about,
        "metavar": argument.metavar or _choices(argument),
        "type": argument.read,
        "choices": argument.choices,
        "default": argument.default,
    }
    if argument.several == "append":
        options["action"] = "append"
    elif argument.several:
        options["nargs"] = argument.several
    return options
