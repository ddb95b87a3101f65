"""The command line as a person meets it, in this process, on a store of its own."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest

from recollect.__main__ import main
from recollect.value import Value

_OURS = ("RECOLLECT_", "XDG_", "MEMBRIA_", "AGENT_MEMORY_")


class Said(Value):
    """What one run of a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON document on standard output."""
        assert self.err == ""
        return json.loads(self.out)


class Input(io.TextIOWrapper):
    """Standard input with something on it, from a terminal or not."""

    def __init__(self, given, *, terminal):
        super().__init__(io.BytesIO(given), encoding="utf-8")
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    """Nothing of the caller's settings reaches a test."""
    for name in [name for name in os.environ if name.startswith(_OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECOLLECT_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING", "hash")


@pytest.fixture
def recollect(monkeypatch, capsys):
    """Runs a command: `recollect("get", id)`."""

    def run(*argv, stdin=b"", terminal=False):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Input(stdin, terminal=terminal))
            code = main(list(argv))
        return Said(code, *capsys.readouterr())

    return run


@pytest.fixture
def remember(recollect):
    """Remembers a text and answers its id."""

    def run(text, *options):
        return recollect("remember", text, *options, "--json").json["record"]["id"]

    return run
