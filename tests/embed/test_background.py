"""Loading behind the scenes, and what those who wait for it are told."""

from __future__ import annotations

import subprocess
import sys
import threading
from threading import Event

import numpy as np
import pytest

from recollect.embed.background import Background, Status
from recollect.embed.hashed import HashEmbedder
from recollect.errors import ModelNotReady, Unavailable


class Slow(HashEmbedder):
    """Loads when it is told to, and fails when it has a reason to."""

    def __init__(self, error=None):
        super().__init__(8)
        self.go = Event()
        self.error = error
        self.loads = 0

    def load(self):
        self.loads += 1
        self.go.wait(10)
        if self.error is not None:
            raise self.error


def test_it_loads_while_the_caller_goes_on():
    slow = Slow()
    embedder = Background(slow)
    assert embedder.status is Status.LOADING
    embedder.start()
    assert (embedder.status, embedder.error) == (Status.LOADING, None)
    slow.go.set()
    embedder.ready(10)
    assert (embedder.status, embedder.error) == (Status.READY, None)


def test_the_model_is_known_while_it_loads():
    assert Background(Slow()).model == Slow().model


def test_who_needs_it_too_soon_is_told_to_try_again():
    slow = Slow()
    embedder = Background(slow, patience=0.001)
    for use in (lambda: embedder.query("a"), lambda: embedder.passages(["a"])):
        with pytest.raises(ModelNotReady, match=r"hash-8 is still loading after 0\.001 seconds"):
            use()
    slow.go.set()
    embedder.load()


def test_who_waits_long_enough_gets_the_vectors_of_the_model():
    slow = Slow()
    slow.go.set()
    embedder = Background(slow)
    assert np.array_equal(embedder.query("a text"), slow.query("a text"))
    assert np.array_equal(embedder.passages(["a text"]), slow.passages(["a text"]))


def test_it_is_loaded_once():
    slow = Slow()
    embedder = Background(slow)
    embedder.start()
    embedder.start()
    slow.go.set()
    embedder.load()
    embedder.load()
    assert slow.loads == 1


def test_a_failure_is_kept_and_told_to_everyone_who_asks():
    slow = Slow(Unavailable("no weights"))
    slow.go.set()
    embedder = Background(slow)
    with pytest.raises(Unavailable, match="no weights"):
        embedder.load()
    assert (embedder.status, embedder.error) == (Status.ERROR, slow.error)
    with pytest.raises(Unavailable, match="no weights"):
        embedder.query("a")


def test_after_a_failure_the_next_use_tries_again():
    slow = Slow(Unavailable("no network"))
    slow.go.set()
    embedder = Background(slow)
    with pytest.raises(Unavailable):
        embedder.load()
    slow.error = None
    assert embedder.query("a").shape == (8,)
    assert (embedder.status, slow.loads) == (Status.READY, 2)


def test_a_model_that_is_reached_no_more_is_no_longer_ready_until_it_is_used_again():
    class Remote(HashEmbedder):
        away = False

        def passages(self, texts):
            if self.away:
                raise Unavailable("The server has left.")
            return super().passages(texts)

    remote = Remote(8)
    embedder = Background(remote)
    embedder.load()
    remote.away = True
    with pytest.raises(Unavailable, match="has left"):
        embedder.passages(["a"])
    assert embedder.status is Status.ERROR
    assert str(embedder.error) == "The server has left."
    remote.away = False
    embedder.passages(["a"])
    assert (embedder.status, embedder.error) == (Status.READY, None)


def test_a_fault_of_the_program_is_reported_and_nobody_waits_for_ever(monkeypatch):
    slow = Slow(ZeroDivisionError())
    slow.go.set()
    embedder = Background(slow)
    reported = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_type))
    with pytest.raises(Unavailable, match="through a fault in the program"):
        embedder.load()
    embedder.close()
    assert reported == [ZeroDivisionError]


def test_closing_before_anything_was_loaded_does_no_harm():
    Background(HashEmbedder()).close()


def test_closing_waits_for_a_load_that_is_under_way():
    slow = Slow()
    embedder = Background(slow)
    embedder.start()
    slow.go.set()
    embedder.close()
    assert embedder.status is Status.READY


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.2])
def test_a_process_that_ends_while_loading_ends_in_order(seconds):
    code = "from recollect.embed.background import Background\n"
    code += "from recollect.embed.bundled import Bundled\n"
    code += f"import time; Background(Bundled()).start(); time.sleep({seconds})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
