"""The pages of clients show what `recollect setup` really writes, and where."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from recollect.rules.edit import jsonc
from recollect.ways.setup.clients import CLIENTS, file
from tests.ways.conftest import environment, recollect

__all__ = ("environment", "recollect")

FOLDER = Path(__file__).parents[2] / "docs" / "how-to" / "clients"
COMMAND = "/home/you/.recollect/bin/recollect"
MAC = "Library/Application Support"


def page(client):
    return (FOLDER / f"{client.name}.md").read_text("utf-8")


def test_every_client_has_a_page_and_is_linked():
    names = {one.name for one in CLIENTS}
    assert {path.stem for path in FOLDER.glob("*.md")} == names
    linked = (FOLDER.parent / "connect-a-client.md").read_text("utf-8")
    assert all(f"(clients/{name}.md)" in linked for name in names)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.name)
def test_the_page_shows_what_is_written_and_where(client, recollect, tmp_path, monkeypatch):
    monkeypatch.delenv("RECOLLECT_STORE")
    home = tmp_path / "home"
    home.mkdir()
    assert recollect("setup", client.name, "--yes").code == 0
    written = Path(file(client, {"HOME": str(home)}))
    text = written.read_text("utf-8")
    own = str(Path(sys.executable).with_name("recollect"))
    found = re.search(r"^```(?:json|toml)\n(.*?)^```$", page(client), re.MULTILINE | re.DOTALL)
    assert found
    assert text.replace(own, COMMAND).strip() == found[1].strip()
    place = str(written.relative_to(home)).replace(MAC, ".config")
    assert f"`~/{place}`" in page(client)
    # Commands on the page are commands that there are.
    for line in re.findall(r"`recollect ([^`\n]+)`", page(client)):
        assert recollect("help", line.split()[0]).code == 0
    assert recollect("unsetup", client.name, "--yes").code == 0
    assert not written.exists()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.name)
def test_what_a_page_shows_can_be_read(client):
    for kind, text in re.findall(
        r"^```(json|toml)\n(.*?)^```$", page(client), re.MULTILINE | re.DOTALL
    ):
        assert tomllib.loads(text) if kind == "toml" else jsonc.read(text)
    for text in re.findall(r'`("[a-zA-Z]+": [^`]+)`', page(client)):
        assert json.loads(f"{{{text}}}")
