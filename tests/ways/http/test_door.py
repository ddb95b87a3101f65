"""Who is let in: whoever has a key, and while there is none whoever runs the server."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.model import Role, Where
from recollect.ops import CreateKey, List, RevokeKey, RotateKey
from recollect.ways.http.address import Address
from tests.ways.http.conftest import calling, request

HELLO = request(
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
)
STREAMS = {"accept": "application/json, text/event-stream"}


def bearer(secret):
    return {} if secret is None else {"authorization": f"Bearer {secret}"}


def asking(secret=None, document=None, **headers):
    async def ask(client):
        return await client.post(
            "/mcp", json=document or request("tools/list"), headers={**bearer(secret), **headers}
        )

    return ask


@pytest.fixture
def key(engine):
    def make(role=Role.AGENT, **more):
        return engine.run(CreateKey("a key", role, **more))

    return make


def test_whoever_runs_the_server_needs_no_key_while_there_is_none(visit, key):
    assert visit(asking()).status_code == 200
    made = key()
    refused = visit(asking())
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "recollect keys create NAME" in refused.json()["detail"]
    assert visit(asking(made.secret)).status_code == 200


def test_another_user_of_the_machine_needs_a_key(visit):
    assert visit(asking(), own=False).status_code == 401


def test_nobody_is_let_in_from_elsewhere_without_a_key(visit, key):
    at = Address("0.0.0.0", 8377)
    assert visit(asking(), at=at).status_code == 401
    assert visit(asking(key().secret), at=at, own=False).status_code == 200


def test_a_key_that_ended_opens_nothing(visit, key, engine, clock):
    revoked, rotated = key(), key()
    expiring = key(expires_at=clock() + timedelta(days=1))
    assert visit(asking(expiring.secret)).status_code == 200
    engine.run(RevokeKey(revoked.key.id))
    renewed = engine.run(RotateKey(rotated.key.id))
    clock.move(timedelta(days=2))
    for secret in (revoked.secret, rotated.secret, expiring.secret):
        assert visit(asking(secret)).status_code == 401
    assert visit(asking(renewed.secret)).status_code == 200


@pytest.mark.parametrize(
    "said",
    ["Bearer", "Bearer ", "Basic dTpw", "bearer x", "Bearer \xe9", f"Bearer {'x' * 5000}", ""],
)
def test_what_is_no_secret_of_ours_is_never_taken_for_none(visit, said):
    answer = visit(asking(authorization=said.encode("latin-1")))
    assert answer.status_code == 401


def test_a_request_says_once_who_calls(visit, key):
    secret = key().secret
    twice = [("authorization", f"Bearer {secret}")] * 2
    answer = visit(lambda client: client.post("/mcp", json=request("ping"), headers=twice))
    assert answer.status_code == 401


def test_a_key_decides_whose_memories_they_are(visit, key, engine):
    team = key(tenant="team")
    visit(asking(team.secret, calling("store_memory", content="Ours alone.")))
    assert [one.text for one in engine.run(List(Where("team"))).records] == ["Ours alone."]
    assert engine.run(List()).records == ()


def test_a_viewer_reads_and_no_more(visit, key, engine):
    viewer = key(Role.VIEWER)
    refused = visit(asking(viewer.secret, calling("store_memory", content="x"))).json()
    assert refused["result"]["isError"] is True
    assert "needs the role agent" in refused["result"]["content"][0]["text"]
    found = visit(asking(viewer.secret, calling("recall", query="x"))).json()
    assert found["result"]["isError"] is False
    assert engine.run(List()).records == ()


def test_nobody_goes_on_with_the_session_of_another_key(visit, key):
    one, other = key(), key()

    async def talk(client):
        hello = await client.post("/mcp", json=HELLO, headers={**bearer(one.secret), **STREAMS})
        session = {**STREAMS, "mcp-session-id": hello.headers["mcp-session-id"]}
        return [
            (
                await client.post(
                    "/mcp", json=request("ping"), headers={**session, **bearer(secret)}
                )
            ).status_code
            for secret in (other.secret, one.secret, None)
        ]

    assert visit(talk) == [404, 200, 401]


def test_whether_it_lives_is_told_to_everybody(visit, key):
    key()
    for path in ("/healthz", "/readyz"):
        assert visit(lambda client, path=path: client.get(path)).status_code == 200
