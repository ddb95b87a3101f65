"""Tries an installed `recollect` command from an empty folder: `try_wheel.py path/to/recollect`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def main(command: Path) -> None:
    """Run what a new user would run first, and stop at the first thing that goes wrong."""
    with tempfile.TemporaryDirectory() as home:
        said = _run(command, "--version", home=home)
    if not said.startswith("recollect "):
        raise SystemExit(f"{command} --version said {said!r}")
    print(f"{said.strip()}: the wheel works")


def _run(command: Path, *args: str, home: str) -> str:
    # Nothing of the caller's environment reaches the command, so it finds no source and no store.
    done = subprocess.run(
        [command, *args], cwd=home, env={"HOME": home}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{command.name} {' '.join(args)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
