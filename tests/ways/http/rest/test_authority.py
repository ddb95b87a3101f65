"""Attempts over REST, with keys and with tokens, to change what a person decided or to be more."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from recollect.decisions import Decide
from recollect.model import Author, AuthorKind, Link, Role
from recollect.ops import CreateKey, Get, Import, ListKeys
from recollect.ways.http.rest.table import ROOT
from recollect.ways.http.token import Issuer, Tokens
from tests.engine.build import proposed
from tests.ways.http.test_token import HERE, authority, token

__all__ = ["authority"]
ANN = Author(AuthorKind.HUMAN, "ann")


@pytest.fixture
def hers(engine):
    said = Decide("Use PostgreSQL", "It has to be ACID.", "database", author=ANN)
    return engine.run(said).decision.record.id


@pytest.fixture
def batch(engine, tmp_path):
    """What Ann brought in."""
    page = tmp_path / "note.md"
    page.write_text("# Tea\n\nThe kettle stands in the kitchen.\n", "utf-8")
    return engine.run(Import((str(page),), author=ANN)).batch


@pytest.fixture(params=["agent", "admin", "agent's token", "admin's token"])
def secret(request, engine, authority):
    role = Role(request.param.partition("'")[0])
    if "token" in request.param:
        return token(authority, scope=f"recollect:{role}", client_id="human", sub="ann")
    return engine.run(CreateKey("human", role, user="ann")).secret


@pytest.fixture
def send(visit, authority, secret):
    """Sends one request with that secret; `send(method, path, body, **headers)`."""

    def run(method, path, body=None, /, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named = {"authorization": f"Bearer {secret}", **named}

        async def ask(client):
            return await client.request(method, ROOT + path, json=body, headers=named)

        return visit(ask, tokens=Tokens(Issuer(authority.url, HERE)))

    return run


def state(engine, id_):
    with engine.ports.store.reading() as reader:
        edges = reader.edges([id_], "incoming", [Link.SUPERSEDES])
        return reader.records([id_]).get(id_), reader.versions(id_), edges


OTHER = {"statement": "Use MySQL", "reasoning": "It fits us better.", "target": "database"}
ATTEMPTS: dict[str, tuple[Any, ...]] = {
    "supersedes it": ("POST", "/decisions", {**OTHER, "supersedes": ["DEC"]}),
    "supersedes it and says who": (
        "POST",
        "/decisions",
        {**OTHER, "supersedes": ["DEC"], "author": {"kind": "human", "name": "ann"}},
    ),
    "updates its stage": ("PATCH", "/decisions/DEC", {"stage": "failed"}),
    "updates its confidence": ("PATCH", "/decisions/DEC", {"confidence": 0.0}),
    "links a commit": ("PATCH", "/decisions/DEC", {"commit": "0a1b2c3"}),
    "adds a note": ("PATCH", "/decisions/DEC", {"notes": "Not so."}),
    "revises it": ("PATCH", "/records/DEC", {"text": "It was a mistake."}),
    "revises its title": ("PATCH", "/records/DEC", {"title": "Use MySQL"}),
    "revises it with its version": ("PATCH", "/records/DEC", {"text": "x"}, {"if_match": '"1"'}),
    "deletes it": ("DELETE", "/records/DEC", None),
    "deletes it by another spelling": ("DELETE", "/records/%64%65c_REST", None),
    "invalidates it": ("POST", "/records/DEC/invalidate", {"reason": "old"}),
    "has a memory take its place": ("POST", "/records/DEC/supersede", {"new": "MEM"}),
    "has another decision take its place": ("POST", "/records/DEC/supersede", {"new": "MINE"}),
    "draws the edge": ("POST", "/relations", {"from": "MINE", "to": "DEC", "type": "supersedes"}),
    "drops it as a project": ("DELETE", "/projects/DEC", None),
    "undoes the batch": ("POST", "/batches/BATCH/undo", {}),
    "accepts what takes its place": ("POST", "/proposals/PROP/accept", {}),
    "deletes everything": ("DELETE", "/everything", None),
    "deletes everything and confirms": ("DELETE", "/everything?confirmed=true", None),
    "restores over it": ("POST", "/more/restore", {"lines": []}),
    "exports": ("POST", "/more/export", {}),
    "identifies": ("POST", "/more/identify", {"secret": "x"}),
    "overrides the method": (
        "POST",
        "/records/DEC",
        None,
        {"x_http_method_override": "DELETE", "x_method_override": "DELETE"},
    ),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_over_rest_changes_what_a_person_decided(engine, send, hers, batch, attempt):
    mine = engine.run(Decide("Use MySQL", author=Author(AuthorKind.AGENT, "human")))
    draft = proposed(engine, "Use MySQL", "database", supersedes=(hers,))
    engine.ports.clock.move(timedelta(hours=2))
    places = {"DEC": hers, "MEM": batch, "MINE": mine.decision.record.id}
    places |= {"BATCH": batch, "PROP": draft, "REST": hers.removeprefix("dec_")}
    before = state(engine, hers)
    method, path, body, *headers = ATTEMPTS[attempt]
    text = json.dumps(body)
    for name, value in places.items():
        path, text = path.replace(name, value), text.replace(f'"{name}"', f'"{value}"')
    send(method, path, json.loads(text), **(headers[0] if headers else {}))
    assert state(engine, hers) == before


def test_what_is_written_over_rest_is_an_agents_whatever_it_is_called(engine, send):
    made = send("POST", "/decisions", OTHER).json()
    id_ = made["decision"]["record"]["id"]
    (record,) = engine.run(Get((id_,))).records
    assert record.author.kind is AuthorKind.AGENT
    for name, value in (
        ("author", {"kind": "human"}),
        ("tenant", "other"),
        ("created_by", "human"),
        ("role", "admin"),
    ):
        assert send("POST", "/decisions", {**OTHER, name: value}).status_code in {400, 422}
        memory = {"text": "The kettle is in the kitchen.", name: value}
        assert send("POST", "/memories", memory).status_code in {400, 422}


def test_nobody_makes_more_of_themselves(engine, send, secret):
    before = engine.run(ListKeys()).keys
    role = send("GET", "/whoami").json()["role"]
    made = send("POST", "/keys", {"name": "me", "role": "admin"})
    assert (made.status_code == 201) is (role == "admin")
    for path in (f"/keys/{key.id}" for key in before):
        ended = send("DELETE", path)
        assert ended.status_code == (200 if role == "admin" else 403)
        break
    assert send("POST", "/keys", {"name": "me", "tenant": "other"}).status_code != 201
