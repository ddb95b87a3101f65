"""Who calls, and what they may do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.config import load
from recollect.contracts.contract import Caller
from recollect.errors import BadSecret
from recollect.model import Role
from recollect.ops import CreateKey, RevokeKey
from recollect.store.memory import MemoryStore
from recollect.testing import FixedClock
from recollect.value import replace
from recollect.ways import identity
from tests.contracts.build import TOOLS, Client, named
from tests.engine.build import opened

HERE = Caller(project="atlas", roots=("/work",))


@pytest.fixture
def clock():
    return FixedClock()


@pytest.fixture
def engine(clock):
    with opened(MemoryStore(), clock) as made:
        yield made


def test_without_a_secret_the_local_user_is_an_agent_in_their_own_folder(engine, tmp_path):
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    folder = str(tmp_path / "atlas")
    config = load({"user": "ann", "tenant": "team"}, {"HOME": "/h", "RECOLLECT_ROOTS": "/docs"})
    caller = identity.caller(engine, identity.here(config, folder), None)
    assert (caller.role, caller.remote) == (Role.AGENT, False)
    assert (caller.tenant, caller.user, caller.project) == ("team", "ann", "atlas")
    assert caller.roots == (folder, "/docs")


def test_with_a_secret_role_and_scope_are_those_of_the_key(engine):
    made = engine.run(CreateKey("editor", Role.VIEWER, "acme", "bob"))
    caller = identity.caller(engine, HERE, made.secret)
    assert (caller.role, caller.tenant, caller.user) == (Role.VIEWER, "acme", "bob")
    assert (caller.author.kind, caller.author.name) == ("agent", "editor")
    assert (caller.project, caller.roots) == ("atlas", ("/work",))


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("ended", ["wrong", "empty", "expired", "revoked"])
def test_a_secret_that_opens_nothing_is_refused_and_never_downgraded(engine, clock, ended, trusted):
    made = engine.run(CreateKey("editor", expires_at=clock() + timedelta(days=1)))
    secret = {"wrong": "rcl_x", "empty": ""}.get(ended, made.secret)
    if ended == "revoked":
        engine.run(RevokeKey(made.key.id))
    if ended == "expired":
        clock.move(timedelta(days=1))
    with pytest.raises(BadSecret):
        identity.caller(engine, HERE, secret)
    with pytest.raises(BadSecret):
        identity.over_network(engine, HERE, secret, trusted=trusted)


def test_over_the_network_only_a_trusted_caller_needs_no_key_and_only_while_there_is_none(engine):
    caller = identity.over_network(engine, HERE, None, trusted=True)
    assert (caller.role, caller.remote) == (Role.AGENT, True)
    with pytest.raises(BadSecret, match="needs a key"):
        identity.over_network(engine, HERE, None, trusted=False)
    made = engine.run(CreateKey("editor", Role.ADMIN))
    with pytest.raises(BadSecret, match="needs a key"):
        identity.over_network(engine, HERE, None, trusted=True)
    assert identity.over_network(engine, HERE, made.secret, trusted=False).role == Role.ADMIN
    # To end the last key opens the door to nobody.
    engine.run(RevokeKey(made.key.id))
    with pytest.raises(BadSecret):
        identity.over_network(engine, HERE, None, trusted=True)


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize(("of", "tool"), TOOLS, ids=named)
def test_no_tool_runs_for_a_role_that_does_not_reach(engine, of, tool, role, remote):
    client = Client(engine, replace(HERE, role=role, remote=remote))
    # With arguments that no tool takes, what is allowed fails later than what is not.
    if role.includes(tool.role):
        said = client.reply(of, tool.name, {}).text
        assert "needs the role" not in said
    else:
        assert f"needs the role {tool.role}" in str(client.refused(of, tool.name))


def test_to_delete_everything_over_the_network_takes_an_admin(engine):
    agent = replace(HERE, role=Role.AGENT)
    afar = Client(engine, replace(agent, remote=True))
    said = afar.refused("memory-mcp", "reset_all_memory", confirm=True)
    assert "needs the role admin" in said
    # What deletes nothing, anybody may ask.
    assert not afar.ask("memory-mcp", "reset_all_memory")["reset"]
    assert Client(engine, agent).ask("memory-mcp", "reset_all_memory", confirm=True)


def test_a_policy_that_forbids_is_what_codex_memory_calls_it(engine):
    viewer = Client(engine, replace(HERE, role=Role.VIEWER))
    said = viewer.refused("codex-memory", "save_memory", content="x")
    assert said["code"] == "POLICY_BLOCKED"
