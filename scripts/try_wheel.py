"""Tries an installed `recollect` command from an empty folder: `try_wheel.py path/to/recollect`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def main(command: Path) -> None:
    """Run what a new user would run first, and stop at the first thing that goes wrong."""
    manual = command.parent.parent / "share" / "man" / "man1" / "recollect.1"
    _expect(".SS recollect remember", manual.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as home:
        said = _run(command, "--version", home=home)
        _expect("recollect ", said)
        # These need what is not Python in the wheel: the SQL and the weights of the model.
        _run(command, "remember", "The kettle stands in the kitchen.", home=home)
        _expect("kitchen", _run(command, "recall", "where do I boil water?", home=home))
        _run(command, "verify", home=home)
    print(f"{said.strip()}: the wheel works")


def _expect(part: str, said: str) -> None:
    if part not in said:
        raise SystemExit(f"expected {part!r} in what the command said, which was:\n{said}")


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
