"""Writes docs/recollect.1, the manual page, from what the commands declare.

Run from the root: python scripts/manpage.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.ways.cli.command import Argument, Command

PAGE = Path(__file__).parent.parent / "docs" / "recollect.1"


def main() -> int:
    """Write the page, or say whether it is as it should be."""
    written = "\n".join(page()) + "\n"
    if "--check" not in sys.argv:
        PAGE.write_text(written, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == written:
        return 0
    print("docs/recollect.1 is not what the commands say; `make docs` writes it", file=sys.stderr)
    return 1


def page() -> Iterator[str]:
    """All of it, in the language of man."""
    from recollect.config import SETTINGS
    from recollect.ways.cli.command import GLOBAL
    from recollect.ways.cli.commands import GROUPS, command
    from recollect.ways.cli.overview import CODES, EXAMPLES

    yield '.\\" Made from the commands themselves by scripts/manpage.py.'
    yield '.TH RECOLLECT 1 "" "Recollect" "User Commands"'
    yield from (".SH NAME", "recollect \\- long-term memory for AI agents, in one file")
    yield from (".SH SYNOPSIS", ".B recollect", "\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]")
    yield ".SH EXAMPLES"
    yield from _literal(EXAMPLES)
    yield ".SH OPTIONS OF EVERY COMMAND"
    yield from (each for one in GLOBAL for each in _option(one))
    yield ".SH COMMANDS"
    for _, _, names in GROUPS:
        for name in names:
            yield from _command(command(name))
    yield ".SH EXIT STATUS"
    for code, said in CODES:
        yield from (".TP", f".B {code}", _escaped(said))
    yield ".SH ENVIRONMENT"
    for one in SETTINGS:
        said = f"{one.about} Default: {one.default}.".replace("`", "")
        yield from (".TP", f".B {_escaped(one.variable)}", _escaped(said))
    yield ".SH FILES"
    yield from (".TP", ".I ~/.local/share/recollect/memory.db", "The memory.")
    yield from (".TP", ".I ~/.config/recollect/config.toml", "Settings.")


def _command(command: Command) -> Iterator[str]:
    from recollect.ways.cli.manual import PAGES

    known = PAGES[command.name]
    yield f".SS recollect {command.name}"
    yield _escaped(" ".join(command.about.split()))
    yield from (".PP", _escaped(known.when))
    yield from (each for one in command.arguments for each in _option(one))
    yield ".PP"
    yield from _literal(command.examples)
    also = ", ".join(f"recollect {one}" for one in known.also)
    yield from (".PP", f"See also {also}.")


def _option(one: Argument) -> Iterator[str]:
    names = ", ".join(name for name in one.names if name.startswith("-"))
    value = one.metavar or "|".join(one.choices or ())
    shown = [f"\\fB{_escaped(names)}\\fR"] if names else []
    shown += [f"\\fI{_escaped(value)}\\fR"] if value else []
    yield from (".TP", " ".join(shown), _escaped(one.help))


def _literal(lines: tuple[str, ...]) -> Iterator[str]:
    yield from (".nf", ".RS", *map(_escaped, lines), ".RE", ".fi")


def _escaped(text: str) -> str:
    r"""A text in which nothing is taken for a command.

    >>> _escaped("--as-of"), _escaped(".5")
    ('\\-\\-as\\-of', '\\&.5')
    """
    made = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{made}" if made[:1] in {".", "'"} else made


if __name__ == "__main__":
    sys.exit(main())
