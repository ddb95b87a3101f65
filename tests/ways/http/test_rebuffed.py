"""Every tool, route and read, tried by those who may not: made from the tables."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.contracts import every
from recollect.contracts.every import NAMES
from recollect.contracts.listing import Selection, offered
from recollect.decisions import Decide
from recollect.model import Role, Where
from recollect.ops import CreateKey, List, RevokeKey
from recollect.store.memory import MemoryStore
from tests.engine.build import described, opened, remember
from tests.ways.http.conftest import calling, request

TOOLS = [(name, one.own) for name in NAMES for one in offered(Selection((name,)))]
PATHS = ["/", "/mcp", *(f"/mcp/{name}" for name in NAMES), "/metrics", "/api/v1/whoami"]
MARK = "xylophone"


@pytest.fixture
def engine(clock):
    """Who is let in is the same on every store; tests/ways/http/test_door.py tries both."""
    with opened(MemoryStore(), clock) as made:
        yield made


@pytest.fixture
def keys(engine, clock):
    """Headers by what is wrong with them."""
    made = {role: engine.run(CreateKey(role.value, role)).secret for role in Role}
    ended = engine.run(CreateKey("ended", expires_at=clock() + timedelta(seconds=1)))
    revoked = engine.run(CreateKey("revoked"))
    engine.run(RevokeKey(revoked.key.id))
    clock.move(timedelta(days=1))
    return {
        "missing": {},
        # No secret has this letter.
        "wrong": {"authorization": f"Bearer {made[Role.ADMIN][:-1]}0"},
        "expired": {"authorization": f"Bearer {ended.secret}"},
        "revoked": {"authorization": f"Bearer {revoked.secret}"},
        **{role: {"authorization": f"Bearer {secret}"} for role, secret in made.items()},
    }


@pytest.mark.parametrize("what", ["missing", "wrong", "expired", "revoked"])
def test_no_path_lets_in_who_has_no_key(visit, keys, what):
    async def talk(client):
        found = {}
        for path in PATHS:
            for method in ("GET", "POST", "DELETE"):
                answer = await client.request(
                    method, path, headers=keys[what], json=request("tools/list")
                )
                found[path, method] = answer.status_code
        return found

    assert {*visit(talk).values()} == {401}


def test_every_tool_needs_its_role(visit, keys):
    async def talk(client):
        found = {}
        for name, own in TOOLS:
            for role in Role:
                answer = await client.post(f"/mcp/{name}", json=calling(own), headers=keys[role])
                found[name, own, role] = answer.text
        return found

    roles = list(Role)
    for (name, own, role), said in visit(talk).items():
        needed = every.tool(own, name)[1].role
        refused = f"needs the role {needed}" in said
        assert refused is not role.includes(needed), (name, own, role, said)
    assert roles == [Role.VIEWER, Role.AGENT, Role.ADMIN]


@pytest.fixture
def theirs(engine):
    """What another tenant has, of every kind that a tool gives out ids of."""
    engine.run(Decide(f"Use the {MARK} for orders", module="database"))
    described(engine, f"The {MARK} itself")
    remember(engine, f"The {MARK} stands in the kitchen.")
    return [one.id for one in engine.run(List(Where(kinds=()), limit=100)).records]


def values(schema, ids):
    """Arguments that would find what is there: everything that is asked for, in every way."""
    found = {}
    for name, one in schema.get("properties", {}).items():
        kinds = one.get("type") or [part.get("type") for part in one.get("anyOf", ())]
        if "query" in name or name in {"text", "statement", "name", "topic", "content"}:
            found[name] = f"the {MARK} in the kitchen"
        elif name.endswith("ids"):
            found[name] = ids[:1]
        elif name == "id" or name.endswith("_id"):
            found[name] = ids[0]
        elif name in schema.get("required", ()) and "string" in kinds:
            found[name] = one.get("enum", [ids[0]])[0]
    return found


def told(text, said):
    """Whether an answer tells what is there; what was asked may be said again."""
    for value in said.values():
        text = text.replace(str(value), "")
    return MARK in text


def test_no_read_crosses_from_one_tenant_to_another(visit, engine, theirs):
    reads = [
        (name, one)
        for name in NAMES
        for one in offered(Selection((name,)))
        if one.shown["annotations"]["readOnlyHint"]
    ]

    def asking_as(tenant):
        secret = engine.run(CreateKey("reader", Role.ADMIN, tenant)).secret

        async def talk(client):
            found = set()
            for name, one in reads:
                for id_ in theirs:
                    said = values(one.shown["inputSchema"], [id_])
                    answer = await client.post(
                        f"/mcp/{name}",
                        json=calling(one.own, **said),
                        headers={"authorization": f"Bearer {secret}"},
                    )
                    if told(answer.text, said):
                        found.add((name, one.own))
            return found

        return talk

    # Whoever may read it finds it by most of them, so that the others' silence says something.
    assert len(visit(asking_as("local"))) > len(reads) / 2
    assert visit(asking_as("another")) == set()


def test_no_resource_crosses_from_one_tenant_to_another(visit, engine, theirs):
    def asking_as(tenant):
        secret = engine.run(CreateKey("reader", Role.ADMIN, tenant)).secret
        headers = {"authorization": f"Bearer {secret}"}

        async def talk(client):
            async def ask(method, params=None):
                asked = request(method, params)
                return (await client.post("/mcp", json=asked, headers=headers)).json()

            uris = [one["uri"] for one in (await ask("resources/list"))["result"]["resources"]]
            templates = (await ask("resources/templates/list"))["result"]["resourceTemplates"]
            for one in templates:
                start, _, rest = one["uriTemplate"].partition("{")
                end = rest.partition("}")[2].partition("{")[0]
                uris += [f"{start}{id_}{end}" for id_ in (*theirs, "database")]
            answers = [str(await ask("resources/read", {"uri": uri})) for uri in uris]
            return [text for text in answers if MARK in text]

        return talk

    assert visit(asking_as("local"))
    assert visit(asking_as("another")) == []
