"""The command by which clients of the contract membria start a server."""

from __future__ import annotations

import pytest

from recollect.config import load
from recollect.errors import InvalidRequest
from recollect.ways import membria

SERVE = ["serve", "--contracts", "membria"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["mcp", "serve"], SERVE),
        (["mcp", "serve", "--store", "x"], [*SERVE, "--store", "x"]),
        (["mcp", "start"], [*SERVE, "--http", "9090"]),
        (["mcp", "start", "--port", "9191"], [*SERVE, "--http", "9191"]),
        (
            ["mcp", "start", "--port", "9191", "--read-only"],
            [*SERVE, "--http", "9191", "--read-only"],
        ),
    ],
)
def test_it_serves_that_contract(monkeypatch, given, meant):
    asked: list[list[str]] = []

    def run(argv):
        asked.append(argv)
        return 7

    monkeypatch.setattr("recollect.ways.cli.main", run)
    assert membria.main(given) == 7
    assert asked == [meant]


@pytest.mark.parametrize(("given", "code"), [([], 2), (["mcp"], 2), (["x"], 2), (["--help"], 0)])
def test_anything_else_is_told_how_to_call_it(capsys, given, code):
    assert membria.main(given) == code
    said = capsys.readouterr()
    assert "membria mcp serve" in (said.err if code else said.out)


@pytest.mark.parametrize(
    ("said", "level"),
    [("DEBUG", "debug"), ("warn", "warning"), ("FATAL", "error"), ("info", "info")],
)
def test_its_log_level_is_read_in_its_own_words(said, level):
    assert load({}, {"HOME": "/h", "MEMBRIA_LOG_LEVEL": said}).log_level == level


def test_our_own_name_of_a_setting_goes_before_its_other_names():
    both = {"HOME": "/h", "MEMBRIA_LOG_LEVEL": "debug", "RECOLLECT_LOG_LEVEL": "error"}
    assert load({}, both).log_level == "error"
    with pytest.raises(InvalidRequest, match="MEMBRIA_LOG_LEVEL is 'loud'"):
        load({}, {"HOME": "/h", "MEMBRIA_LOG_LEVEL": "loud"})
