"""What a message says to do can be done."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import recollect
from recollect.ways.cli.command import GLOBAL
from recollect.ways.cli.commands import MODULES, command

PACKAGE = Path(recollect.__file__).parent
ADVICE = re.compile(r"`recollect ([^`]+)`")
OPTION = re.compile(r"--[a-z][a-z-]*")


def advised():
    """Every command line that a text of the program names, with the file that names it."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "X" for p in node.values)
                text = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            for line in ADVICE.findall(text):
                yield path.relative_to(PACKAGE).as_posix(), line


@pytest.mark.parametrize(("file", "line"), sorted(set(advised())))
def test_every_command_that_a_message_names_exists_with_its_options(file, line):
    first, *rest = line.split()
    if first == "X" or first.startswith("-"):
        return
    if first == "help":
        assert set(rest) <= {*MODULES, "COMMAND", "settings"}, file
        return
    assert first in MODULES, file
    one = command(first)
    known = {name for argument in (*one.arguments, *GLOBAL) for name in argument.names}
    assert set(OPTION.findall(" ".join(rest))) <= known | {"--help"}, file


def test_messages_are_looked_through():
    assert ("engine/carry.py", "import") in set(advised())
