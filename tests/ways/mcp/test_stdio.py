"""The server as a process: raw lines in, raw lines out, until either end is closed."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from recollect.contracts.listing import Selection, offered, selection
from tests.ways.mcp.process import COMMAND, HELLO, READY, request, serving, talking

FACT = "The kettle stands in the kitchen."
STORE = request("tools/call", {"name": "store_memory", "arguments": {"content": FACT}}, "store")
META = "io.modelcontextprotocol/"
MODERN = {"_meta": {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}}


def names(reply):
    return [tool["name"] for tool in reply["result"]["tools"]]


def texts(recollect):
    return [one["text"] for one in recollect("list", "--json").json["records"]]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_revision_with_a_handshake_is_spoken(version):
    hello = {**HELLO, "params": {**HELLO["params"], "protocolVersion": version}}
    with serving() as server:
        assert server.ask(hello)["result"]["protocolVersion"] == version
        server.send(READY)
        assert server.call("store_memory", content=FACT)["isError"] is False
        assert FACT in json.dumps(server.call("recall", query="kettle"))
        assert server.end() == (0, "")


def test_the_newest_revision_is_spoken_without_a_handshake():
    call = request("tools/call", {**STORE["params"], **MODERN})
    with serving() as server:
        assert server.ask(request("server/discover", MODERN))["result"]["supportedVersions"] == [
            "2026-07-28"
        ]
        assert len(names(server.ask(request("tools/list", MODERN)))) > 4
        assert server.ask(call)["result"]["resultType"] == "complete"


def test_an_older_client_may_say_true_or_false_of_what_it_can_do():
    said = {"tools": True, "resources": True, "sampling": False, "roots": None}
    hello = {**HELLO, "params": {**HELLO["params"], "capabilities": said}}
    with serving() as server:
        assert server.ask(hello)["result"]["serverInfo"]["name"] == "recollect"
        server.send(READY)
        assert server.call("get_status")["isError"] is False


def test_a_store_that_cannot_be_read_is_told_call_by_call_until_it_can_be(tmp_path, monkeypatch):
    path = tmp_path / "elsewhere.db"
    path.write_bytes(b"This is no store. " * 99)
    monkeypatch.setenv("RECOLLECT_STORE", str(path))
    with talking("--contracts", "memento,codex-memory") as server:
        for tool, said, code in (
            ("store_memory", {"content": FACT}, "STORAGE_ERROR"),
            ("save_memory", {"text": FACT}, "STORAGE_FAILURE"),
        ):
            reply = server.call(tool, **said)
            assert reply["isError"]
            assert json.loads(reply["content"][0]["text"])["error"]["code"] == code
            assert str(tmp_path) not in json.dumps(reply)
        path.unlink()
        assert not server.call("store_memory", content=FACT)["isError"]
        assert FACT in json.dumps(server.call("list_recent_memories"))
        ended, told = server.end()
        assert (ended, told.count("ERROR")) == (0, 1)
        assert f"{path} is damaged or not a store" in told


def test_whatever_is_no_message_has_an_answer_and_the_session_lives():
    wrong = [
        (b"garbage", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc": "2.0", "id": NaN}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"1" * 10_000, -32700, None),
        (b"7", -32600, None),
        (b"[]", -32600, None),
        ({"id": 1, "method": "ping"}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 2}, -32600, 2),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 3, "method": 3}, -32600, 3),
        ({"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}, -32600, 4),
    ]
    with talking() as server:
        for message, code, id_ in wrong:
            answer = server.ask(message)
            assert (answer["error"]["code"], answer["id"]) == (code, id_), message
        # Empty lines are nothing, and so are notifications that nobody knows.
        server.send(b"", b"   ", {"jsonrpc": "2.0", "method": "notifications/unheard_of"})
        assert server.ask(request("ping"))["result"] == {}
        assert server.end() == (0, "")


def test_a_line_is_one_message_however_it_is_cut():
    line = json.dumps(STORE).encode() + b"\n" + json.dumps(request("ping")).encode() + b"\n"
    with talking() as server:
        for at in range(0, len(line), 7):
            server.sink.write(line[at : at + 7])
            server.sink.flush()
        assert {server.hear()["id"], server.hear()["id"]} == {"store", 1}


def test_what_comes_in_an_array_goes_back_in_one(recollect):
    ping, bad = request("ping", None, "ping"), {"jsonrpc": "2.0", "id": 9}
    with talking() as server:
        answers = server.ask([STORE, ping, READY, bad])
        assert {one["id"] for one in answers} == {"store", "ping", 9}
        # Nothing in it asks for an answer, so there is none.
        server.send([READY, READY])
        assert server.ask(request("ping"))["id"] == 1
    assert texts(recollect) == [FACT]


def test_an_id_is_used_once_at_a_time():
    with serving() as server:
        # Both wait for the SDK, so the first is surely open when the second comes.
        server.send(HELLO, READY, STORE, STORE)
        answers = [server.hear() for _ in range(3)]
        refused = [one for one in answers if "error" in one]
        assert [(one["id"], one["error"]["code"]) for one in refused] == [("store", -32600)]
        assert server.ask(STORE)["result"]["isError"] is False


def test_what_was_asked_is_answered_though_the_client_has_closed_its_end(recollect):
    asked = "".join(json.dumps(one) + "\n" for one in (HELLO, READY, STORE, request("ping")))
    done = subprocess.run(
        COMMAND, input=asked, capture_output=True, text=True, check=True, timeout=30
    )
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {0, 1, "store"}
    assert texts(recollect) == [FACT]


def test_a_client_that_says_nothing_leaves_nothing_behind():
    done = subprocess.run(COMMAND, input="", capture_output=True, text=True, check=True, timeout=30)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_server_whose_client_is_gone_ends():
    with talking() as server:
        server.source.close()
        server.send(STORE)
        assert server.running.wait(30) == 0


@pytest.mark.parametrize("first", [(), (HELLO, READY, STORE)])
def test_a_server_that_is_asked_to_end_does(first):
    with serving() as server:
        for message in first:
            server.send(message)
            if "id" in message:
                server.hear()
        server.running.send_signal(signal.SIGTERM)
        assert server.running.wait(30) in {0, -signal.SIGTERM}


def test_a_server_ends_though_nobody_takes_its_answers():
    with talking() as server:
        server.call("get_status")
        # More than a pipe holds; the client reads none of it.
        server.send(*(request("tools/list", None, n) for n in range(40)))
        server.running.send_signal(signal.SIGTERM)
        assert server.running.wait(30) == 0


def test_a_tool_that_is_cancelled_is_forgotten():
    with talking() as server:
        server.send(
            STORE,
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}},
        )
        assert server.hear()["id"] == "store"
        assert server.end() == (0, "")


def test_who_asks_how_far_it_is_hears_it(tmp_path, monkeypatch):
    folder = tmp_path / "parts"
    folder.mkdir()
    monkeypatch.setenv("RECOLLECT_ROOTS", str(folder))
    for number in range(3):
        (folder / f"part{number}.py").write_text(f"def part{number}():\n    pass\n", "utf-8")
    call = {"name": "index_project", "arguments": {"path": str(folder)}}
    with talking() as server:
        server.send(request("tools/call", {**call, "_meta": {"progressToken": "mine"}}, 5))
        said = []
        while "id" not in (heard := server.hear()):
            said.append(heard)
        assert heard["result"]["structuredContent"]["files_indexed"] == 3
    assert said
    assert {one["method"] for one in said} == {"notifications/progress"}
    last = said[-1]["params"]
    assert (last["progressToken"], last["progress"], last["total"]) == ("mine", 3, 3)


def test_only_what_was_chosen_is_offered():
    with talking("--contracts", "memento", "--read-only") as server:
        listed = server.ask(request("tools/list"))["result"]["tools"]
        assert listed == [one.shown for one in offered(selection("memento", read_only=True))]
        refused = server.ask(STORE)["error"]
        assert refused["code"] == -32602
    with talking() as server:
        assert names(server.ask(request("tools/list"))) == [o.name for o in offered(Selection())]


def test_two_servers_are_one_memory():
    with talking() as one, talking("--contracts", "codex-memory") as other:
        one.call("store_memory", content=FACT)
        assert FACT in json.dumps(other.call("search", query="kettle"))


def test_a_store_that_cannot_be_opened_is_reported_at_once(monkeypatch):
    monkeypatch.setenv("RECOLLECT_STORE", "/nowhere/at/all.db")
    done = subprocess.run(COMMAND, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "/nowhere/at" in done.stderr
    assert done.stdout == ""


def test_a_contract_that_there_is_none_of_is_refused(recollect):
    said = recollect("serve", "--contracts", "memento,nonsense")
    assert said.code == 2
    assert "There is no contract 'nonsense'; the contracts are memento" in said.err


def test_a_wrong_secret_is_refused_before_anything_is_said(monkeypatch):
    monkeypatch.setenv("AGENT_MEMORY_SECRET", "wrong")
    with serving() as server:
        code, said = server.end()
    assert code == 2
    assert "secret" in said


def test_a_secret_says_who_calls(recollect, monkeypatch):
    secret = recollect("keys", "create", "reader", "--role", "viewer", "--json").json["secret"]
    monkeypatch.setenv("AGENT_MEMORY_SECRET", secret)
    with talking() as server:
        refused = server.call("store_memory", content=FACT)
        assert refused["isError"]
        id_ = recollect("keys", "list", "--json").json["keys"][0]["id"]
        recollect("keys", "revoke", id_)
        # A key that ended opens nothing from then on, reading included.
        ended = server.ask(request("tools/call", {"name": "get_status", "arguments": {}}))
        assert "error" in ended or ended["result"]["isError"]


def test_a_person_who_starts_it_is_told_what_it_is_for():
    main, terminal = os.openpty()
    with subprocess.Popen(COMMAND, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        assert b"Recollect speaks MCP here" in run.stderr.readline()
        os.write(main, b"\x04")
        assert run.wait(30) == 0
    os.close(main)
    os.close(terminal)
