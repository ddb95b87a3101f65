"""Clients: set up, looked at, and left as they were to the byte."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from recollect.rules.edit import at, jsonc
from recollect.ways.setup.clients import CLIENTS, Place

# Settings as people have them: comments, tabs, line ends, trailing commas, other servers.
WRITTEN: dict[str, str] = json.loads(Path(__file__).with_name("settings.json").read_text("utf-8"))
TABLE = {"codex": "mcp_servers", "vscode": "servers", "zed": "context_servers", "opencode": "mcp"}
EVERY = [one.name for one in CLIENTS]


def settings(home, name):
    """Where the settings of a client are."""
    (client,) = (one for one in CLIENTS if one.name == name)
    return Path(client.files[0].of({"HOME": str(home)}))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder, and a store of its own so that nothing is said of it."""
    made = tmp_path / "home"
    made.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "RECOLLECT_STORE"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def written(home):
    """Every client's settings as people have them."""
    for name, text in WRITTEN.items():
        path = settings(home, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o640)
    return home


def found(home, name):
    """The entry of a client, as its own language says it."""
    text = settings(home, name).read_text("utf-8")
    document = tomllib.loads(text) if name == "codex" else jsonc.read(text)
    return at(document, (TABLE.get(name, "mcpServers"), "recollect"))


def contents(home):
    return {
        path.relative_to(home): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in home.rglob("*")
        if path.is_file() and "recollect" not in path.parts
    }


def test_every_client_is_tried_here():
    assert WRITTEN.keys() == {*EVERY}


@pytest.mark.parametrize("name", EVERY)
def test_set_up_and_undone_a_file_is_what_it_was_byte_for_byte(recollect, written, name):
    before = contents(written)
    assert recollect("setup", name, "--yes").code == 0
    command = str(Path(sys.executable).with_name("recollect"))
    entry = found(written, name)
    started = entry["command"] if name == "opencode" else [entry["command"], *entry["args"]]
    assert started == [command, "serve"]
    # Nothing else in the file has changed, and no other file has.
    after = contents(written)
    own = settings(written, name).relative_to(written)
    assert {k: v for k, v in after.items() if k != own} == {
        k: v for k, v in before.items() if k != own
    }
    assert after[own][1] == before[own][1]
    assert recollect("unsetup", name, "--yes").code == 0
    assert contents(written) == before
    assert list((written / ".config" / "recollect" / "clients").iterdir()) == []


@pytest.mark.parametrize("name", EVERY)
def test_twice_is_once(recollect, written, name):
    recollect("setup", name, "--yes")
    once = contents(written)
    again = recollect("setup", name, "--yes")
    assert "connected already" in again.out
    assert contents(written) == once


@pytest.mark.parametrize("name", EVERY)
def test_what_others_have_changed_since_stays(recollect, written, name):
    path = settings(written, name)
    recollect("setup", name, "--yes")
    # The client writes its settings anew, in its own style.
    if name == "codex":
        path.write_text(path.read_text("utf-8") + '\n[later]\nx = "y"\n', "utf-8")
    else:
        document: Any = jsonc.read(path.read_text("utf-8"))
        path.write_text(json.dumps({**document, "later": 1}, indent=4), "utf-8")
    recollect("setup", name, "--contracts", "memento", "--yes")
    recollect("unsetup", name, "--yes")
    text = path.read_text("utf-8")
    left = tomllib.loads(text) if name == "codex" else jsonc.read(text)
    was = WRITTEN[name]
    first: Any = tomllib.loads(was) if name == "codex" else jsonc.read(was)
    assert left == {**first, "later": {"x": "y"} if name == "codex" else 1}


def test_a_client_without_settings_gets_them_and_loses_them_again(recollect, home):
    (home / ".cursor").mkdir()
    assert recollect("setup", "--yes").code == 0
    assert found(home, "cursor")["args"] == ["serve"]
    assert stat.S_IMODE(settings(home, "cursor").stat().st_mode) == 0o600
    recollect("unsetup", "--yes")
    assert not settings(home, "cursor").exists()


