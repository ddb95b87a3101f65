"""What a reader of the source may rely on."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "recollect"
SOURCES = {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in SOURCES.items()}

LONGEST_FUNCTION = 50
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}
BROAD = {"Exception", "BaseException"}
STATEMENT = re.compile(
    r"^\s*(SELECT\b.+\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM"
    r"|(CREATE|DROP|ALTER)\s+(VIRTUAL\s+|UNIQUE\s+|TEMP\s+)?(TABLE|INDEX|TRIGGER|VIEW)|WITH\s+\w+.+\bAS\s*\()",
    re.IGNORECASE | re.DOTALL,
)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but the docstrings, which may speak of anything."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr):
            yield from (n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.Expr))
        elif not isinstance(node.value, ast.Constant):
            yield from ast.iter_child_nodes(node)


def modules_where(holds: Callable[[ast.AST], bool]) -> set[str]:
    """The modules in which at least one node satisfies the predicate."""
    return {name for name, tree in TREES.items() if any(map(holds, nodes(tree)))}


def catches_everything(node: ast.AST) -> bool:
    """Whether a handler may swallow any error. One that undoes and raises again does not."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    last = node.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(one is None or (isinstance(one, ast.Name) and one.id in BROAD) for one in caught)


def is_sql(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        return bool(STATEMENT.match(text))
    return isinstance(node, ast.Constant) and bool(STATEMENT.match(str(node.value)))


def reads_environment(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "os" and bool(names(node) & ENVIRONMENT)
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in ENVIRONMENT
    )


def names(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}


def imports_dataclasses(node: ast.AST) -> bool:
    return (isinstance(node, ast.Import) and "dataclasses" in names(node)) or (
        isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
    )


def functions() -> list[tuple[str, int]]:
    return [
        (f"{name}:{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.mark.parametrize("name", SOURCES)
def test_every_module_says_what_it_is_for(name):
    assert ast.get_docstring(TREES[name])


@pytest.mark.parametrize("name", SOURCES)
def test_no_module_puts_work_off(name):
    assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", SOURCES[name].read_text(encoding="utf-8"))


def test_sql_lives_in_sql_files_only():
    assert modules_where(is_sql) == set()


def test_only_a_way_in_may_catch_everything():
    broad = modules_where(catches_everything)
    handlers = sum(catches_everything(node) for tree in TREES.values() for node in ast.walk(tree))
    assert handlers <= 1
    assert all(name.startswith("ways/") for name in broad)


def test_only_the_configuration_reads_the_environment():
    assert modules_where(reads_environment) <= {"config.py"}


def test_values_are_never_dataclasses():
    assert modules_where(imports_dataclasses) == set()


def test_no_function_is_longer_than_a_screen():
    assert [name for name, lines in functions() if lines > LONGEST_FUNCTION] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("q = 'SELECT id FROM record'", True),
        ("q = f'DELETE FROM {table}'", True),
        ("q = '  with found(id) as (select 1) select id from found'", True),
        ("q = 'INSERT OR REPLACE INTO record VALUES (1)'", True),
        ("q = 'Update the record, then select it from the list'", False),
        ("execute('UPDATE record SET text = NULL')", True),
        ("'Select the best from the list.'", False),
        ("def f():\n    'Select the best from the list.'", False),
        ("q = 3", False),
    ],
)
def test_sql_is_recognised(source, found):
    assert any(map(is_sql, nodes(ast.parse(source)))) is found


@pytest.mark.parametrize(
    ("caught", "then", "swallows"),
    [
        ("", "pass", True),
        ("Exception", "raise ValueError", True),
        ("(OSError, BaseException)", "return", True),
        ("BaseException", "undo(); raise", False),
        ("(OSError, ValueError)", "pass", False),
        ("OSError", "pass", False),
    ],
)
def test_a_handler_that_catches_everything_is_recognised(caught, then, swallows):
    tree = ast.parse(f"try:\n    pass\nexcept {caught}:\n    {then}")
    assert any(map(catches_everything, ast.walk(tree))) is swallows


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.environ['HOME']", True),
        ("import os\nos.getenv('HOME')", True),
        ("from os import environ", True),
        ("import os\nos.getpid()", False),
        ("from os import path", False),
    ],
)
def test_reading_the_environment_is_recognised(source, found):
    assert any(map(reads_environment, ast.walk(ast.parse(source)))) is found
