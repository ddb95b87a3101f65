"""Does what README.md says, and nothing else, as somebody who has just cloned Recollect.

In a clone, a home and an environment of their own: the commands of its two first parts, word for
word. Then the official inspector, started as one client's new settings say, keeps a fact, and a
client of another SDK, started as another's say, finds it. Prints how long each step took.
"""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PARTS = ("Install", "Give it to your agent")
FACT = "The kettle stands in the kitchen."
NPM = ROOT / "tests" / "npm"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
PATIENCE = 600


def main() -> int:
    """Do it all, and say how long it took."""
    sys.path.insert(0, str(ROOT))
    begun, used = time.monotonic(), _processor()
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        # These clients are installed on the stranger's machine.
        for client in (".cursor", ".codex", ".claude"):
            (home / client).mkdir(parents=True)
        clone = Path(folder) / "recollect"
        with _step("clone"):
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S607 -- as people have it
        for part in PARTS:
            with _step(part):
                _typed(commands(clone / "README.md", part), clone, home)
        with _step("keep, by the inspector as Cursor would"):
            _keep(json.loads((home / ".cursor/mcp.json").read_text("utf-8")), home)
        with _step("find, by another SDK as Codex would"):
            _find(tomllib.loads((home / ".codex/config.toml").read_text("utf-8")), home)
    took, spent = time.monotonic() - begun, _processor() - used
    print(f"from clone to recall: {took:.0f} s, of which the processor worked {spent:.0f} s")
    return 0


def commands(page: Path, part: str) -> str:
    """The first commands of a part of the page."""
    said = page.read_text("utf-8").partition(f"\n## {part}\n")[2].partition("\n## ")[0]
    found = re.search(r"^```sh\n(.*?)^```$", said, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"README.md has no commands under {part!r}")
    return found[1]


def _typed(lines: str, folder: Path, home: Path) -> None:
    """Type commands at a terminal, and yes where one asks; stop at the first that fails."""
    # A shell forgets which environment is active, and a person does not begin a new one in between.
    active = home / ".recollect" / "bin" / "activate"
    script = f"set -e\n[ -e {active} ] && . {active}\n{lines}"
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["bash", "-c", script],  # noqa: S607 -- as people have it
        cwd=folder, env=_environment(home), stdin=theirs, stdout=theirs, stderr=theirs,
    ) as shell:  # fmt: skip
        os.close(theirs)
        said = _answered(ours)
        code = shell.wait(PATIENCE)
    os.close(ours)
    if code:
        raise SystemExit(f"README.md says\n{lines}\nwhich failed:\n{said}")


def _answered(terminal: int) -> str:
    said, asked = "", 0
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:
            # The other end is closed.
            return said
        said += part.decode(errors="replace")
        if said.count("to go on: ") > asked:
            asked += 1
            os.write(terminal, b"yes\n")


def _keep(settings: dict[str, Any], home: Path) -> None:
    entry = settings["mcpServers"]["recollect"]
    node = _node()
    arguments = ("--tool-name", "store_memory", "--tool-args-json", json.dumps({"content": FACT}))
    command = [
        *node, str(NPM / INSPECTOR), "--cli", entry["command"], *entry["args"],
        "--format", "json", "--method", "tools/call", *arguments,
    ]  # fmt: skip
    _run(command, home)


def _find(settings: dict[str, Any], home: Path) -> None:
    entry = settings["mcp_servers"]["recollect"]
    command = [*_node(), str(NPM / "converse.mjs"), "v1", entry["command"], *entry["args"]]
    call = json.dumps({"name": "recall", "arguments": {"query": "where can I boil water?"}})
    said = _run(command, home, given=call)
    if FACT not in said:
        raise SystemExit(f"the fact was not found; the answer was\n{said}")


def _run(command: list[str], home: Path, given: str = "") -> str:
    done = subprocess.run(
        command, env=_environment(home), input=given, capture_output=True, text=True,
        check=False, timeout=PATIENCE,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _node() -> list[str]:
    from tests.npm.node import MODULES, runtime

    node = runtime()
    if node is None or not (MODULES / "@modelcontextprotocol/inspector").exists():
        print("the programs from npm are not here, so no client was tried", file=sys.stderr)
        raise SystemExit(0)
    return [node]


def _environment(home: Path) -> dict[str, str]:
    # Of the caller's own, only what says where packages come from and where they are kept.
    known = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.upper().endswith("_PROXY") or name == "PATH"
    }
    cache = os.environ.get("PIP_CACHE_DIR") or os.path.expanduser("~/.cache/pip")  # noqa: PTH111 -- a path for another program
    return {**known, "HOME": str(home), "PIP_CACHE_DIR": cache, "TERM": "dumb"}


@contextmanager
def _step(name: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(f"{time.monotonic() - begun:6.1f} s  {name}", flush=True)


def _processor() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    sys.exit(main())