def test_only_clients_that_are_here_are_set_up(recollect, home):
    (home / ".codex").mkdir()
    (home / ".gemini").mkdir()
    said = recollect("setup", "--dry-run", "--json").json["clients"]
    assert [one["client"] for one in said] == ["codex", "gemini"]


def test_where_there_is_no_client_one_is_told_what_to_do(recollect, home):
    said = recollect("setup")
    assert said.code == 1
    assert "Name one to set it up all the same: claude-code, codex" in said.err


def test_the_exact_change_is_shown_first_and_nothing_is_done_unasked(recollect, written):
    before = contents(written)
    tried = recollect("setup", "cursor", "--dry-run")
    assert '+\t\t"recollect": {' in tried.out.replace("\r", "")
    assert recollect("setup", "cursor").code == 2
    refused = recollect("setup", "cursor", stdin=b"no\n", terminal=True)
    assert (refused.code, refused.out) == (1, "Nothing was changed.\n")
    assert '"recollect": {' in refused.err
    assert contents(written) == before
    assert recollect("setup", "cursor", stdin=b"yes\n", terminal=True).code == 0
    assert found(written, "cursor")


def test_what_is_to_be_served_is_written_down(recollect, written, tmp_path):
    store = str(tmp_path / "other.db")
    recollect("remember", "x", "--store", store)
    recollect("setup", "gemini", "--contracts", "memento", "--read-only", "--store", store, "--yes")
    expected = ["serve", "--store", store, "--contracts", "memento", "--read-only"]
    assert found(written, "gemini")["args"] == expected


def test_an_entry_that_a_person_made_comes_back(recollect, home):
    path = settings(home, "cursor")
    path.parent.mkdir()
    mine = '{"mcpServers": {"recollect": {"command": "mine"}}}'
    path.write_text(mine, "utf-8")
    recollect("setup", "cursor", "--yes")
    assert found(home, "cursor")["args"] == ["serve"]
    recollect("unsetup", "cursor", "--yes")
    assert path.read_text("utf-8") == mine


def test_an_entry_that_was_never_noted_is_taken_out_by_name(recollect, home):
    path = settings(home, "cursor")
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"recollect": {"command": "mine"}, "b": {}}}', "utf-8")
    recollect("unsetup", "cursor", "--yes")
    assert jsonc.read(path.read_text("utf-8")) == {"mcpServers": {"b": {}}}


def test_a_link_stays_a_link(recollect, home):
    path = settings(home, "gemini")
    path.parent.mkdir()
    kept = home / "dotfiles.json"
    kept.write_text("{}", "utf-8")
    path.symlink_to(kept)
    recollect("setup", "gemini", "--yes")
    assert path.is_symlink()
    assert "recollect" in kept.read_text("utf-8")
    recollect("unsetup", "gemini", "--yes")
    assert path.is_symlink()
    assert kept.read_text("utf-8") == "{}"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("cursor", b'{"mcpServers": ', "a value is missing on line 1"),
        ("cursor", b'{"mcpServers": []}', "none"),
        ("cursor", b"\xff\xfe{}", "not text in UTF-8"),
        ("codex", b"[mcp_servers", "it is not TOML"),
    ],
)
def test_settings_that_cannot_be_read_are_left_alone(recollect, home, name, content, why):
    path = settings(home, name)
    path.parent.mkdir()
    path.write_bytes(content)
    said = recollect("setup", name, "--yes")
    assert said.code == 2
    assert str(path) in said.err
    assert why in said.err
    assert path.read_bytes() == content


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may write anything is refused nothing")
def test_settings_that_cannot_be_written_are_said_to_be(recollect, home):
    path = settings(home, "cursor")
    path.parent.mkdir()
    path.write_text("{}", "utf-8")
    path.parent.chmod(0o500)
    said = recollect("setup", "cursor", "--yes")
    path.parent.chmod(0o700)
    assert said.code == 4
    assert "cannot be written" in said.err
    assert path.read_text("utf-8") == "{}"


