"""A real server on this machine, answering as embedding servers do, well and badly."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from recollect.embed import Model
from recollect.embed.endpoint import Endpoint
from recollect.embed.hashed import HashEmbedder
from recollect.errors import InvalidRequest, Unavailable

KEY = "sk-very-secret"
OK: tuple[int, dict[str, str], None] = (200, {}, None)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.replies = []
        self.dimensions = 16


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), request, self.client_address))
        replies = self.server.replies
        status, headers, body = replies.pop(0) if replies else OK
        if status is None:
            self.close_connection = True
            return
        content = self.content(request) if body is None else body
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def content(self, request):
        rows = 3 * HashEmbedder(self.server.dimensions).passages(request["input"])
        data = [{"index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]
        return json.dumps({"object": "list", "data": data[::-1]}).encode()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as serving:
        thread = Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.fixture
def connect(server):
    opened = []

    def connected(url=None, **options: Any):
        url = url or f"http://127.0.0.1:{server.server_port}/v1"
        options.setdefault("pause", lambda _: None)
        options.setdefault("dimensions", 16)
        opened.append(Endpoint(url, "some-model", **options))
        return opened[-1]

    yield connected
    for endpoint in opened:
        endpoint.close()


def error(status, message, **headers):
    return status, headers, json.dumps({"error": {"message": message}}).encode()


def answering(*data):
    return 200, {}, json.dumps({"data": [*data]}).encode()


def test_texts_become_unit_vectors_in_their_order(connect):
    texts = ["one", "two", "three"]
    rows = connect().passages(texts)
    assert rows.dtype == np.float32
    assert np.allclose(rows, HashEmbedder(16).passages(texts), atol=1e-6)


def test_a_query_is_one_vector(connect):
    assert np.allclose(connect().query("one"), HashEmbedder(16).query("one"), atol=1e-6)


def test_no_texts_ask_nothing(connect, server):
    assert connect().passages([]).shape == (0, 16)
    assert server.seen == []


def test_it_asks_as_the_interface_wants(connect, server):
    connect(api_key=KEY).query("one")
    path, headers, request, _ = server.seen[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert request == {
        "model": "some-model",
        "input": ["one"],
        "encoding_format": "float",
        "dimensions": 16,
    }


def test_without_a_key_none_is_sent(connect, server):
    connect().query("one")
    assert "Authorization" not in server.seen[0][1]


def test_the_full_address_with_a_query_is_understood(connect, server):
    connect(url=f"http://127.0.0.1:{server.server_port}/deep/embeddings/?api-version=2").query(
        "one"
    )
    assert server.seen[0][0] == "/deep/embeddings?api-version=2"


def test_dimensions_that_are_not_configured_are_asked_for_once(connect, server):
    endpoint = connect(dimensions=None)
    assert endpoint.model == Model("some-model", 16)
    endpoint.load()
    endpoint.query("one")
    assert [request["input"] for _, _, request, _ in server.seen] == [["dimensions"], ["one"]]
    assert all("dimensions" not in request for _, _, request, _ in server.seen)


def test_dimensions_that_are_configured_need_no_server(connect, server):
    assert connect().model == Model("some-model", 16)
    assert server.seen == []


def test_prefixes_are_put_before_the_texts_and_into_the_models_name(connect, server):
    endpoint = connect(query_prefix="query: ", passage_prefix="passage: ")
    endpoint.query("one")
    endpoint.passages(["two"])
    assert [request["input"] for _, _, request, _ in server.seen] == [
        ["query: one"],
        ["passage: two"],
    ]
    assert endpoint.model.name.startswith("some-model+")
    assert endpoint.model != connect(query_prefix="query: ").model


def test_many_texts_go_in_batches_over_one_connection(connect, server):
    texts = [f"text {i}" for i in range(300)]
    rows = connect().passages(texts)
    assert np.allclose(rows, HashEmbedder(16).passages(texts), atol=1e-6)
    assert [len(request["input"]) for _, _, request, _ in server.seen] == [128, 128, 44]
    assert len({address for *_, address in server.seen}) == 1


def test_threads_do_not_share_a_connection_at_one_time(connect):
    endpoint = connect()
    texts = [f"text {i}" for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        rows = [*pool.map(endpoint.query, texts)]
    assert np.allclose(rows, HashEmbedder(16).passages(texts), atol=1e-6)


def test_odd_texts_are_sent_as_text_that_every_server_takes(connect, server):
    connect().passages(["", "a \ud800"])
    assert server.seen[0][2]["input"] == [" ", "a ?"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_trouble_is_waited_out_ever_longer(connect, server, status):
    server.replies[:] = [error(status, "busy")] * 3
    pauses: list[float] = []
    assert connect(pause=pauses.append).query("one").shape == (16,)
    assert 0.4 <= pauses[0] <= 0.6 < pauses[1] <= 1.2 < pauses[2] <= 2.4


def test_a_server_that_says_how_long_to_wait_is_obeyed(connect, server):
    date = formatdate(time.time() + 10, usegmt=True)
    server.replies[:] = [
        error(429, "slow down", **{"Retry-After": "7"}),
        error(429, "slow down", **{"Retry-After": date}),
        error(429, "slow down", **{"Retry-After": "soon"}),
    ]
    pauses: list[float] = []
    connect(pause=pauses.append).query("one")
    assert pauses[0] == 7
    assert 7 < pauses[1] <= 10
    assert 1.6 <= pauses[2] <= 2.4


def test_a_server_that_wants_too_long_a_pause_is_given_up_at_once(connect, server):
    server.replies[:] = [error(429, "Quota used up", **{"Retry-After": "3600"})]
    with pytest.raises(Unavailable, match=r"said 429: Quota used up\. .*try again later") as told:
        connect().query("one")
    assert told.value.facts == {"status": 429, "retry_after": "3600"}
    assert len(server.seen) == 1


def test_trouble_that_does_not_pass_is_reported(connect, server):
    server.replies[:] = [error(503, "overloaded")] * 4
    with pytest.raises(Unavailable, match=r"said 503: overloaded\. Try again later"):
        connect().query("one")
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "model"),
        (401, "API key"),
        (403, "permits"),
        (404, "address and model"),
        (418, "later"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_do(connect, server, status, advice):
    server.replies[:] = [error(status, f"No, {KEY}!")]
    with pytest.raises(Unavailable, match=rf"said {status}: No, \*\*\*! .*{advice}"):
        connect(api_key=KEY).query("one")
    assert len(server.seen) == 1


def test_an_error_that_is_no_json_is_shown_in_short(connect, server):
    server.replies[:] = [(404, {}, b"<html>\n  nothing\nhere " + b"x" * 1000)]
    with pytest.raises(Unavailable, match="said 404: <html> nothing here x") as told:
        connect().query("one")
    assert len(str(told.value)) < 600


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b"{}", b'{"data": [{"index": 0}]}', b'{"data": 3}', b"\xff"]
)
def test_an_answer_of_another_kind_is_named_as_such(connect, server, body):
    server.replies[:] = [(200, {}, body)]
    with pytest.raises(Unavailable, match=r"not as an OpenAI-compatible .* Check the configured"):
        connect().query("one")


def test_too_few_vectors_are_refused(connect, server):
    server.replies[:] = [answering({"index": 0, "embedding": [1.0] * 16})]
    with pytest.raises(Unavailable, match="sent 2 texts and answered with an array of shape"):
        connect().passages(["one", "two"])


def test_vectors_of_another_length_are_refused(connect, server):
    server.dimensions = 8
    with pytest.raises(Unavailable, match="8 dimensions, not the 16 expected"):
        connect().query("one")


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_vectors_without_a_direction_are_refused(connect, server, value):
    server.replies[:] = [answering({"index": 0, "embedding": [value] * 16})]
    with pytest.raises(Unavailable, match="no direction"):
        connect().query("one")


def test_a_connection_that_the_server_closed_meanwhile_is_replaced_unnoticed(connect, server):
    endpoint = connect(pause=None)
    endpoint.query("one")
    server.replies[:] = [(None, {}, None)]
    assert endpoint.query("two").shape == (16,)
    assert len(server.seen) == 3


def test_a_server_that_hangs_up_for_good_is_reported(connect, server):
    server.replies[:] = [(None, {}, None)] * 4
    with pytest.raises(Unavailable, match=r"could not be reached: Remote end closed"):
        connect().query("one")


def test_a_server_that_is_not_there_is_reported(connect):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unavailable, match=r"could not be reached: .*refused.* that the server"):
        connect(url=f"http://127.0.0.1:{port}").query("one")


def test_a_server_that_does_not_answer_is_not_waited_for_twice(connect):
    pauses: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unavailable, match=r"no answer within 0\.05 seconds"):
            connect(url=url, timeout=0.05, pause=pauses.append).query("one")
    assert pauses == []


def test_a_server_that_speaks_no_tls_is_reported(connect, server):
    with pytest.raises(Unavailable, match="could not be reached"):
        connect(url=f"https://127.0.0.1:{server.server_port}/v1").query("one")


@pytest.mark.parametrize("url", ["", "api.openai.com/v1", "ftp://host/", "https://", "file:///x"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidRequest, match="no address of an embedding server"):
        Endpoint(url, "some-model")


def test_a_password_in_the_address_is_not_shown(connect, server):
    server.replies[:] = [error(404, "nothing here")]
    with pytest.raises(Unavailable) as told:
        connect(url=f"http://user:{KEY}@127.0.0.1:{server.server_port}/v1").query("one")
    assert KEY not in str(told.value)
