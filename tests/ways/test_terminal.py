"""What people see at a terminal: colours, lines as wide as it is, and how far something is."""

from __future__ import annotations

import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fcntl import ioctl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ways.cli import bar
from recollect.ways.cli.bar import Bar
from recollect.ways.cli.line import FAINT, line
from recollect.ways.cli.terminal import Look, cells, fitted, painted

ESCAPE = "\x1b["
_colour = re.compile(r"\x1b\[[\d;]*m").sub
TEXTS = st.text(st.sampled_from("ab -薬缶é\u0301👩\u200d\t"), max_size=80)


def shown(*args, width=80, **more):
    """What a terminal of that width is sent by a command in a process of its own."""
    main, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PYTHONWARNINGS": "error", **more}
    command = [sys.executable, "-m", "recollect", *args]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as run:
        os.close(terminal)
        said = b""
        try:
            while part := os.read(main, 65_536):
                said += part
        except OSError:
            # The other end is closed.
            pass
        assert run.wait() == 0, said
    os.close(main)
    return said.decode().replace("\r\n", "\n")


def test_on_a_terminal_what_matters_stands_out_and_elsewhere_nothing_does(recollect, remember):
    id_ = remember("The kettle stands in the kitchen.")
    assert f"{ESCAPE}2m{id_}" in shown("list")
    assert ESCAPE not in recollect("list").out
    assert _colour("", shown("list")) == recollect("list").out


@pytest.mark.parametrize("said", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colours_gets_none(remember, said):
    remember("The kettle stands in the kitchen.")
    assert ESCAPE not in shown("list", **said)


def test_programs_get_their_document_whatever_the_terminal(remember):
    remember("The kettle stands in the kitchen.")
    assert ESCAPE not in shown("list", "--json")


@pytest.mark.parametrize("width", [30, 47, 80])
def test_no_line_is_wider_than_the_terminal(remember, width):
    remember("薬缶は台所の棚の上にあります。 " * 4)
    remember("The kettle stands in the kitchen, on the shelf above the stove. " * 3)
    for args in (("list",), ("recall", "kettle"), ("status",), ("--help",)):
        lines = _colour("", shown(*args, width=width)).splitlines()
        text = [one for one in lines if not one.startswith(("usage", "One", "A TIME", "unless"))]
        commands = [one for one in text if one.startswith("  recollect ")]
        assert max(cells(one) for one in text if one not in commands) <= width


def test_what_a_record_says_is_not_broken_into_lines(remember):
    text = "The kettle stands in the kitchen. " * 5
    assert f"\n{text.strip()}" in shown("get", remember(text.strip()), width=40)


def test_stored_text_brings_no_colours_of_its_own(remember):
    remember("red \x1b[31malert\x1b[0m")
    said = shown("list")
    assert "\\u001b[31malert" in said
    assert f"{ESCAPE}31m" not in said


def test_errors_stand_out_too(remember):
    remember("x")
    assert f"{ESCAPE}33mrecollect:{ESCAPE}0m" in shown("list", "--kind", "skill")


@given(TEXTS, st.integers(20, 40), st.integers(0, 25))
def test_wrapping_keeps_all_that_is_said_and_the_width(text, width, hang):
    rows = list(painted(line("id ", (text, FAINT), hang=hang), Look(width, colours=False)))
    assert all(cells(row) <= width for row in rows)
    assert "".join("".join(rows).split()) == "".join(f"id {text}".split())


@given(TEXTS, st.integers(60, 70))
def test_cutting_keeps_the_beginning_and_the_width(text, width):
    (row,) = painted(line("id " * 9, text, cut=True), Look(width, colours=False))
    assert cells(row) <= width
    whole = "id " * 9 + text.expandtabs(4)
    assert whole.startswith(row.removesuffix("…").rstrip())


def test_a_narrow_terminal_shows_the_rest_below():
    text = "The kettle stands in the kitchen."
    rows = list(painted(line("id ", text, hang=4, cut=True), Look(24, colours=False)))
    assert rows == ["id The kettle stands in", "    the kitchen."]


@given(TEXTS, st.integers(2, 40))
def test_what_is_fitted_is_no_wider(text, width):
    assert cells(fitted(text.replace("\t", " "), width)) <= width


class Terminal(io.StringIO):
    """A terminal whose width is not to be had."""

    def isatty(self):
        return True

    def fileno(self):
        raise OSError


def test_how_far_it_is_is_drawn_and_leaves_no_trace(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(bar, "_QUICK", 0.001)
    monkeypatch.setattr(bar, "_EVERY", 0.001)
    with Bar("importing") as far:
        while "importing… 0 s" not in screen.getvalue():
            pass
        far.show(30, 60, "a\x1b\nfile")
        while "] 30/60" not in screen.getvalue():
            pass
    said = screen.getvalue()
    assert f"[{'#' * 15}{'.' * 15}] 30/60  a??file" in said
    assert said.endswith("\r\x1b[K")


def test_the_time_left_is_told_from_what_was_done_since_the_first_look(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(bar, "_QUICK", 0.001)
    monkeypatch.setattr(bar, "_EVERY", 0.001)
    seconds = iter(range(0, 100_000, 10))
    monkeypatch.setattr(bar, "monotonic", lambda: next(seconds))
    with Bar("indexing") as far:
        far.show(700, 800, "what was there")
        while "] 700/800  what" not in screen.getvalue():
            pass
        far.show(701, 800, "one")
        while " s left  one" not in screen.getvalue():
            pass
    left = screen.getvalue().partition("701/800, ")[2].partition(" s left")[0]
    # One took some ten seconds, and a hundred are to come.
    assert int(left) > 900


def test_where_nobody_looks_nothing_is_drawn(monkeypatch, capsys):
    monkeypatch.setattr(bar, "_QUICK", 0)
    with Bar("importing") as far:
        far.show(1, 2, "x")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("sign", ["x", "\u0e01", "e\u0301"])
def test_a_long_text_without_a_blank_fills_each_line_of_the_terminal(sign):
    rows = [*painted(line(sign * 20_000), Look(width=80, colours=False))]
    assert "".join(rows) == sign * 20_000
    assert {cells(row) for row in rows[:-1]} == {80}
