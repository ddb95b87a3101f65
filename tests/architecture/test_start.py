"""What a command may import before it has anything to do."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from recollect import __version__
from recollect.__main__ import main
from recollect.config import Config
from recollect.ops import Remember
from recollect.wiring import open_engine

HEAVY = {
    "apsw",
    "argparse",
    "dataclasses",
    "importlib.metadata",
    "json",
    "logging",
    "numpy",
    "onnxruntime",
    "re",
    "simsimd",
    "tokenizers",
    "typing",
}


def imported_by(*args: str) -> set[str]:
    """The modules that Python imports when the package is run with these arguments."""
    start = "from recollect.__main__ import main; raise SystemExit(main())"
    command = [sys.executable, "-X", "importtime", "-c", start, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))
    assert "recollect._version" in imported
    return imported


def imported_by_nothing() -> set[str]:
    """What a bare interpreter imports here, to which an environment's own hooks may add."""
    command = [sys.executable, "-X", "importtime", "-c", "pass"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_asking_for_the_version_imports_nothing_heavy(flag):
    assert imported_by(flag) & HEAVY <= imported_by_nothing()


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_told(flag, capsys):
    assert main([flag]) == 0
    assert capsys.readouterr().out == f"recollect {__version__}\n"


def test_reading_a_record_imports_nothing_of_writing_or_deciding(tmp_path):
    store = str(tmp_path / "memory.db")
    with open_engine(Config(store=store, embedding="hash")) as engine:
        id_ = engine.run(Remember("The build uses uv.")).record.id
    spared = {"json", "hashlib", "logging", "numpy", "recollect.store.sqlite.write"}
    spared |= {"recollect.decisions", "recollect.store.barred"}
    assert not imported_by("--store", store, "get", id_) & spared - imported_by_nothing()


def test_a_search_by_words_alone_needs_no_numpy(tmp_path):
    store = str(tmp_path / "memory.db")
    with open_engine(Config(store=store, embedding="hash")) as engine:
        for text in ("The build uses uv.", "The build runs on two cores."):
            engine.run(Remember(text))
    program = (
        "import sys\n"
        "from recollect.config import Config\n"
        "from recollect.ops import Recall, Weights\n"
        "from recollect.wiring import open_engine\n"
        "with open_engine(Config(store=sys.argv[1], embedding='hash')) as engine:\n"
        "    found = engine.run(Recall('the build', weights=Weights(0, 1, 0)))\n"
        "print(len(found.hits), 'numpy' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, store]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "2 False\n"
