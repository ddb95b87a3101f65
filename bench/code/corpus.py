"""Installed packages without their docstrings, and what each docstring said of its function."""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE = Path(sysconfig.get_paths()["purelib"])
PACKAGES = (
    *(
        "anyio",
        "attr",
        "click",
        "coverage",
        "cryptography",
        "fsspec",
        "hatchling",
        "huggingface_hub",
    ),
    *("hypothesis", "importlinter", "jsonschema", "mcp", "mypy", "packaging", "pip", "pydantic"),
    *("pygments", "_pytest", "rich", "scipy", "starlette", "tomlkit", "uvicorn"),
)
_FEWEST_WORDS = 4
_LARGEST = 400_000
_READ = 1_000_000
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Asked(NamedTuple):
    """A question, and where its answer is: a file, and the lines of a function in it."""

    package: str
    query: str
    path: str
    start: int
    end: int


def prepare(folder: Path, packages: tuple[str, ...] = PACKAGES) -> list[Asked]:
    """Write the packages without docstrings, and answer what the docstrings ask."""
    asked: list[Asked] = []
    for package in packages:
        for file in sorted((SITE / package).rglob("*.py")):
            path = file.relative_to(SITE).as_posix()
            if file.stat().st_size > _LARGEST or "/tests/" in path or "/test/" in path:
                continue
            text, found = stripped(file.read_text("utf-8", errors="replace"))
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
            asked += [Asked(package, query, path, start, end) for query, start, end in found]
    return asked


def sample(asked: list[Asked], most: int, seed: int = 7) -> list[Asked]:
    """So many questions, each text once, packages taking turns so that none has them all."""
    once = list({one.query: one for one in asked}.values())
    random.Random(seed).shuffle(once)
    of: dict[str, list[Asked]] = {}
    for one in once:
        of.setdefault(one.package, []).append(one)
    turns = [
        one for round_ in range(most) for some in of.values() for one in some[round_ : round_ + 1]
    ]
    return turns[:most]


def stripped(text: str) -> tuple[str, list[tuple[str, int, int]]]:
    """A module without docstrings; of each function that had one, its first sentence and lines."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text, []
    lines = text.split("\n")
    gone: set[int] = set()
    said: list[tuple[str, int, int]] = []
    for node in ast.walk(tree):
        if not isinstance(node, Definition | ast.ClassDef | ast.Module) or not node.body:
            continue
        doc = node.body[0]
        if not (isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)):
            continue
        if not isinstance(doc.value.value, str) or len(node.body) == 1:
            continue
        if isinstance(node, Definition):
            query = sentence(doc.value.value)
            if len(query.split()) >= _FEWEST_WORDS:
                said.append((query, node.lineno, node.end_lineno or node.lineno))
        gone.update(range(doc.lineno, (doc.end_lineno or doc.lineno) + 1))
    before = [0]
    for number in range(1, len(lines) + 2):
        before.append(before[-1] + (number in gone))
    kept = "\n".join(line for number, line in enumerate(lines, 1) if number not in gone)
    return kept, [(query, start - before[start], end - before[end]) for query, start, end in said]


def sentence(doc: str) -> str:
    """The first sentence of a docstring, without its markup."""
    first = re.split(r"\n\s*\n|(?<=[a-z)])\.(?:\s|$)", doc.strip(), maxsplit=1)[0]
    plain = re.sub(r":\w+:|[`*~|]+", " ", first)
    return " ".join(plain.split())[:300]


def windows(
    folder: Path, pattern: str = "*.py", size: int = 40
) -> Iterator[tuple[str, int, int, str]]:
    """Every file in parts of so many lines: path, first and last line, text."""
    for file in sorted(folder.rglob(pattern)):
        if not file.is_file() or file.stat().st_size > _READ or b"\0" in file.read_bytes():
            continue
        path = file.relative_to(folder).as_posix()
        lines = file.read_text("utf-8", errors="replace").split("\n")
        for at in range(0, len(lines), size):
            yield path, at + 1, min(at + size, len(lines)), "\n".join(lines[at : at + size])
