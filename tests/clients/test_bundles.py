"""What clients install: the plugin, the bundle and the entry for registries say what is true."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from recollect import __version__
from recollect.config import SETTINGS
from recollect.contracts.every import NAMES
from recollect.ways.cli.commands import MODULES
from recollect.ways.hooks.event import EVENTS
from tests.npm.node import program
from tests.ways.mcp.process import HELLO

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "clients" / "claude-code"
BUNDLE = ROOT / "clients" / "mcpb"
MCPB = "@anthropic-ai/mcpb/dist/cli/cli.js"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_all_of_them_are_of_this_version():
    entry = read(ROOT / "server.json")
    project = tomllib.loads((BUNDLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = {
        read(PLUGIN / ".claude-plugin" / "plugin.json")["version"],
        read(BUNDLE / "manifest.json")["version"],
        entry["version"],
        *(package["version"] for package in entry["packages"]),
        project["version"],
    }
    assert versions == {__version__}
    assert project["dependencies"] == [f"recollect=={__version__}"]


def test_every_hook_of_the_plugin_is_one_that_the_command_knows():
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert {*hooks} <= {*EVENTS}
    assert {EVENTS[name] for name in hooks} == {"start", "prompt", "stop"}
    for groups in hooks.values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            assert shlex.split(hook["command"]) == ["recollect", "hook"]
            assert hook["timeout"] <= 10


def test_every_command_that_a_client_starts_is_there():
    server = read(PLUGIN / ".mcp.json")["mcpServers"]["memory"]
    assert [server["command"], *server["args"]] == ["recollect", "serve"]
    (package,) = read(ROOT / "server.json")["packages"]
    assert [one["value"] for one in package["packageArguments"]] == ["serve"]
    assert {"serve", "hook"} <= {*MODULES}


def test_every_setting_that_a_client_asks_for_is_one():
    known = {setting.variable for setting in SETTINGS}
    manifest, entry = read(BUNDLE / "manifest.json"), read(ROOT / "server.json")
    assert {*manifest["server"]["mcp_config"]["env"]} <= known
    assert {one["name"] for one in entry["packages"][0]["environmentVariables"]} <= known
    contracts = manifest["user_config"]["contracts"]
    assert {*contracts["default"].split(",")} < {*NAMES}
    assert all(name in contracts["description"] for name in NAMES)


def test_the_marketplace_leads_to_the_plugin():
    (plugin,) = read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    there = read(ROOT / plugin["source"] / ".claude-plugin" / "plugin.json")
    assert plugin["name"] == there["name"]


def test_the_registry_finds_its_name_in_the_readme():
    entry = read(ROOT / "server.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_bundle_starts_a_server(tmp_path, monkeypatch):
    monkeypatch.setenv("RECOLLECT_STORE", str(tmp_path / "memory.db"))
    manifest = read(BUNDLE / "manifest.json")
    contracts = manifest["user_config"]["contracts"]["default"]
    done = subprocess.run(
        [sys.executable, BUNDLE / manifest["server"]["entry_point"], "--contracts", contracts],
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"]


@pytest.mark.parametrize("command", ["validate", "pack"])
def test_the_vendors_own_program_accepts_the_bundle(command, tmp_path):
    packed = tmp_path / "recollect.mcpb"
    given = {"validate": [BUNDLE / "manifest.json"], "pack": [BUNDLE, packed]}[command]
    done = subprocess.run(
        [*program(MCPB), command, *given], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passes" in done.stdout
    if command == "pack":
        names = {name for name in ZipFile(packed).namelist() if not name.endswith("/")}
        assert names == {"manifest.json", "pyproject.toml", "server/main.py"}
