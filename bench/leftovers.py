"""What is left when hooks and servers have come and gone: processes, locks, files.

500 hooks, every tenth of which is killed half-way, and 50 servers whose clients get kill -9.

Run from the root: python -m bench.leftovers [--hooks N] [--servers N] [--keep]
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.__main__ import machine, repository
from bench.measure import load
from recollect.config import Config
from recollect.ops import Remember
from recollect.wiring import open_engine

COMMAND = str(Path(sys.executable).with_name("recollect"))
RESULTS = Path(__file__).parent / "results" / "leftovers.json"
# Seconds. Long enough to be in the middle of something, and other for each.
KILLED_AFTER = [0.01 * n for n in range(1, 9)]
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}  # fmt: skip
CALL = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "store_memory", "arguments": {"content": "A fact of client {}."}},
}  # fmt: skip
# A client that starts a server, has it write, and then waits until it is killed.
CLIENT = """
import json, subprocess, sys
server = subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.argv[2:]:
    server.stdin.write(line.encode() + b"\\n")
    server.stdin.flush()
    if '"id"' in line:
        server.stdout.readline()
print(server.pid, flush=True)
sys.stdin.read()
"""


def hook(number: int, environment: dict[str, str], folder: Path, *, killed: bool) -> None:
    """One hook as a program calls it."""
    event = ("SessionStart", "UserPromptSubmit", "Stop")[number % 3]
    said = {
        "hook_event_name": event, "session_id": f"s{number}", "cwd": str(folder),
        "prompt": "When do deployments of billing go out?",
        "last_assistant_message": f"We decided to use queue {number} for the jobs of billing.",
    }  # fmt: skip
    process = subprocess.Popen(
        [COMMAND, "hook"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    if killed:
        time.sleep(KILLED_AFTER[number // 10 % len(KILLED_AFTER)])
        process.kill()
    try:
        process.communicate(json.dumps(said).encode())
    except BrokenPipeError:
        process.wait()


def server(number: int, environment: dict[str, str]) -> float:
    """One server whose client is killed. Answers after how many seconds it had ended."""
    call = json.dumps(CALL).replace("{}", str(number))
    lines = [json.dumps(HELLO), '{"jsonrpc": "2.0", "method": "notifications/initialized"}', call]
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, COMMAND, *lines],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
    ) as client:  # fmt: skip
        assert client.stdout is not None
        watched = os.pidfd_open(int(client.stdout.readline()))
        client.kill()
        begun = time.monotonic()
        ended, _, _ = select.select([watched], [], [], 60)
        os.close(watched)
        return time.monotonic() - begun if ended else float("inf")


def processes(store: Path) -> list[int]:
    """Which processes have the store's name in their environment, this one apart."""
    mark = f"RECOLLECT_STORE={store}".encode()
    found = []
    for one in Path("/proc").iterdir():
        if one.name.isdecimal() and int(one.name) != os.getpid():
            try:
                if mark in (one / "environ").read_bytes().split(b"\0"):
                    found.append(int(one.name))
            except OSError:
                # It has ended meanwhile, or is another's.
                continue
    return found


def locks(folder: Path) -> int:
    """How many locks the system knows on files of a folder."""
    inodes = {str(one.stat().st_ino) for one in folder.iterdir()}
    held = Path("/proc/locks").read_text("utf-8").splitlines()
    return sum(line.split()[5].rpartition(":")[2] in inodes for line in held)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hooks", type=int, default=500)
    parser.add_argument("--servers", type=int, default=50)
    parser.add_argument("--keep", action="store_true", help="write the results down")
    asked = parser.parse_args()
    with TemporaryDirectory() as made:
        folder, temporary = Path(made, "store"), Path(made, "tmp")
        for one in (folder, temporary):
            one.mkdir()
        store = folder / "memory.db"
        with open_engine(Config(store=str(store), embedding="hash")) as engine:
            engine.run(Remember("Deployments of billing go out on Tuesdays."))
        environment = {
            **os.environ, "RECOLLECT_STORE": str(store), "TMPDIR": str(temporary), "HOME": made,
        }  # fmt: skip
        begun = time.monotonic()
        for number in range(asked.hooks):
            hook(number, environment, folder, killed=number % 10 == 9)
        waits = sorted(server(number, environment) for number in range(asked.servers))
        took = time.monotonic() - begun
        verified = subprocess.run(
            [COMMAND, "verify"], env=environment, capture_output=True, text=True, check=False
        )
        found = {
            "commit": repository()[0], "machine": machine(), "load": load(),
            "hooks": asked.hooks, "hooks killed": asked.hooks // 10, "servers": asked.servers,
            "seconds": round(took),
            "server ended after its client, seconds": {
                "p50": round(waits[len(waits) // 2], 3), "most": round(waits[-1], 3),
            },
            "left": {
                "processes": len(processes(store)), "locks": locks(folder),
                "temporary files": sorted(one.name for one in temporary.iterdir()),
                "files beside the store": sorted(one.name for one in folder.iterdir()),
            },
            "verify": verified.stdout.strip(),
        }  # fmt: skip
    print(json.dumps(found, indent=1))
    if asked.keep:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
