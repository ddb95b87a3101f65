"""The names that a piece of code uses: what it calls, and what its file imports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CALLS = 60
_MOST_IMPORTS = 200
_READ = 4_000

_calls = re.compile(
    r"(?<![\w$])(?<!def )(?<!fn )(?<!func )(?<!fun )(?<!function )(?<!sub )"
    r"([A-Za-z_$][\w$]*)\s*(?:::<[^<>]*>|!)?\("
).findall
_KEYWORDS = frozenset(
    """
    if elif else for while switch catch return function def fn func fun class struct sizeof typeof
    not and or in is lambda with match when unless until case do try except finally raise throw new
    delete await async yield super this self print println printf len str int float bool list dict
    set tuple range isinstance echo defined foreach using lock fixed assert require include init
    get append push len map filter format String Array Object Some Ok Err None vec panic make
    """.split()
)
_IMPORTS = {
    "python": r"^\s*(?:from\s+([.\w]+)\s+import|import\s+([.\w]+(?:\s*,\s*[.\w]+)*))",
    "javascript": r"(?:from|import|require\s*\(|import\s*\()\s*['\"]([^'\"]+)['\"]",
    "rust": r"^\s*(?:pub\s+)?(?:use\s+([\w:]+)|mod\s+(\w+)\s*;)",
    "go": r"^\s*(?:import\s+)?(?:\w+\s+)?\"([\w./-]+)\"\s*$",
    "java": r"^\s*import\s+(?:static\s+)?([\w.]+)",
    "c": r"^\s*#\s*(?:include|import)\s*[<\"]([^>\"]+)[>\"]",
    "ruby": r"^\s*(?:require|require_relative|load|autoload)\b[^'\"]*['\"]([^'\"]+)['\"]",
    "php": r"^\s*(?:use\s+([\w\\]+)|(?:require|include)(?:_once)?\b[^'\"]*['\"]([^'\"]+)['\"])",
    "csharp": r"^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;",
    "swift": r"^\s*import\s+(?:\w+\s+)?([\w.]+)",
    "bash": r"^\s*(?:source|\.)\s+['\"]?([^\s'\"]+)",
    "lua": r"require\s*\(?\s*['\"]([^'\"]+)['\"]",
    "dart": r"^\s*(?:import|export|part)\s+['\"]([^'\"]+)['\"]",
    "elixir": r"^\s*(?:alias|import|use|require)\s+([\w.]+)",
    "haskell": r"^\s*import\s+(?:qualified\s+)?([\w.]+)",
}
_LIKE = {
    "typescript": "javascript",
    "vue": "javascript",
    "svelte": "javascript",
    "astro": "javascript",
    "cpp": "c",
    "objc": "c",
    "kotlin": "java",
    "scala": "java",
    "groovy": "java",
}


def called(lines: Sequence[str], own: str) -> tuple[str, ...]:
    """The names that are called, each once, in order, without the piece's own.

    >>> called(["def f(x):", "    return load(x) + parse(load(x))"], "f")
    ('load', 'parse')
    """
    found = dict.fromkeys(_calls("\n".join(lines)))
    kept = [name for name in found if name not in _KEYWORDS and name != own and len(name) > 1]
    return tuple(kept[:MOST_CALLS])


def imported(language: str, lines: Sequence[str]) -> tuple[str, ...]:
    """What a file imports, as it says it, each once.

    >>> imported("python", ["import os, sys", "from a.b import c"])
    ('os', 'sys', 'a.b')
    """
    pattern = _IMPORTS.get(_LIKE.get(language, language))
    if pattern is None:
        return ()
    found: dict[str, None] = {}
    for groups in re.findall(pattern, "\n".join(lines[:_READ]), re.MULTILINE):
        said = next(filter(None, groups), "") if isinstance(groups, tuple) else groups
        found |= dict.fromkeys(one.strip() for one in said.split(",") if one.strip())
    return tuple(found)[:_MOST_IMPORTS]
