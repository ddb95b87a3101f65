"""Keys as the person meets them who makes them."""

from __future__ import annotations

import pytest

from recollect.config import load


def created(recollect, *options):
    return recollect("keys", "create", "my editor", *options, "--json").json


def test_a_secret_is_shown_once_and_opens_what_was_said(recollect):
    said = recollect("keys", "create", "my editor", "--role", "admin", "--user", "ann")
    line, secret = said.out.splitlines()
    assert "  admin  local/ann  my editor  until " in line
    assert "shown once" in said.err
    checked = recollect("keys", "check", stdin=f"{secret}\n".encode()).out
    assert checked.partition("(")[0] == line.partition("(")[0]
    assert secret not in recollect("keys", "list", "--json").out


def test_what_a_secret_is_held_against_is_never_shown(recollect):
    assert "digest" not in created(recollect)["key"]


def test_a_revoked_key_is_listed_as_such(recollect):
    key = created(recollect, "--days", "0")
    assert "  never expires\n" in recollect("keys", "list").out
    said = recollect("keys", "revoke", key["key"]["id"])
    assert said.out == "'my editor' opens nothing any more.\n"
    assert "  revoked " in recollect("keys", "list").out
    said = recollect("keys", "check", stdin=key["secret"].encode())
    assert (said.code, said.out) == (2, "")
    assert "wrong, expired or revoked" in said.err


def test_a_rotated_key_has_a_new_secret(recollect):
    old = created(recollect)
    new = recollect("keys", "rotate", old["key"]["id"], "--days", "7", "--json").json
    assert recollect("keys", "check", stdin=old["secret"].encode()).code == 2
    assert recollect("keys", "check", stdin=new["secret"].encode()).code == 0
    assert new["key"]["expires_at"] < old["key"]["expires_at"]


def test_without_keys_that_is_said(recollect):
    assert recollect("keys", "list").out == "There are no keys.\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["create"], "`recollect keys create` needs a name for the key"),
        (["revoke"], "needs the key's id"),
        (["rotate", "key_x", "--days", "0"], "make a new one for that"),
        (["create", "x", "--days", "99999999999"], "beyond all calendars"),
        (["create", "x", "--days", "-1"], "still to come"),
        (["create", "x", "--role", "king"], "choose from 'viewer', 'agent', 'admin'"),
    ],
)
def test_what_cannot_be_done_with_keys_is_said(recollect, args, said):
    answer = recollect("keys", *args)
    assert answer.code == 2
    assert said in answer.err


def test_a_secret_is_not_shown_with_the_settings():
    config = load(environment={"AGENT_MEMORY_SECRET": "rcl_x", "HOME": "/h"})
    assert config.key == "rcl_x"
    assert "rcl_x" not in repr(config)


def test_a_key_that_was_just_made_ends_when_it_was_said_to(recollect):
    for days, ends in (("90", "in 3 months"), ("1", "in 1 day"), ("365", "in 1 year")):
        assert ends in recollect("keys", "create", "k", "--days", days).out
        assert ends in recollect("keys", "list").out
