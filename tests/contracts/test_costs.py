"""What it costs a model to be offered these tools: tokens of o200k, and characters."""

from __future__ import annotations

import json
from functools import cache

import pytest
from splintr import Tokenizer

from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, instructions, offered, selection

MEMENTO = 900
# For all 45, so for those that there are as well.
ALL = 9_000
INSTRUCTIONS = 2_000
# What clients put before a model; the rest of a tool is for the client itself.
SEEN = ("name", "description", "inputSchema")


@cache
def vocabulary():
    return Tokenizer.from_pretrained("o200k_base")


def tokens(chosen):
    """What the tools cost, written as densely as the wire has them."""
    seen = [{name: one.shown[name] for name in SEEN} for one in offered(chosen)]
    return len(vocabulary().encode(json.dumps(seen, ensure_ascii=False, separators=(",", ":"))))


def test_the_vocabulary_is_o200k():
    # Known from OpenAI's own tokenizer.
    assert vocabulary().encode("hello world") == [24912, 2375]


def test_the_tools_of_memento_cost_little():
    assert tokens(selection("memento")) < MEMENTO


def test_all_tools_together_cost_no_more_than_was_allowed():
    assert tokens(Selection()) < ALL


def test_no_description_is_longer_than_two_sentences_need():
    for one in offered(Selection()):
        assert len(one.shown["description"]) <= 200, one.name


@pytest.mark.parametrize("of", ["", *NAMES])
def test_instructions_are_short_enough_for_every_client(of):
    said = instructions(selection(of))
    assert 0 < len(said) < INSTRUCTIONS


def test_instructions_say_when_to_search_to_store_and_what_to_do_about_conflicts():
    said = instructions(Selection())
    for word in ("Search", "Store", "action_required", "supersede_memory"):
        assert word in said
