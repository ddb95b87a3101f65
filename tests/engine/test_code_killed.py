"""A process that is killed while it indexes leaves a sound store, and the next one goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from recollect.ops import IndexProject, IndexState, SearchCode, Verify
from recollect.store.sqlite import SqliteStore
from tests.engine.build import opened

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from recollect.ops import IndexProject
from recollect.store.sqlite import SqliteStore
from tests.engine.build import opened

engine = opened(SqliteStore.open(sys.argv[1]), new_id=None)
engine.run(IndexProject(sys.argv[2]), lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_a_killed_process_has_indexed_is_not_read_again(tmp_path):
    root, store = tmp_path / "atlas", tmp_path / "memory.db"
    root.mkdir()
    for number in range(90):
        text = f"def job_{number}(x):\n    return job_{number - 1}(x)\n\n\n# {'padding ' * 300}\n"
        (root / f"m{number:02}.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store), str(root)], cwd=ROOT, check=False
    )
    assert done.returncode == -signal.SIGKILL
    with opened(SqliteStore.open(store), new_id=None) as engine:
        state = engine.run(IndexState("atlas"))
        assert state.status == "failed"
        assert "ended before it was done" in state.error
        assert 0 < state.indexed_files < 90
        assert engine.run(SearchCode("job_0")).hits[0].record.title == "job_0"
        rest = engine.run(IndexProject(str(root)))
        assert rest.files == 90 - state.indexed_files
        assert rest.project.status == "completed"
        assert engine.run(IndexState("atlas")).total_chunks == rest.project.total_chunks
        assert engine.run(Verify()).problems == ()
