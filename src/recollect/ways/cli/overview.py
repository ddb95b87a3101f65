"""What `recollect --help` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ways.cli.command import GLOBAL
from recollect.ways.cli.commands import GROUPS, command
from recollect.ways.cli.line import HEAD, NAME, line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.ways.cli.line import Shown

EXAMPLES = (
    'recollect remember "Deployments go out on Tuesdays."',
    'recollect recall "when do we ship?"',
    "recollect list --json",
)
CODES = (
    (0, "done; a search that finds nothing is done too"),
    (1, "what was named is not there, a check found a problem, or you said no"),
    (2, "the command cannot be carried out as it was given"),
    (3, "the memory has changed, or is not in a state that allows this: read again"),
    (4, "a file, disk, model or network is not there, busy, damaged or too new"),
    (130, "interrupted"),
    (141, "whoever read the output went away"),
)


ENDING = (
    "A TIME is 2026-02-12, 2026-02-12T10:30Z, or 7d for seven days ago (m, h, d, w); UTC",
    "unless it says otherwise. Settings can also come from the environment (RECOLLECT_STORE,",
    "RECOLLECT_USER, ...) or from ~/.config/recollect/config.toml: `recollect help settings`.",
)


def overview() -> Iterator[Shown]:
    """Every command by purpose, then what holds for all of them."""
    yield "usage: recollect COMMAND ..."
    yield ""
    yield line("One long-term memory for AI agents and the people who work with them, in one file.")
    for purpose, _, names in GROUPS:
        yield from _table(purpose, [(name, command(name).purpose) for name in names])
    yield ""
    yield line(("Examples", HEAD))
    yield from (f"  {example}" for example in EXAMPLES)
    yield from _table(
        "Options of every command",
        [
            ("--help", "show the page of a command, as `recollect help COMMAND` does"),
            *((_option(one.names[0], one.metavar), one.about) for one in GLOBAL),
            ("--version", "show the version, alone"),
        ],
    )
    yield from _table("Exit codes", [(str(code), meaning) for code, meaning in CODES])
    yield ""
    yield from (line(one) for one in ENDING)


def _option(name: str, metavar: str | None) -> str:
    return f"{name} {metavar}" if metavar else name


def _table(heading: str, rows: list[tuple[str, str]]) -> Iterator[Shown]:
    yield ""
    yield line((heading, HEAD))
    yield from (line("  ", (f"{name:<15}", NAME), f" {meaning}", hang=18) for name, meaning in rows)
