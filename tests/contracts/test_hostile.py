"""Whatever is sent to a tool, it answers in its contract's words, and a refusal changes nothing."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from recollect.contracts.listing import _written
from recollect.errors import Unavailable
from recollect.model import Role
from recollect.value import replace
from tests.contracts.build import offered
from tests.contracts.hostile import arguments, attacks, leaked, must_refuse

CODES: dict[str, set[str | int]] = {
    "memento": {"MEMORY_NOT_FOUND", "INVALID_PARAMETER"},
    "codex-memory": {"INVALID_ARGUMENT", "POLICY_BLOCKED", "ENTRY_NOT_FOUND"},
    # Here a kind stands before the sentence.
    "agent-memory": {"Invalid Argument", "Not Found", "Conflict"},
    "membria": {-32602, -32002, -32003},
    # A sentence and no code.
    "memory-mcp": set(),
}
CODES["together"] = CODES["memento"] | CODES["codex-memory"]
LISTED = [(of, tool) for of in CODES for tool in _written()[of]["tools"]]
# "This tool does not error": whatever is not `true` confirms nothing.
NEVER_REFUSES = "reset_all_memory"
# There is nothing to accept before somebody has reflected.
NOT_YET = "accept_proposal"
# So long may a failure be, whatever it answers.
BRIEF = 1_500


def named(one):
    return one if isinstance(one, str) else one["name"]


def seen(client):
    """All that a change would change."""
    with client.engine.ports.store.reading() as reader:
        return reader.last_event(), reader.total(), reader.counts("local"), reader.models()


def ids(client, *, fresh):
    """Ids by field, of new records where a call may end what it is given."""
    numbers = count()

    def made(name):
        number = next(numbers)
        if name in {"path", "project_id"}:
            folder = Path(client.caller.roots[0]) / f"harbour{number}"
            folder.mkdir()
            (folder / "crane.py").write_text("def lift():\n    pass\n", "utf-8")
            if name == "path":
                return folder.name
            return client.ask("memory-mcp", "index_project", path=str(folder))["project_id"]
        if "decision" in name:
            said = {"title": "Crane", "target": f"crane {number}", "rationale": "It is in by now."}
            return client.ask("agent-memory", "record_decision", **said)["decision_id"]
        if "entity" in name:
            return client.ask("memory-mcp", "create_entity", name=f"Crane {number}")["id"]
        return client.ask("memory-mcp", "store_memory", content=f"Crane {number} is in.")["id"]

    kept: dict[str, str] = {}

    def given(name):
        if fresh or name not in kept:
            kept[name] = made(name)
        return kept[name]

    return given


def wrong_in_failure(of, reply, attack):
    """What is wrong with how a call was refused, if anything is."""
    if isinstance(reply.cause, Unavailable):
        return "it is the program that failed"
    if len(reply.text) > BRIEF:
        return "it is too long to read"
    if leak := leaked(reply.text, attack.arguments):
        return f"it shows {leak!r}"
    if CODES[of] and code(reply) not in CODES[of]:
        return "its code is none of the contract's"
    return None if reply.data is None or json.loads(reply.text) == reply.data else "two texts"


def code(reply):
    """How a contract calls what went wrong."""
    if "error" in (reply.data or {}):
        return reply.data["error"]["code"]
    return reply.data and reply.data["message"].partition(":")[0]


@pytest.mark.parametrize(("of", "listed"), LISTED, ids=named)
def test_whatever_is_sent_is_answered_or_refused_and_a_refusal_changes_nothing(client, of, listed):
    client = replace(client, caller=replace(client.caller, role=Role.ADMIN))
    tool = offered(of)[listed["name"]]
    schema, answers = listed["inputSchema"], Draft202012Validator(listed["outputSchema"])
    given = ids(client, fresh=tool.hints.destructive)
    usual = client.reply(of, tool.name, arguments(schema, given))
    assert usual.failed == (tool.name == NOT_YET), usual.text
    assert answers.is_valid(usual.data)
    for attack in attacks(schema, lambda: arguments(schema, given)):
        before = seen(client)
        reply = client.reply(of, tool.name, attack.arguments)
        if reply.failed or tool.hints.read_only:
            assert seen(client) == before, attack
        if reply.failed:
            assert wrong_in_failure(of, reply, attack) is None, f"{attack}\n{reply.text[:2000]}"
        else:
            assert answers.is_valid(reply.data), attack
        if tool.name == NEVER_REFUSES:
            assert not reply.failed, attack
        elif must_refuse(schema, attack, keeps=not tool.hints.read_only):
            assert reply.failed, attack
            assert attack.field in reply.text, attack
    # And then it goes on as before.
    again = client.reply(of, tool.name, arguments(schema, given))
    assert (again.data or {}).keys() == (usual.data or {}).keys()
