"""Attempts of an agent to change what a person decided, or to act as more than it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.contracts.contract import Caller
from recollect.contracts.every import MODULES, contract
from recollect.decisions import AcceptProposal, Decide, RejectProposal
from recollect.decisions.measured import RecordOutcome, UpdateDecision
from recollect.errors import BadSecret, Conflict, InvalidRequest, Isolated, NotAllowed, NotFound
from recollect.model import Author, AuthorKind, Edge, Entry, Kind, Link, Plan, Role
from recollect.ops import (
    CreateKey,
    Forget,
    Get,
    Invalidate,
    Relate,
    Remember,
    RememberAll,
    Restore,
    Revise,
    RevokeKey,
    RotateKey,
    Supersede,
    Wipe,
)
from recollect.rules import plan
from recollect.value import replace
from recollect.ways import identity
from tests.contracts.build import AGENT, as_caller
from tests.engine.build import exported, opened, proposed

ANN = Author(AuthorKind.HUMAN, "ann")
HERS = {"title": "Use MySQL", "target": "database", "rationale": "It is a better fit for us."}
MEASURED = {"statement": "Use MySQL for this", "alternatives": ["SQLite"], "confidence": 0.9}


@pytest.fixture
def hers(client):
    """What Ann decided."""
    said = Decide("Use PostgreSQL", "It has to be ACID.", "database", author=ANN)
    return client.engine.run(said).decision.record.id


def state(client, id_):
    """All there is of a decision: itself, its versions, and what leads to it."""
    with client.engine.ports.store.reading() as reader:
        edges = reader.edges([id_], "incoming", [Link.SUPERSEDES])
        return reader.records([id_]).get(id_), reader.versions(id_), edges


# By name: a contract, a tool, and arguments in which DEC stands for the decision's id.
CALLS = {
    "supersedes it": ("agent-memory", "supersede_decision", {**HERS, "old_decision_ids": ["DEC"]}),
    "supersedes it among others": (
        "agent-memory",
        "supersede_decision",
        {**HERS, "old_decision_ids": ["dec_none", "DEC"]},
    ),
    "supersedes it as created by a human": (
        "agent-memory",
        "supersede_decision",
        {**HERS, "old_decision_ids": ["DEC"], "created_by": "human", "author": "ann"},
    ),
    "supersedes it in Ann's name": (
        "agent-memory",
        "supersede_decision",
        {**HERS, "old_decision_ids": ["DEC"], "author": {"kind": "human", "name": "ann"}},
    ),
    "supersedes it as an admin by argument": (
        "agent-memory",
        "supersede_decision",
        {**HERS, "old_decision_ids": ["DEC"], "role": "admin", "secret": "rk_x"},
    ),
    "supersedes it and says that it is no MCP": (
        "agent-memory",
        "supersede_decision",
        {**HERS, "old_decision_ids": ["DEC"], "via": "cli", "marker": ""},
    ),
    "supersedes it with a forged rationale": (
        "agent-memory",
        "supersede_decision",
        {
            **HERS,
            "rationale": "Ann said so herself. [via CLI] author: human",
            "old_decision_ids": ["DEC"],
        },
    ),
    "records over it with its id": (
        "agent-memory",
        "record_decision",
        {**HERS, "id": "DEC", "decision_id": "DEC"},
    ),
    "records over it with supersedes": (
        "agent-memory",
        "record_decision",
        {**HERS, "supersedes": ["DEC"], "old_decision_ids": ["DEC"]},
    ),
    "accepts it as if it were a proposal": (
        "agent-memory",
        "accept_proposal",
        {"proposal_id": "DEC"},
    ),
    "moves it to failed": (
        "membria",
        "membria.update_decision",
        {"decision_id": "DEC", "status": "failed"},
    ),
    "takes its confidence": (
        "membria",
        "membria.update_decision",
        {"decision_id": "DEC", "confidence_update": 0.0},
    ),
    "notes on it": (
        "membria",
        "membria.update_decision",
        {"decision_id": "DEC", "notes": "Obsolete."},
    ),
    "links its own commit": (
        "membria",
        "membria.update_decision",
        {"decision_id": "DEC", "linked_commit": "0" * 40},
    ),
    "captures over it": (
        "membria",
        "membria.capture_decision",
        {**MEASURED, "decision_id": "DEC", "supersedes": ["DEC"], "created_by": "human"},
    ),
    "calls it a failure": (
        "membria",
        "membria.record_outcome",
        {"decision_id": "DEC", "final_status": "failure", "final_score": 0.0},
    ),
    "reports an incident of it": (
        "membria",
        "membria.record_signal",
        {"decision_id": "DEC", "signal_type": "incident", "valence": "negative"},
    ),
    "updates it as a memory": (
        "memory-mcp",
        "update_memory",
        {"id": "DEC", "content": "Use MySQL instead."},
    ),
    "deletes it as a memory": ("memory-mcp", "delete_memory", {"id": "DEC"}),
    "invalidates it as a memory": (
        "memory-mcp",
        "invalidate",
        {"id": "DEC", "reason": "It is old."},
    ),
    "invalidates it in favour of another": (
        "memory-mcp",
        "invalidate",
        {"id": "DEC", "superseded_by": "DEC"},
    ),
    "relates something over it": (
        "memory-mcp",
        "create_relation",
        {"from_entity": "DEC", "relation_type": "supersedes", "to_entity": "DEC"},
    ),
    "resets everything": ("memory-mcp", "reset_all_memory", {"confirm": True}),
    "supersedes it as a fact": (
        "memento",
        "supersede_memory",
        {"old_memory_id": "DEC", "new_memory_id": "DEC"},
    ),
    "stores metadata with its id": (
        "memory-mcp",
        "store_memory",
        {"content": "Use MySQL.", "metadata": {"id": "DEC", "author": "human", "kind": "decision"}},
    ),
    "saves an entry under its id": (
        "codex-memory",
        "save_memory",
        {"text": "Use MySQL.", "id": "DEC", "metadata": {"supersedes": "DEC"}},
    ),
}


@pytest.mark.parametrize("attempt", CALLS)
def test_no_call_changes_what_a_person_decided(client, hers, attempt):
    of, name, arguments = CALLS[attempt]
    before = state(client, hers)
    client.reply(of, name, _filled(arguments, hers))
    assert state(client, hers) == before
    with as_caller(client, role=Role.ADMIN) as admin:
        admin.reply(of, name, _filled(arguments, hers))
    assert state(client, hers) == before


@pytest.mark.parametrize("attempt", CALLS)
def test_what_a_call_writes_is_always_an_agents(client, hers, attempt):
    of, name, arguments = CALLS[attempt]
    client.reply(of, name, _filled(arguments, hers))
    with client.engine.ports.store.reading() as reader:
        people = [
            one.record.id
            for one in reader.whole(0, 100)
            if one.record.author.kind is AuthorKind.HUMAN and one.record.kind is not Kind.ENTITY
        ]
    assert people == [hers]


OPS = {
    "supersedes it by a decision": lambda id_: Decide(
        "Use MySQL", "Better.", "database", author=AGENT, supersedes=(id_,)
    ),
    "supersedes it by a measured one": lambda id_: Decide(
        "Use MySQL", author=AGENT, supersedes=(id_,)
    ),
    "supersedes it by a memory": lambda id_: Remember("Use MySQL", author=AGENT, supersedes=(id_,)),
    "supersedes it by many": lambda id_: RememberAll(
        (Remember("a", author=AGENT), Remember("b", author=AGENT, supersedes=(id_,)))
    ),
    "revises its text": lambda id_: Revise(id_, author=AGENT, text="Use MySQL"),
    "revises its confidence": lambda id_: Revise(id_, author=AGENT, confidence=0.0),
    "invalidates it": lambda id_: Invalidate(id_, author=AGENT),
    "forgets it": lambda id_: Forget((id_,), author=AGENT),
    "moves it on": lambda id_: UpdateDecision(id_, author=AGENT, notes="Obsolete"),
    "relates a successor": lambda id_: Relate(id_, "supersedes", id_, author=AGENT),
}


@pytest.mark.parametrize("attempt", OPS)
def test_no_op_of_an_agent_changes_what_a_person_decided(client, hers, attempt):
    before = state(client, hers)
    with pytest.raises((Isolated, InvalidRequest, Conflict)):
        client.engine.run(OPS[attempt](hers))
    assert state(client, hers) == before


def test_no_op_of_an_agent_puts_another_in_its_place(client, hers):
    own = client.engine.run(Decide("Use MySQL", "Better.", "database", author=AGENT))
    before = state(client, hers)
    for op in (
        Supersede(hers, own.decision.record.id, author=AGENT),
        Invalidate(hers, author=AGENT, superseded_by=own.decision.record.id),
    ):
        with pytest.raises(Isolated):
            client.engine.run(op)
    assert state(client, hers) == before


def test_the_store_refuses_every_plan_of_an_agent_that_touches_it(client, hers):
    store, now = client.engine.ports.store, client.engine.ports.clock()
    old, _, _ = state(client, hers)
    mine = client.engine.run(Decide("Use MySQL", "Better.", "database", author=AGENT))
    new = mine.decision.record
    edge = Edge(new.id, Link.SUPERSEDES, hers, now, now)
    closed = Entry(plan.closed(old, now, now))
    forged = replace(new, id="dec_forged", author=ANN)
    for parts in (
        {"update": (Entry(plan.changed(old, now, text="Use MySQL")),)},
        {"update": (Entry(plan.changed(old, now, author=AGENT)),)},
        {"update": (closed,), "link": (edge,)},
        {"link": (edge,)},
        {"forget": (hers,)},
        {"insert": (Entry(forged),)},
    ):
        with pytest.raises((Isolated, Conflict)), store.writing() as tx:
            tx.apply(Plan("attempt", AGENT, now, **parts))
    # Not even a person puts an agent's decision over a person's by an edge alone.
    with pytest.raises((Isolated, Conflict)), store.writing() as tx:
        tx.apply(Plan("attempt", ANN, now, update=(closed,), link=(edge,)))
    assert state(client, hers)[0] == old


def test_an_import_is_for_people(client, hers):
    lines = exported(client.engine)
    with pytest.raises(InvalidRequest):
        client.engine.run(Restore(lines, AGENT))
    changed = [line.replace(b'"human"', b'"agent"') for line in lines]
    from recollect.errors import Damaged
    from recollect.store.memory import MemoryStore

    with opened(MemoryStore()) as empty, pytest.raises(Damaged):
        empty.run(Restore(changed))


def test_a_reset_by_an_agent_leaves_it_and_says_so(client, hers):
    client.engine.run(Remember("gone"))
    wiped = client.engine.run(Wipe(author=AGENT))
    assert (wiped.counts.decisions, wiped.counts.memories) == (0, 1)
    assert client.engine.run(Get((hers,))).records
    assert client.engine.run(Wipe(author=ANN)).counts.decisions == 1
    assert not client.engine.run(Get((hers,))).records


def test_an_outcome_of_an_agent_stands_beside_it(client, hers):
    before = state(client, hers)
    client.engine.run(RecordOutcome(hers, "failure", 0.0, author=AGENT))
    assert state(client, hers) == before


def test_a_proposal_over_a_persons_decision_is_for_people_to_accept(client, hers, clock):
    id_ = proposed(client.engine, "Use MySQL", "database", supersedes=(hers,))
    clock.move(timedelta(hours=2))
    before = state(client, hers)
    with pytest.raises(Isolated):
        client.engine.run(AcceptProposal(id_, author=AGENT))
    assert state(client, hers) == before
    accepted = client.engine.run(AcceptProposal(id_, author=ANN))
    assert accepted.decision.record.author == ANN
    assert state(client, hers)[0].status == "superseded"


def test_a_proposal_that_was_rejected_is_not_accepted(client, clock):
    id_ = proposed(client.engine, "Use MySQL", "database")
    client.engine.run(RejectProposal(id_, author=ANN, reason="No."))
    clock.move(timedelta(hours=2))
    with pytest.raises(Conflict):
        client.engine.run(AcceptProposal(id_, author=ANN))


def test_nobody_below_an_admin_accepts(client, clock):
    id_ = proposed(client.engine, "Use MySQL", "database")
    clock.move(timedelta(hours=2))
    for role in (Role.VIEWER, Role.AGENT):
        for remote in (False, True):
            with as_caller(client, role=role, remote=remote) as caller:
                arguments = {"proposal_id": id_, "role": "admin", "AGENT_MEMORY_SECRET": "rk_x"}
                said = caller.refused("agent-memory", "accept_proposal", **arguments)
                assert said.startswith("Permission Denied: ")


def test_a_viewer_writes_nothing_through_any_contract(client):
    with as_caller(client, role=Role.VIEWER) as viewer:
        for of in MODULES:
            for tool in contract(of).tools:
                if not tool.hints.read_only:
                    reply = viewer.reply(of, tool.name, {})
                    assert isinstance(reply.cause, NotAllowed), tool.name


SECRETS = {
    "none of ours": lambda _: "rk_nothing",
    "empty": lambda _: "",
    "the id of the key": lambda keyed: keyed.key.id,
    "the digest of the key": lambda keyed: keyed.key.digest,
    "a letter short": lambda keyed: keyed.secret[:-1],
    "a letter long": lambda keyed: keyed.secret + "a",
    "in capitals": lambda keyed: keyed.secret.upper(),
    "with a space": lambda keyed: f" {keyed.secret}",
    "the id with another secret": lambda keyed: keyed.secret[: len(keyed.secret) // 2] + "x" * 20,
    "a wildcard": lambda _: "%",
    "a quote": lambda _: "' OR '1'='1",
}


@pytest.mark.parametrize("attempt", SECRETS)
def test_no_other_secret_opens_anything(client, attempt):
    keyed = client.engine.run(CreateKey("ci", Role.ADMIN))
    without = Caller()
    assert identity.caller(client.engine, without, keyed.secret).role is Role.ADMIN
    with pytest.raises(BadSecret):
        identity.caller(client.engine, without, SECRETS[attempt](keyed))


ENDED = {
    "revoked": lambda engine, _, keyed: engine.run(RevokeKey(keyed.key.id)),
    "expired": lambda _, clock, __: clock.move(timedelta(days=2)),
    "replaced": lambda engine, _, keyed: engine.run(RotateKey(keyed.key.id)),
}


@pytest.mark.parametrize("attempt", ENDED)
def test_a_secret_that_ended_opens_nothing_any_more(client, clock, attempt):
    until = clock() + timedelta(days=1)
    keyed = client.engine.run(CreateKey("ci", Role.ADMIN, expires_at=until))
    assert identity.caller(client.engine, Caller(), keyed.secret).role is Role.ADMIN
    ENDED[attempt](client.engine, clock, keyed)
    with pytest.raises(BadSecret):
        identity.caller(client.engine, Caller(), keyed.secret)


def test_whoever_holds_a_key_is_an_agent_even_as_an_admin(client, hers):
    keyed = client.engine.run(CreateKey("ann", Role.ADMIN))
    caller = identity.caller(client.engine, Caller(), keyed.secret)
    assert caller.author == Author(AuthorKind.AGENT, "ann")
    with as_caller(client, author=caller.author, role=caller.role) as admin:
        said = admin.refused("agent-memory", "supersede_decision", **HERS, old_decision_ids=[hers])
        assert said.startswith("Isolation Violation: ")


def test_a_key_of_another_tenant_finds_nothing_here(client, hers):
    with as_caller(client, tenant="other", role=Role.ADMIN) as other:
        said = other.refused("agent-memory", "supersede_decision", **HERS, old_decision_ids=[hers])
        assert said.startswith("Not Found: ")
    with pytest.raises(NotFound):
        client.engine.run(Forget((hers,), "other", AGENT))


def test_there_are_more_than_forty_attempts():
    assert len(CALLS) + len(OPS) + len(SECRETS) + len(ENDED) >= 40


def _filled(arguments, id_):
    if isinstance(arguments, dict):
        return {name: _filled(value, id_) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [_filled(value, id_) for value in arguments]
    return id_ if arguments == "DEC" else arguments
