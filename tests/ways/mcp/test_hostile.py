"""Hostile calls as bytes: one of every sort for every tool that `recollect serve` offers."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from itertools import count

from jsonschema import Draft202012Validator

from recollect.contracts.listing import Selection, offered
from recollect.store.sqlite import SqliteStore
from tests.contracts.hostile import Attack, arguments, attacks, leaked, must_refuse
from tests.ways.mcp.process import request, talking

NO_MESSAGE = -32700
NEVER_REFUSES = "reset_all_memory"


def sample(schema, valid):
    """Of each sort one, now in this field and then in that."""
    found: dict[str, list[Attack]] = {}
    for attack in attacks(schema, valid):
        found.setdefault(attack.sort, []).append(attack)
    return [several[at % len(several)] for at, several in enumerate(found.values())]


def ids(server):
    """Ids by field."""
    numbers = count()
    kept: dict[str, str] = {}

    def made(name):
        said = f"Crane {next(numbers)} is in."
        if "entity" in name:
            answer = server.call("create_entity", name=said)
        else:
            answer = server.call("store_memory", content=said)
        return answer["structuredContent"]["id"]

    return lambda name: kept[name] if name in kept else kept.setdefault(name, made(name))


def spelled(message):
    """The line as a client writes it, and with infinity as what only looks like a number."""
    line = json.dumps(message)
    return [line.encode()] + [line.replace("Infinity", "1e999").encode()] * ("Infinity" in line)


def said(answer):
    """What a failure says, or None where it is none."""
    if "error" in answer:
        # Not JSON, or too deep to be read: there was no message, so no tool has seen it.
        assert answer["error"]["code"] == NO_MESSAGE, answer
        return answer["error"]["message"]
    result = answer["result"]
    return result["content"][0]["text"] if result["isError"] else None


def test_hostile_calls_are_answered_with_nothing_from_inside_and_refusals_change_nothing():
    asked = 0
    with talking() as server:
        given = ids(server)
        server.call("store_memory", content="The harbour has cranes.")
        store = SqliteStore.open(os.environ["RECOLLECT_STORE"])
        for one in offered(Selection()):
            schema = one.shown["inputSchema"]
            answers = Draft202012Validator(one.shown["outputSchema"])
            plain = partial(arguments, schema, given)
            keeps = not one.shown["annotations"]["readOnlyHint"]
            for attack in sample(schema, plain):
                call = {"name": one.name, "arguments": attack.arguments}
                for line in spelled(request("tools/call", call, asked)):
                    before = last(store)
                    answer = server.ask(line)
                    asked += 1
                    failure = said(answer)
                    if failure is None:
                        assert answers.is_valid(answer["result"]["structuredContent"]), attack
                        refusable = one.name != NEVER_REFUSES
                        assert not (refusable and must_refuse(schema, attack, keeps=keeps)), attack
                    else:
                        assert leaked(failure, attack.arguments) is None, failure
                        assert last(store) == before, attack
        assert server.ask(request("ping"))["result"] == {}
        assert store.verify() == []
        store.close()
        code, complaints = server.end()
        # A busy machine is slow, and that is said; nothing else is.
        assert (code, re.sub(r".* slow: .*\n", "", complaints)) == (0, "")
    assert asked > 1_000


def last(store):
    """The number of the newest change."""
    with store.reading() as reader:
        return reader.last_event()
