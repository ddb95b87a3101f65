"""Who is let in, as what, and until when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.errors import BadSecret, Conflict, InvalidRequest, NotFound
from recollect.model import Role
from recollect.ops import CreateKey, Identify, ListKeys, RevokeKey, RotateKey
from tests.engine.build import ledger, unchanged

DAY = timedelta(days=1)


def made(engine, name="editor", **more):
    return engine.run(CreateKey(name, **more))


def opens(engine, secret):
    try:
        return engine.run(Identify(secret)).key
    except BadSecret:
        return None


def test_a_secret_tells_the_key_that_it_is_of(engine):
    answer = made(engine, role=Role.ADMIN, tenant="acme", user="ann")
    assert opens(engine, answer.secret) == answer.key
    assert (answer.key.role, answer.key.tenant, answer.key.user) == ("admin", "acme", "ann")


def test_the_secret_is_nowhere_in_the_store(engine):
    answer = made(engine)
    chance = answer.secret.rpartition("_")[2]
    with engine.ports.store.reading() as reader:
        assert chance not in repr((reader.keys(), reader.events(0, 10)))


def test_every_secret_is_another(engine):
    assert len({made(engine).secret for _ in range(10)}) == 10


@pytest.mark.parametrize(
    "wrong",
    [
        lambda _: "",
        lambda _: "rcl__",
        lambda secret: secret[:-1],
        lambda secret: secret + "a",
        lambda secret: secret.upper(),
        lambda secret: secret.replace("rcl_", "xxx_"),
        lambda secret: secret[:-1] + ("a" if secret[-1] != "a" else "b"),
        lambda secret: secret + "é",
        lambda secret: secret * 100,
        lambda secret: f"{secret}\0",
    ],
)
def test_a_wrong_secret_opens_nothing(engine, wrong):
    secret = made(engine).secret
    assert opens(engine, wrong(secret)) is None


def test_a_key_ends_at_its_end(engine, clock):
    secret = made(engine, expires_at=clock() + DAY).secret
    clock.move(DAY - timedelta(microseconds=1))
    assert opens(engine, secret)
    clock.move(timedelta(microseconds=1))
    assert opens(engine, secret) is None
    listed = engine.run(ListKeys())
    assert (len(listed.keys), listed.open) == (1, ())


def test_a_revoked_key_opens_nothing_and_to_revoke_it_again_changes_nothing(engine, clock):
    answer = made(engine)
    first = engine.run(RevokeKey(answer.key.id)).key
    assert opens(engine, answer.secret) is None
    clock.move(DAY)
    with unchanged(engine):
        assert engine.run(RevokeKey(answer.key.id)).key == first


def test_a_rotated_key_has_one_secret_which_is_new(engine, clock):
    old = made(engine, expires_at=clock() + DAY)
    new = engine.run(RotateKey(old.key.id, clock() + 2 * DAY))
    assert opens(engine, old.secret) is None
    assert opens(engine, new.secret) == new.key
    assert new.key.expires_at == clock() + 2 * DAY
    assert engine.run(RotateKey(old.key.id)).key.expires_at == clock() + 2 * DAY
    assert [event.verb for event in ledger(engine)] == ["create_key", "rotate_key", "rotate_key"]


def test_what_has_ended_is_not_rotated(engine, clock):
    revoked, expired = made(engine).key, made(engine, expires_at=clock() + DAY).key
    engine.run(RevokeKey(revoked.id))
    clock.move(DAY)
    for key in (revoked, expired):
        with unchanged(engine), pytest.raises(Conflict, match="would open nothing"):
            engine.run(RotateKey(key.id))


def test_keys_are_listed_by_tenant(engine):
    mine, other = made(engine, "a").key, made(engine, "b", tenant="acme").key
    assert engine.run(ListKeys("local")).keys == (mine,)
    assert engine.run(ListKeys()).keys == (mine, other)


@pytest.mark.parametrize(
    "wrong", [{"name": " "}, {"name": "x" * 101}, {"tenant": ""}, {"user": "a\0b"}]
)
def test_a_key_that_cannot_be_is_refused(engine, wrong):
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(CreateKey(**({"name": "editor"} | wrong)))


def test_a_key_cannot_end_before_it_begins(engine, clock):
    with unchanged(engine), pytest.raises(InvalidRequest, match="still to come"):
        made(engine, expires_at=clock())


def test_a_key_that_is_not_there_cannot_be_changed(engine):
    for op in (RevokeKey("key_x"), RotateKey("key_x")):
        with pytest.raises(NotFound, match="no key 'key_x'"):
            engine.run(op)