def test_names_of_clients_and_contracts_are_checked(recollect, home):
    assert "There is no client 'emacs'; the clients are" in recollect("setup", "emacs").err
    assert "no contract 'x'" in recollect("setup", "cursor", "--contracts", "x").err


def test_a_folder_that_a_variable_names_is_looked_into(tmp_path):
    place = Place("config.toml", ".codex", "CODEX_HOME")
    assert place.of({"HOME": "/h"}) == "/h/.codex/config.toml"
    assert place.of({"HOME": "/h", "CODEX_HOME": "/x"}) == "/x/config.toml"
    assert place.of({"HOME": "/h", "CODEX_HOME": "relative"}) == "/h/.codex/config.toml"


def test_the_doctor_starts_each_server_as_its_client_would(recollect, written):
    (written / ".config" / "recollect").mkdir(parents=True)
    recollect("remember", "x")
    recollect("setup", "cursor", "codex", "opencode", "--contracts", "memento", "--yes")
    said = recollect("doctor")
    assert said.code == 0, said.out
    for title in ("Cursor", "Codex", "OpenCode"):
        assert f"ok  {title}: connected; 4 tools after" in said.out
    assert "--  Zed: installed, and not connected" in said.out
    assert said.out.endswith("All is well.\n")
    heard = {one["what"]: one["said"] for one in recollect("doctor", "--json").json["findings"]}
    assert heard["Python"].startswith("3.")
    assert "1 memory" in heard["store"]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/nowhere/recollect", "cannot be started (No such file or directory)"),
        ("/bin/echo", "it does not answer as a server does"),
        ("/bin/false", "it does not answer as a server does: it said nothing"),
    ],
)
def test_the_doctor_says_which_client_starts_nothing(recollect, home, command, why):
    path = settings(home, "cursor")
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"recollect": {"command": command}}}), "utf-8")
    said = recollect("doctor")
    assert said.code == 1
    assert f"!!  Cursor: {'' if 'answer' in why else command + ' '}{why}" in said.out
    assert "recollect setup cursor" in said.out
    assert "1 of these need you." in said.out


def test_the_doctor_reports_a_store_that_cannot_be_opened(recollect, tmp_path, home):
    store = tmp_path / "memory.db"
    store.write_bytes(b"no database" * 1000)
    said = recollect("doctor", "--store", str(store))
    assert said.code == 1
    assert f"!!  store: {store}" in said.out


def test_the_doctor_says_when_others_may_read(recollect, home, tmp_path):
    store = tmp_path / "memory.db"
    recollect("remember", "x", "--store", str(store))
    tmp_path.chmod(0o755)
    store.chmod(0o644)
    said = recollect("doctor", "--store", str(store))
    assert "!!  permissions: the store is not yours alone" in said.out
    store.chmod(0o600)
    assert recollect("doctor", "--store", str(store)).code == 0


# Settings with hooks as people have them, and without any.
HOOKS = {
    "claude-code": {
        "lines": """{
    // what runs
    "model": "opus",
    "hooks": {
        "SessionStart": [
            { "matcher": "startup", "hooks": [{ "type": "command", "command": "date" }] }, // mine
        ],
        "PreToolUse": [],
    },
}
""",
        "one line": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
        "none": '{\r\n\t"model": "opus"\r\n}',
        "empty": "",
        "by hand": json.dumps(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "recollect hook"}]}]}},
            indent=4,
        ),
    },
    "codex": {
        "one": '{"hooks": {"Stop": [ ]}}\n',
        "other": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
    },
}


def hooks_file(home, name):
    (client,) = (one for one in CLIENTS if one.name == name)
    assert client.hooks is not None
    return Path(client.hooks.of({"HOME": str(home)}))


def hooked(path):
    """Each of our commands with its event and the seconds that it has."""
    groups: Any = at(jsonc.read(path.read_text("utf-8")), ("hooks",))
    return [
        (event, one["command"], one["timeout"])
        for event, several in groups.items()
        for group in several
        for one in group["hooks"]
        if "recollect" in one["command"]
    ]


