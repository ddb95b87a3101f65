"""What `recollect top` shows, with and without a server that answers."""

from __future__ import annotations

import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from recollect.ways.cli.top import Calls, _read
from recollect.ways.measures import Measures

TOOL = "gen_ai_tool_name"


def test_calls_are_read_from_what_a_server_measures():
    measures = Measures()
    for seconds in (0.001, 0.002, 0.2):
        measures.note({TOOL: "recall", "error_type": ""}, seconds)
    measures.note({TOOL: "recall", "error_type": "tool_error"}, 0.002)
    measures.note({TOOL: "get_status"}, 0.0001)
    measures.note({"mcp_method_name": "tools/list"}, 9)
    assert _read(measures.shown()) == [Calls("recall", 4, 0.0025), Calls("get_status", 1, 0.0005)]


def test_it_is_shown_once_where_nobody_looks_at_a_terminal(recollect, remember):
    remember("The kettle stands in the kitchen.")
    said = recollect("top", "--server", "http://127.0.0.1:9")
    assert said.code == 0
    assert said.out.startswith("1 memory, 0 decisions,")
    assert (
        "No server answers at http://127.0.0.1:9; `recollect serve --http` starts one." in said.out
    )
    assert "remember by human" in said.out
    whole = recollect("top", "--json", "--server", "http://127.0.0.1:9").json
    assert whole["status"]["counts"]["memories"] == 1
    assert whole["calls"] == []


def answering(status):
    """A server that answers with a status, and nothing else."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            """Nobody reads it."""

    return HTTPServer(("127.0.0.1", 0), Answers)


@pytest.mark.parametrize(
    ("status", "key", "why"),
    [
        (401, "", "wants a key: put it into AGENT_MEMORY_SECRET. `recollect keys create NAME`"),
        (403, "rk_old", "wants another key: put it into AGENT_MEMORY_SECRET."),
        (404, "", "is no server of ours, or tells nothing (404)."),
        (200, "", "Nobody has called a tool of this server since it was started."),
    ],
)
def test_why_a_server_that_answers_tells_nothing_is_said(recollect, monkeypatch, status, key, why):
    if key:
        monkeypatch.setenv("AGENT_MEMORY_SECRET", key)
    with answering(status) as server:
        Thread(target=server.handle_request).start()
        said = recollect("top", "--server", f"http://127.0.0.1:{server.server_port}")
    assert why in said.out
    assert "No server answers" not in said.out


def test_on_a_terminal_it_goes_on_until_it_is_interrupted(remember):
    remember("The kettle stands in the kitchen.")
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "recollect", "top", "--every", "0.05"]
    with subprocess.Popen([*command, "--server", "http://127.0.0.1:9"], stdout=terminal) as run:
        os.close(terminal)
        shown, end = b"", time.monotonic() + 30
        while shown.count(b"1 memory") < 2 and time.monotonic() < end:
            shown += os.read(main, 4096)
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 0
    os.close(main)
    assert shown.count(b"1 memory") >= 2


def test_on_a_small_terminal_the_beginning_stays_in_sight(recollect, remember):
    for number in range(9):
        remember(f"Fact {number}.")
    main, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 80, 0, 0))
    command = [sys.executable, "-m", "recollect", "top", "--every", "0.05"]
    with subprocess.Popen([*command, "--server", "http://127.0.0.1:9"], stdout=terminal) as run:
        os.close(terminal)
        shown, end = b"", time.monotonic() + 30
        while shown.count(b"9 memories") < 2 and time.monotonic() < end:
            shown += os.read(main, 4096)
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 0
    os.close(main)
    view = shown.split(b"\x1b[2J")[1]
    assert 0 < view.count(b"\n") <= 5
