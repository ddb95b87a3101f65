"""Writes the parts of the documents that the code already says; cog calls it."""

from __future__ import annotations

import ast
import json
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.ways.cli.command import Argument, Command

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "recollect"
DECISIONS = ROOT / "docs" / "adr"


def modules() -> str:
    """List every module with the first sentence of its docstring.

    >>> "`errors`" in modules()
    True
    """
    rows = [f"| `{_name(path)}` | {_sentence(path)} |" for path in sorted(PACKAGE.rglob("*.py"))]
    return "\n".join(["| module | what it is for |", "|---|---|", *rows])


def decisions() -> str:
    """List every decision with its title.

    >>> "(0001-architecture.md)" in decisions()
    True
    """
    rows = [
        f"| [{page.name[:4]}]({page.name}) | {_title(page)} |"
        for page in sorted(DECISIONS.glob("[0-9]*.md"))
    ]
    return "\n".join(["| | decision |", "|---|---|", *rows])


def commands() -> str:
    """Every command, by purpose, from the declarations that the program itself runs on.

    >>> "### recollect recall" in commands()
    True
    """
    from recollect.ways.cli.command import GLOBAL
    from recollect.ways.cli.commands import GROUPS, command

    lines = ["## Options of every command", "", *_arguments(GLOBAL)]
    for purpose, _, names in GROUPS:
        lines += ["", f"## {purpose}"]
        for name in names:
            lines += ["", *_command(command(name))]
    return "\n".join(lines)


def exit_codes() -> str:
    """What each exit code of the command line means.

    >>> "| 130 | interrupted |" in exit_codes()
    True
    """
    from recollect.ways.cli.overview import CODES

    return "\n".join(
        ["| code | what it means |", "|--:|---|", *(f"| {code} | {said} |" for code, said in CODES)]
    )


def settings() -> str:
    """Every setting with its names, its default and what it is for.

    >>> "`RECOLLECT_STORE`" in settings()
    True
    """
    from recollect.config import SETTINGS

    rows = [f"| `{one.key}` | `{one.variable}` | {one.default} | {one.about} |" for one in SETTINGS]
    return "\n".join(
        ["| in the file | variable | default | what it is for |", "|---|---|---|---|", *rows]
    )


def tools() -> str:
    """Every tool of every contract, with what it takes, as it is listed to clients.

    >>> "### supersede_memory" in tools()
    True
    """
    from recollect.contracts.every import NAMES
    from recollect.contracts.listing import Selection, offered

    lines: list[str] = []
    for name in NAMES:
        lines += ["", f"## {name}"]
        for one in offered(Selection((name,))):
            lines += ["", f"### {one.name}", "", one.shown["description"]]
            lines += _taken(one.shown["inputSchema"])
    return "\n".join(lines).strip()


def rest() -> str:
    """Every route of the REST API.

    >>> "| `POST` | `/recall` |" in rest()
    True
    """
    from recollect.ways.http.rest.table import routes

    rows = (
        f"| `{one.method}` | `{one.path}` | {one.role} | {cleandoc(one.op.__doc__ or '')} |"
        for one in sorted(routes(), key=lambda one: one.path)
    )
    return "\n".join(["| | below `/api/v1` | role | |", "|---|---|---|---|", *rows])


def _taken(schema: dict[str, Any]) -> Iterator[str]:
    properties = schema.get("properties", {})
    if not properties:
        return
    yield from ("", "| | | default | what it is |", "|---|---|---|---|")
    required = schema.get("required", ())
    for name, of in properties.items():
        types = of.get("type", "anything")
        shown = " or ".join(types) if isinstance(types, list) else types
        default = "required" if name in required else json.dumps(of.get("default"))
        yield f"| `{name}` | {_bounded(shown, of)} | {default} | {of.get('description', '')} |"


def _bounded(shown: str, of: dict[str, Any]) -> str:
    """The type with what bounds it."""
    if "enum" in of:
        return ", ".join(f"`{one}`" for one in of["enum"] if one is not None)
    low, high = of.get("minimum"), of.get("maximum")
    bounds = [f"from {low}"] if low is not None else []
    bounds += [f"to {high}"] if high is not None else []
    return " ".join([shown, *bounds])


def _command(command: Command) -> Iterator[str]:
    from recollect.ways.cli.manual import PAGES

    places = [one for one in command.arguments if not one.names[0].startswith("-")]
    usage = " ".join(_place(one) for one in places)
    yield f"### recollect {command.name}"
    yield ""
    yield f"`{' '.join(filter(None, ('recollect', command.name, usage)))}`"
    yield ""
    yield from command.about.split("\n")
    yield ""
    yield PAGES[command.name].when
    if command.arguments:
        yield ""
        yield from _arguments(command.arguments)
    yield from ("", "```console", *(f"$ {example}" for example in command.examples), "```")
    also = ", ".join(f"`recollect {one}`" for one in PAGES[command.name].also)
    yield from ("", f"See also {also}.")


def _place(one: Argument) -> str:
    named = one.metavar or "|".join(one.choices or ())
    optional = f"[{named}]" if one.several == "?" else named
    return {"+": f"{named}...", "*": f"[{named}...]"}.get(one.several, optional)


def _arguments(arguments: tuple[Argument, ...]) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for one in arguments:
        name = one.names[0] if one.names[0].startswith("-") else ""
        shown = " ".join(filter(None, (name, one.metavar)))
        # A line between the choices would be one of the table.
        choices = ", ".join(f"`{each}`" for each in one.choices or ()) if not one.metavar else ""
        yield f"| {' '.join(filter(None, (shown and f'`{shown}`', choices)))} | {one.help} |"


def _title(page: Path) -> str:
    """What the heading says after the number."""
    return page.read_text(encoding="utf-8").partition("\n")[0].partition(". ")[2]


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or "recollect"


def _sentence(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split())
