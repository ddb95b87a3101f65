"""Claude Code and Codex themselves, where they are, with a stub for their model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "build" / "agents" / "node_modules"


@pytest.mark.skipif(not MODULES.exists(), reason="`make bench-agents` installs them")
def test_agents_keep_and_find_with_tools_and_with_hooks():
    done = subprocess.run(
        [sys.executable, "-m", "bench.agents", "--modules", str(MODULES)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    sessions = json.loads(done.stdout)["sessions"]
    assert [one["session"] for one in sessions if one["code"] == 0].count("finds") > 0
