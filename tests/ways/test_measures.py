"""What a server measures and logs: enough to see how it does, and never what it holds."""

from __future__ import annotations

import json
import logging

import pytest

from recollect.config import Config
from recollect.ways.log import Lines, begin, called
from recollect.ways.measures import BUCKETS, Gauge, Measures

FACTS = {"method": "tools/call", "tool": "recall", "error": "", "version": "2025-11-25"}


def test_a_call_counts_in_every_bucket_that_it_fits():
    measures = Measures()
    for seconds in (0.0004, 0.0005, 0.003, 60):
        measures.note({"tool": "a"}, seconds)
    lines = dict(line.rsplit(" ", 1) for line in measures.shown().splitlines())
    name = "mcp_server_operation_duration_seconds"
    found = {most: lines[f'{name}_bucket{{tool="a",le="{most}"}}'] for most in (*BUCKETS, "+Inf")}
    assert [found[most] for most in (0.0005, 0.0025, 0.005, 30, "+Inf")] == [
        "2",
        "2",
        "3",
        "3",
        "4",
    ]
    assert lines[f'{name}_count{{tool="a"}}'] == "4"
    assert float(lines[f'{name}_sum{{tool="a"}}']) == pytest.approx(60.0039)


def test_what_is_named_cannot_break_out_of_its_quotes():
    measures = Measures()
    measures.note({"tool": 'a"} 1\nb\\'}, 1)
    assert r'tool="a\"} 1\nb\\"' in measures.shown()


def test_numbers_of_one_name_are_described_once():
    gauges = [Gauge("n", "About.", v, (("kind", k),)) for k, v in (("a", 1), ("b", 2.5))]
    assert Measures().shown(gauges).splitlines()[2:] == [
        "# HELP n About.",
        "# TYPE n gauge",
        'n{kind="a"} 1',
        'n{kind="b"} 2.5',
    ]


def test_a_call_is_logged_without_what_it_says(caplog):
    said = {"content": "my secret", "limit": 5, "x": None, "tags": ["secret"], "o": {"k": "secret"}}
    with caplog.at_level(logging.INFO, "recollect"):
        called(FACTS, said, 0.01)
    (record,) = caplog.records
    line = json.loads(Lines().format(record))
    assert line["message"] == "tools/call recall took 0.010 s"
    assert line["arguments"] == {
        "content": "text of 9",
        "limit": "number",
        "x": "nothing",
        "tags": "list of 1",
        "o": "object of 1",
    }
    assert (line["tool"], line["level"], line["seconds"]) == ("recall", "info", 0.01)
    assert "secret" not in json.dumps(line)


def test_only_a_slow_call_is_named_where_nobody_wants_to_know_of_all(caplog):
    with caplog.at_level(logging.WARNING, "recollect"):
        called(FACTS, {}, 0.9)
        called(FACTS, {}, 1.5)
    assert caplog.messages == ["slow: tools/call recall took 1.500 s"]


def test_a_fault_is_logged_with_where_it_happened(caplog):
    with caplog.at_level(logging.ERROR, "recollect"):
        try:
            int("inside")
        except ValueError:
            logging.getLogger("recollect.x").exception("it failed")
    assert (
        "ValueError: invalid literal" in json.loads(Lines().format(caplog.records[0]))["traceback"]
    )


@pytest.mark.parametrize(("form", "level"), [("text", "info"), ("json", "error")])
def test_the_settings_say_how_much_is_logged_and_how(form, level):
    ours, root = logging.getLogger("recollect"), logging.getLogger()
    before, handlers = ours.level, root.handlers[:]
    root.handlers.clear()
    try:
        begin(Config("s", log_format=form, log_level=level))
        assert isinstance(root.handlers[0].formatter, Lines) is (form == "json")
        assert logging.getLevelName(ours.level) == level.upper()
    finally:
        ours.setLevel(before)
        root.handlers[:] = handlers
