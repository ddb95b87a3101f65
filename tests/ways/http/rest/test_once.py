"""Writes with a key are done once, whichever server they are sent to, and whatever became of it."""

from __future__ import annotations

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from recollect.config import Config
from recollect.ops import List
from recollect.wiring import open_engine
from tests.ways.http.process import serving

FACT = {"text": "The kettle stands in the kitchen.", "once": False}


def send(server, key):
    said = {"Content-Type": "application/json", "Idempotency-Key": key}
    request = urllib.request.Request(
        f"{server.url}/api/v1/memories", json.dumps(FACT).encode(), headers=said
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201
        return answer.read()


def total(tmp_path):
    with open_engine(Config(store=str(tmp_path / "memory.db"), embedding="hash")) as engine:
        return engine.run(List()).total


def test_a_server_that_was_killed_is_followed_by_one_that_knows(tmp_path):
    with serving() as first:
        answer = send(first, "k")
        first.running.kill()
        first.running.wait()
        with serving() as second:
            assert send(second, "k") == answer
    assert total(tmp_path) == 1


def test_two_servers_asked_at_once_do_it_once(tmp_path):
    with serving() as one, serving() as other, ThreadPoolExecutor(8) as pool:
        for key in ("a", "b", "c"):
            answers = set(pool.map(lambda server, k=key: send(server, k), [one, other] * 4))
            assert len(answers) == 1
    assert total(tmp_path) == 3
