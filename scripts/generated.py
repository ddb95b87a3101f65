"""Writes the parts of the documents that the code already says; cog calls it."""

from __future__ import annotations

import ast
from pathlib import Path

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


def _title(page: Path) -> str:
    """What the heading says after the number."""
    return page.read_text(encoding="utf-8").partition("\n")[0].partition(". ")[2]


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or "recollect"


def _sentence(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split())