def ours(store=()):
    command = shlex.join([str(Path(sys.executable).with_name("recollect")), "hook", *store])
    return {("SessionStart", command, 5), ("UserPromptSubmit", command, 5), ("Stop", command, 10)}


def everything(home):
    """Every file, ours apart."""
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in HOOKS.items() for text in texts.values()]
)
def test_hooks_are_put_behind_what_is_there_and_taken_out_to_the_byte(recollect, home, name, text):
    path = hooks_file(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    before = everything(home)
    shown = recollect("setup", name, "--hooks", "--dry-run")
    assert " hook" in shown.out
    assert everything(home) == before
    done = recollect("setup", name, "--hooks", "--yes")
    assert (done.code, done.err) == (0, "")
    assert {*hooked(path)} == ours()
    assert len(hooked(path)) == 3
    # All else says what it said.
    found: Any = jsonc.read(path.read_text("utf-8"))
    first: Any = jsonc.read(text)
    assert {**found, "hooks": None} == {**first, "hooks": None}
    once = everything(home)
    again = recollect("setup", name, "--hooks", "--yes")
    assert "connected already" in again.out
    assert everything(home) == once
    assert recollect("unsetup", name, "--yes").code == 0
    assert everything(home) == before


def test_hooks_that_others_have_added_since_stay(recollect, home):
    path = hooks_file(home, "claude-code")
    recollect("setup", "claude-code", "--hooks", "--yes")
    said: Any = json.loads(path.read_text("utf-8"))
    mine = {"hooks": [{"type": "command", "command": "date"}]}
    said["hooks"]["Stop"].insert(0, mine)
    path.write_text(json.dumps(said), "utf-8")
    recollect("unsetup", "claude-code", "--yes")
    assert json.loads(path.read_text("utf-8")) == {"hooks": {"Stop": [mine]}}


def test_hooks_name_the_store_that_is_meant(recollect, home, tmp_path):
    store = str(tmp_path / "other one.db")
    recollect("remember", "x", "--store", store)
    recollect("setup", "codex", "--hooks", "--yes", "--store", store)
    assert {*hooked(hooks_file(home, "codex"))} == ours(("--store", store))
    recollect("setup", "codex", "--hooks", "--yes")
    assert {*hooked(hooks_file(home, "codex"))} == ours()


def test_who_has_no_hooks_is_told_of_them_and_who_cannot_have_them_too(recollect, home):
    assert "recollect setup claude-code --hooks" in recollect("setup", "claude-code", "--yes").err
    assert "hooks" not in recollect("setup", "cursor", "--yes").err
    said = recollect("setup", "cursor", "--hooks", "--yes")
    assert said.code == 2
    assert "Only these have hooks that can be set up: claude-code, codex." in said.err


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": '])
def test_hooks_that_cannot_be_read_are_left_alone(recollect, home, text):
    path = hooks_file(home, "claude-code")
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    said = recollect("setup", "claude-code", "--hooks", "--yes")
    assert said.code == 2
    assert str(path) in said.err
    assert path.read_text("utf-8") == text
    assert not settings(home, "claude-code").exists()


def test_the_doctor_runs_the_hooks_as_the_client_would(recollect, home, tmp_path):
    recollect("remember", "x")
    recollect("setup", "claude-code", "--yes")
    assert "--  Claude Code hooks: not set up" in recollect("doctor").out
    recollect("setup", "claude-code", "--hooks", "--yes")
    said = recollect("doctor").out
    assert "ok  Claude Code hooks: SessionStart, UserPromptSubmit, Stop; " in said
    path = hooks_file(home, "claude-code")
    path.write_text(path.read_text("utf-8").replace("bin/recollect hook", "gone/recollect hook"))
    said = recollect("doctor")
    assert said.code == 1
    assert "!!  Claude Code hooks: " in said.out
    assert "not found" in said.out
    assert "recollect setup claude-code --hooks" in said.out


ODD = {
    "windsurf": "[1, 2]",
    "claude-desktop": "{bad",
    "zed": '{"context_servers": null}',
}


@pytest.fixture
def odd(home):
    """Clients whose settings cannot be changed, among others."""
    for name, text in ODD.items():
        path = settings(home, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in ("claude-code", "codex"):
        settings(home, name).parent.mkdir(exist_ok=True)
        settings(home, name).write_text("", "utf-8")
    return home


def test_one_clients_odd_settings_keep_no_other_from_being_set_up(recollect, odd):
    tried = recollect("setup", "--dry-run")
    assert tried.code == 1
    assert "Claude Code:" in tried.out
    said = recollect("setup", "--yes")
    assert said.code == 1
    assert "Connected Claude Code" in said.out
    assert "Connected Codex" in said.out
    for name, text in ODD.items():
        assert f"in {settings(odd, name)} were left as they are" in said.err
        assert settings(odd, name).read_text("utf-8") == text
    left = recollect("setup", "--yes", "--json").json["left"]
    assert [one["client"] for one in left] == ["windsurf", "zed", "claude-desktop"]


def test_one_clients_odd_settings_keep_no_other_from_being_disconnected(recollect, odd):
    before = contents(odd)
    recollect("setup", "--yes")
    # Where our name is nowhere in it, there is nothing to take out.
    assert recollect("unsetup", "--yes").code == 0
    assert contents(odd) == before
    recollect("setup", "--yes")
    settings(odd, "windsurf").write_text('{"mcpServers": {"recollect": ', "utf-8")
    said = recollect("unsetup", "--yes")
    assert said.code == 1
    assert "The settings of Windsurf" in said.err
    assert "Disconnected Claude Code" in said.out
    assert "Disconnected Codex" in said.out
    assert found(odd, "codex") is None


def test_where_no_client_can_be_set_up_each_is_said(recollect, odd):
    before = contents(odd)
    said = recollect("setup", *ODD, "--yes")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("were left as they are") == len(ODD)
    assert contents(odd) == before


def test_one_clients_settings_that_cannot_be_written_keep_no_other_back(recollect, home):
    (home / ".cursor").symlink_to(home / "nowhere")
    said = recollect("setup", "cursor", "gemini", "--yes")
    assert said.code == 1
    assert "mcp.json cannot be written (File exists). Nothing was changed" in said.err
    assert "Connected Gemini CLI" in said.out
    assert found(home, "gemini")
    (home / ".gemini" / "settings.json").unlink()
    assert recollect("setup", "cursor", "--yes").code == 4


def test_hooks_that_cannot_be_read_keep_no_server_from_being_set_up(recollect, home):
    path = hooks_file(home, "claude-code")
    path.parent.mkdir()
    path.write_text('{"hooks": ', "utf-8")
    assert recollect("setup", "claude-code", "--yes").code == 0
    assert found(home, "claude-code")


def test_the_doctor_finds_wrong_what_setup_refuses(recollect, odd):
    said = recollect("doctor")
    assert said.code == 1
    for title in ("Windsurf", "Zed", "Claude Desktop"):
        assert f"!!  {title}: its settings cannot be read" in said.out
    assert "All is well" not in said.out
    assert "--  Codex: installed, and not connected" in said.out


def test_what_cannot_be_changed_alone_is_said_with_what_to_add_by_hand(recollect, home):
    path = settings(home, "codex")
    path.parent.mkdir()
    path.write_text('mcp_servers = { other = { command = "x" } }\n', "utf-8")
    said = recollect("setup", "codex", "--yes")
    assert said.code == 2
    _, _, line = said.err.strip().partition("add this to mcp_servers by hand: ")
    mine = tomllib.loads(f"[mcp_servers]\n{line}")["mcp_servers"]["recollect"]
    assert mine["args"] == ["serve"]
    settings(home, "gemini").parent.mkdir()
    settings(home, "gemini").write_text('{"mcpServers": []}', "utf-8")
    said = recollect("setup", "gemini", "--yes").err
    _, _, line = said.strip().partition("add this to mcpServers by hand: ")
    assert json.loads(f"{{{line}}}")["recollect"] == {"command": mine["command"], "args": ["serve"]}
