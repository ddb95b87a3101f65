"""The manifest of promises: each is held by a test that is there, and nothing was left out."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.facts import DOCUMENTS, FILE

TESTS = Path(__file__).parents[1]
MANIFEST = tomllib.loads(Path(__file__).with_name("requirements.toml").read_text("utf-8"))
NOT_HERE = "not here: "
CONTRACTS = ("memento", "codex-memory", "memory-mcp", "agent-memory", "membria")
ASKED = json.loads(FILE.read_text("utf-8"))
CODES = {
    "memento": ("MEMORY_NOT_FOUND", "INVALID_PARAMETER", "STORAGE_ERROR", "EMBEDDING_ERROR"),
    "codex-memory": (
        *("INVALID_ARGUMENT", "POLICY_BLOCKED", "ENTRY_NOT_FOUND"),
        *("STORAGE_FAILURE", "MIGRATION_FAILURE"),
    ),
    "memory-mcp": (
        "Embedding service not ready. Please try again.",
        "Memory not found: {id}",
        "Database error. Please try again.",
        "Invalid path: {path}",
    ),
    "agent-memory": (
        *("Permission Denied", "Isolation Violation", "Rate Limit Exceeded", "PI1 Violation"),
    ),
    "membria": (
        *("-32700", "-32600", "-32601", "-32602", "-32603"),
        *("-32001", "-32002", "-32003"),
    ),
}
PROMISES = [
    (document, section, promise, held)
    for document, sections in MANIFEST.items()
    for section, promises in sections.items()
    for promise, held in promises.items()
]
TOOLS = [(of, name) for of in CONTRACTS for name in ASKED[of]["tools"]]


@cache
def names(path):
    """The tests in a file."""
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def section(of, name):
    """What is promised of one tool."""
    titled = re.compile(rf"(\d+\.(\d )?|Tool: ) ?`?{re.escape(name)}`?$")
    return next(found for title, found in MANIFEST[f"{of}.md"].items() if titled.match(title))


def told(promises, field):
    """All that is said of one field."""
    return " ".join(promise for promise in promises if f"`{field}`" in promise)


@pytest.mark.parametrize(("document", "title", "promise", "held"), PROMISES)
def test_every_promise_is_held_by_a_test_that_is_there(document, title, promise, held):
    for one in [held] if isinstance(held, str) else held:
        if one.startswith(NOT_HERE):
            assert len(one) > len(NOT_HERE), "a promise that is not held here needs a reason"
            continue
        path, _, name = one.partition("::")
        assert (TESTS / path).is_file(), f"{document}, {title}: {promise}"
        assert not name or name in names(path), f"{document}, {title}: {promise}"


@pytest.mark.skipif(not DOCUMENTS.exists(), reason="the documents are not beside this clone")
@pytest.mark.parametrize("document", MANIFEST)
def test_sections_are_those_of_the_documents(document):
    text = (DOCUMENTS / document).read_text("utf-8")
    titles = {line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")}
    assert MANIFEST[document].keys() <= titles


@pytest.mark.parametrize(("of", "name"), TOOLS)
def test_every_field_of_every_tool_is_spoken_of_with_its_bounds(of, name):
    promises = section(of, name)
    sides = ASKED[of]["tools"][name]
    for field in sides["output"]:
        # What is within a field is spoken of with it; the same of every memory with the document.
        if not re.search(r"[.\[]", field) and field != "message":
            assert told(promises, field) or f"`{field}`" in str(promises), field
    for field, fact in sides["input"].items():
        if re.search(r"[.\[]", field):
            continue
        said = told(promises, field)
        assert said, field
        for bound in re.findall(r"(?:imum|Items)=([\d.]+)", fact):
            assert re.search(rf"\b{bound}\b", said), f"{field}: {bound}"
        for value in re.findall(r"enum=\[(.*?)\]", fact):
            for one in json.loads(f"[{value}]"):
                assert f'"{one}"' in said, f"{field}: {one}"
        for default in re.findall(r"default=([\d.]+)", fact):
            assert re.search(rf"\b{re.escape(default)}\b", said), f"{field}: {default}"


@pytest.mark.parametrize(("of", "code"), [(of, code) for of in CONTRACTS for code in CODES[of]])
def test_every_error_is_promised(of, code):
    assert any(f"`{code}`" in str(promises) for promises in MANIFEST[f"{of}.md"].values())
    if DOCUMENTS.exists():
        assert code in (DOCUMENTS / f"{of}.md").read_text("utf-8")


@pytest.mark.skipif(not DOCUMENTS.exists(), reason="the documents are not beside this clone")
@pytest.mark.parametrize("of", CONTRACTS)
def test_no_ruling_was_passed_over(of):
    rulings = (DOCUMENTS / "RULINGS.md").read_text("utf-8")
    part = rulings.split(f"\n## {of}\n")[1].split("\n## ")[0]
    # Each says at least one thing.
    assert len(MANIFEST["RULINGS.md"][of]) >= part.count("\n- ")
