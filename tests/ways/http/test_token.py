"""Tokens of a configured issuer, in the place of keys."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from recollect.config import Config
from recollect.errors import InvalidRequest
from recollect.model import Where
from recollect.ops import CreateKey, List
from recollect.ways.http.token import Issuer, Tokens, tokens
from tests.ways.http.conftest import calling, request

HERE = "http://127.0.0.1:8377/mcp"
KEY, OTHER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))


class Authority:
    """An authorization server as far as anybody asks it: its metadata and its keys."""

    def __init__(self):
        authority = self
        self.asked: list[str] = []

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self):
                authority.asked.append(self.path)
                if self.path == "/keys":
                    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key()))
                    said: dict[str, object] = {
                        "keys": [{**public, "kid": "k", "alg": "ES256", "use": "sig"}]
                    }
                elif self.path == "/.well-known/openid-configuration":
                    said = {"jwks_uri": f"{authority.url}/keys"}
                else:
                    self.send_error(404)
                    return
                body = json.dumps(said).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def authority():
    made = Authority()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def checking(authority):
    return Tokens(Issuer(authority.url, HERE))


def token(authority, key=KEY, algorithm="ES256", without=(), **claims):
    said = {
        "iss": authority.url,
        "aud": HERE,
        "sub": "ada",
        "exp": int(time.time()) + 300,
        "scope": "openid recollect:agent",
        **claims,
    }
    kept = {name: value for name, value in said.items() if name not in without}
    return jwt.encode(kept, key, algorithm, headers={"kid": "k"})


def asking(secret, document=None):
    async def ask(client):
        headers = {} if secret is None else {"authorization": f"Bearer {secret}"}
        return await client.post("/mcp", json=document or request("tools/list"), headers=headers)

    return ask


def test_a_token_says_who_calls_and_whose_memories_are_meant(visit, authority, checking, engine):
    said = token(authority, tenant="team")
    answer = visit(asking(said, calling("store_memory", content="Ours.")), tokens=checking)
    assert answer.json()["result"]["isError"] is False
    (record,) = engine.run(List(Where("team"))).records
    assert (record.scope.user, record.author.name) == ("ada", "ada")
    assert engine.run(List()).records == ()


def test_the_scope_says_the_role(visit, authority, checking):
    for scope, refused in (
        ("recollect:viewer", True),
        ("recollect:viewer recollect:admin", False),
        (["recollect:agent"], False),
    ):
        said = token(authority, scope=scope)
        answer = visit(asking(said, calling("store_memory", content="x")), tokens=checking)
        assert answer.json()["result"]["isError"] is refused


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "https://other.example/mcp"},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"nbf": 1 << 40},
        {"scope": ""},
        {"scope": "openid"},
        {"scope": 7},
        {"key": OTHER},
        {"sub": ""},
        {"sub": "  "},
        {"tenant": ""},
        {"tenant": ["team"]},
        {"tenant": None},
        {"scope": "recollect:admins"},
        {"scope": "RECOLLECT:ADMIN"},
        {"scope": ["recollect", ":admin"]},
        {"scope": {"recollect:admin": True}},
        {"aud": []},
        {"aud": HERE + "/"},
        {"without": ("exp",)},
        {"without": ("aud",)},
        {"without": ("sub",)},
        {"without": ("scope",)},
        {"key": "x" * 64, "algorithm": "HS256"},
        {"key": None, "algorithm": "none"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_server_opens_nothing(visit, authority, checking, wrong):
    answer = visit(asking(token(authority, **wrong)), tokens=checking)
    assert answer.status_code == 401
    assert "resource_metadata=" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("said", ["a.b.c", "x", "....", "x" * 20_000])
def test_what_is_no_token_opens_nothing(visit, checking, said):
    assert visit(asking(said), tokens=checking).status_code == 401


def test_where_there_is_an_issuer_nobody_is_let_in_without_a_token_or_a_key(
    visit, checking, engine
):
    assert visit(asking(None), tokens=checking).status_code == 401
    made = engine.run(CreateKey("one"))
    assert visit(asking(made.secret), tokens=checking).status_code == 200


def test_a_client_can_find_out_where_tokens_come_from(visit, authority, checking):
    refused = visit(asking(None), tokens=checking).headers["www-authenticate"]
    place = refused.partition('resource_metadata="')[2].rstrip('"')
    assert place == "http://127.0.0.1:8377/.well-known/oauth-protected-resource/mcp"
    for path in (place, "/.well-known/oauth-protected-resource"):
        said = visit(lambda client, path=path: client.get(path), tokens=checking).json()
        assert said["resource"] == HERE
        assert said["authorization_servers"] == [authority.url]
        assert "recollect:viewer" in said["scopes_supported"]


def test_without_an_issuer_there_is_nothing_to_find_out(visit):
    path = "/.well-known/oauth-protected-resource"
    assert visit(lambda client: client.get(path)).status_code == 404


def test_keys_are_fetched_once_and_from_where_they_are_said_to_be(visit, authority):
    checking = Tokens(Issuer(authority.url, HERE, f"{authority.url}/keys"))
    for _ in range(3):
        assert visit(asking(token(authority)), tokens=checking).status_code == 200
    assert authority.asked == ["/keys"]


def test_an_issuer_that_is_not_there_is_said_not_to_be(visit, authority, checking):
    said = token(authority)
    authority.server.shutdown()
    authority.server.server_close()
    answer = visit(asking(said), tokens=checking)
    assert answer.status_code == 503


def test_an_issuer_that_does_not_answer_holds_up_nobody_with_a_key(visit, engine):
    secret = engine.run(CreateKey("one")).secret
    with socket.create_server(("127.0.0.1", 0)) as mute:
        issuer = Issuer(f"http://127.0.0.1:{mute.getsockname()[1]}", HERE)

        async def talk(client):
            tokens = [jwt.encode({}, KEY, "ES256", headers={"kid": str(n)}) for n in range(20)]
            waiting = [asyncio.create_task(asking(one)(client)) for one in tokens]
            answer = await asking(secret)(client)
            still = [task for task in waiting if not task.done()]
            mute.shutdown(socket.SHUT_RDWR)
            return answer.status_code, len(still), {(await one).status_code for one in waiting}

        assert visit(talk, tokens=Tokens(issuer)) == (200, 20, {503})


def test_keys_over_plain_http_are_refused():
    config = Config("s", oauth_issuer="http://auth.example")
    with pytest.raises(InvalidRequest, match="plain HTTP can be anybody's"):
        tokens(config, "http://127.0.0.1:1")
    safe = tokens(Config("s", oauth_issuer="https://auth.example"), "http://127.0.0.1:1")
    assert safe is not None
    assert safe.issuer.resource == "http://127.0.0.1:1/mcp"
    assert tokens(Config("s"), "http://127.0.0.1:1") is None
