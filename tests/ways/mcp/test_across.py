"""Servers of different contracts on one memory: what one process does, the others see at once."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.contracts.across import CURRENT, FINDS, KEEPS, new_id
from tests.ways.mcp.process import talking


@pytest.fixture
def servers():
    """One process for each contract, and one for all together."""
    with ExitStack() as stack:
        started = {
            of: stack.enter_context(talking("--contracts", of))
            for of in ("memento", "memory-mcp", "codex-memory")
        }
        yield started | {"together": stack.enter_context(talking())}


def ask(servers, way, text):
    result = servers[way.of].call(way.tool, **({way.takes: text} if way.takes else {}))
    assert not result["isError"], result
    return result["structuredContent"]


def test_what_one_process_keeps_and_ends_the_others_have_at_once(servers):
    for number, way in enumerate(KEEPS):
        old = new_id(way, ask(servers, way, f"Quagga{number} sleeps in the lighthouse."))
        for find in FINDS:
            assert find.ids(ask(servers, find, f"quagga{number}"))[0] == old, (way, find)
        new = new_id(way, ask(servers, way, f"Quagga{number} has left the lighthouse."))
        ended = servers["memento"].call("supersede_memory", old_memory_id=old, new_memory_id=new)
        assert ended["structuredContent"]["success"]
        for find in (*FINDS, *CURRENT):
            seen = find.ids(ask(servers, find, f"quagga{number} lighthouse"))
            assert old not in seen, (way, find)
            assert new in seen, (way, find)
        gone = servers["codex-memory"].call("get_entries", ids=[old])["structuredContent"]
        assert gone["items"][0]["superseded_by"] == new
