"""kill -9 while many clients write: whatever was acknowledged is there afterwards, and is sound."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from recollect.config import Config
from recollect.ops import Get, Verify
from recollect.wiring import open_engine
from tests.ways.http.conftest import calling
from tests.ways.http.process import serving

CLIENTS, ENOUGH, ROUNDS = 8, 60, 2


def test_every_acknowledged_write_is_there_after_a_kill(tmp_path):
    acknowledged: list[str] = []
    for round_ in range(ROUNDS):
        with serving() as server, ThreadPoolExecutor(CLIENTS) as pool:
            enough = Event()
            at = len(acknowledged) + ENOUGH

            def write(client, server=server, enough=enough, at=at, round_=round_):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
                number = 0
                while True:
                    number += 1
                    said = calling("store_memory", content=f"Fact {round_} {client} {number}.")
                    try:
                        connection.request(
                            "POST", "/mcp", json.dumps(said), {"Content-Type": "application/json"}
                        )
                        result = json.load(connection.getresponse())["result"]
                    except (OSError, http.client.HTTPException, json.JSONDecodeError):
                        # It was killed; who knows what became of this one.
                        connection.close()
                        return
                    acknowledged.append(result["structuredContent"]["id"])
                    if len(acknowledged) >= at:
                        enough.set()

            for client in range(CLIENTS):
                pool.submit(write, client)
            assert enough.wait(60)
            server.running.kill()
    assert len(acknowledged) >= ENOUGH * ROUNDS
    with open_engine(Config(store=str(tmp_path / "memory.db"), embedding="hash")) as engine:
        found = engine.run(Get(tuple(acknowledged)))
        assert found.missing == ()
        assert engine.run(Verify()).problems == ()
