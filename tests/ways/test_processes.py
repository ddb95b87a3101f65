"""The command as the shell starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

# What reading a record by id has no use for, and what each of these would cost at every start.
UNUSED = {
    "dataclasses",
    "hashlib",
    "http",
    "inspect",
    "json",
    "logging",
    "numpy",
    "onnxruntime",
    "pathlib",
    "simsimd",
    "subprocess",
    "tokenizers",
    "tomllib",
    "urllib",
}
RUN = "import sys; from recollect.__main__ import main; code = main()"
END = f"{RUN}; raise SystemExit(code)"


def start(*args, code=END, **more):
    """A process of its own, in the environment of the test."""
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, check=False, text=True, **more
    )


def loaded(*args):
    """The modules that a command has loaded when it is done, a bare interpreter's left out."""
    told = f"{RUN}; print(*sys.modules, file=sys.stderr); raise SystemExit(code)"
    done = start(*args, code=told)
    assert done.returncode == 0, done.stderr
    bare = start(code="import sys; print(*sys.modules)").stdout
    return {*done.stderr.split()} - {*bare.split()}


def test_reading_by_id_imports_nothing_that_it_has_no_use_for(remember):
    modules = loaded("get", remember("x"))
    assert "recollect.store.sqlite" in modules
    assert modules & UNUSED == set()


@pytest.mark.parametrize("command", ["list", "history"])
def test_no_model_is_loaded_to_look_around(remember, command):
    id_ = remember("x")
    modules = loaded(command, *([id_] if command == "history" else []))
    # The store itself speaks JSON here: filters and earlier versions are kept as it.
    assert modules & UNUSED <= {"json"}


def test_only_the_module_of_the_command_is_imported(remember):
    modules = loaded("get", remember("x"))
    ours = {name for name in modules if name.startswith("recollect.ways.cli.")}
    others = {"keep", "end", "care", "link", "overview"}
    assert ours & {f"recollect.ways.cli.{name}" for name in others} == set()


def test_another_process_finds_what_was_just_remembered(recollect, remember):
    id_ = remember("The kettle stands in the kitchen.")
    done = start("recall", "kettle", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["hits"][0]["record"]["id"] == id_


def test_the_bundled_model_finds_by_meaning_without_any_setting_up(tmp_path):
    # Neither a setting nor a home of any sort but this folder, and no way to any network.
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    for text in ("The kettle stands in the kitchen.", "Deployments go out on Tuesdays."):
        assert start("remember", text, env=environment).returncode == 0
    done = start("recall", "where do I boil water?", "--explain", env=environment)
    assert done.returncode == 0, done.stderr
    first = done.stdout.split("\n2. ")[0]
    assert "The kettle stands in the kitchen." in first
    assert "why: meaning 1.00" in first


def test_a_pipe_that_is_closed_early_ends_the_command_without_a_word(recollect, remember):
    for number in range(3):
        remember(f"memory {number}")
    lister = subprocess.Popen(
        [sys.executable, "-c", END, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert lister.stdout is not None
    lister.stdout.close()
    assert lister.stderr is not None
    with lister.stderr as said:
        assert said.read() == b""
    assert lister.wait() == 141


def test_an_interrupted_command_ends_without_a_trace(remember):
    id_ = remember("x")
    main, terminal = os.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-c", END, "forget", id_],
        bufsize=0,
        stdin=terminal,
        stderr=subprocess.PIPE,
    )
    assert asking.stderr is not None
    with asking.stderr as said:
        question = b""
        while not question.endswith(b"to go on: "):
            question += said.read(1)
            assert asking.poll() is None
        asking.send_signal(signal.SIGINT)
        rest = said.read()
    os.close(main)
    os.close(terminal)
    assert asking.wait() == 130
    assert rest.endswith(b"recollect: interrupted\n")
    assert b"Traceback" not in rest
