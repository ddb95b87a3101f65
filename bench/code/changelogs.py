"""What packages' changelogs say, as questions for the files that it is about."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from bench.code.corpus import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Distributions whose description holds their changelog, by the package that it is about.
LOGS = {
    "pydantic": "pydantic",
    "httpcore2": "httpcore2",
    "pytest_cov": "pytest_cov",
    "pathspec": "pathspec",
    "attrs": "attr",
    "build": "build",
}
_ENTRY = re.compile(r"^(?:[-*]|\d+\.) (.+(?:\n {2,}\S.+)*)", re.MULTILINE)
_NAMED = re.compile(r"`{1,2}([A-Za-z_][\w.]*)(?:\(\))?`{1,2}")
_NOISE = re.compile(
    r"\[[^\]]*\]\([^)]*\)|https?://\S+|#\d+|by @[\w-]+|@[\w-]+|in (?=\s|$)|[`*<>]|\(\s*\)"
)
_MOST_FILES = 3
_FEWEST_WORDS = 4


class Issue(NamedTuple):
    """A question, and the files that it is about."""

    package: str
    query: str
    paths: frozenset[str]


def issues(folder: Path) -> list[Issue]:
    """The entries that name what few files of their package define."""
    return [one for package in LOGS for one in _of(folder, package)]


def _of(folder: Path, distribution: str) -> Iterator[Issue]:
    package = LOGS[distribution]
    found = sorted(SITE.glob(f"{distribution}-*.dist-info/METADATA"))
    defined = _defined(folder, package)
    for match in _ENTRY.finditer(found[0].read_text("utf-8") if found else ""):
        entry = match[1]
        named = {name.rpartition(".")[2] for name in _NAMED.findall(entry)}
        files = [defined[name] for name in named if len(defined.get(name, ())) in {1, 2, 3}]
        query = " ".join(_NOISE.sub(" ", entry).split())
        paths = frozenset(path for some in files for path in some)
        if paths and len(paths) <= _MOST_FILES and len(query.split()) >= _FEWEST_WORDS:
            yield Issue(package, query[:400], paths)


def _defined(folder: Path, package: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file in sorted((folder / package).rglob("*.py")):
        try:
            tree = ast.parse(file.read_text("utf-8"))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.setdefault(node.name, set()).add(file.relative_to(folder).as_posix())
    return found
