"""Handlers of keys: who is let in, as what, and until when."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.errors import BadSecret, Conflict, InvalidRequest, NotFound
from recollect.model import Key, micros
from recollect.ops import Identified, Keyed, Keys, Revoked
from recollect.rules import check
from recollect.value import replace

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.ops import CreateKey, Identify, ListKeys, RevokeKey, RotateKey
    from recollect.rules.redact import Policy
    from recollect.store import Reader

PREFIX = "key_"
# So that a secret is known for one wherever it turns up, by people and by scanners.
_MARK = "rcl_"
_LONGEST_NAME = 100
# No id is looked up that could not be one, and nothing longer than a secret is hashed.
_LONGEST_SECRET = 200


def is_ours(secret: str) -> bool:
    """Whether a secret has the shape of a key's."""
    return secret.startswith(_MARK)


def id_in(secret: str) -> str:
    """The id of the key that a secret of ours says it is of; a new secret of a key has it too."""
    return secret[len(_MARK) :].rpartition("_")[0]


def create(ports: Ports, op: CreateKey) -> Keyed:
    """Make a key."""
    check.text(op.name, "name", _LONGEST_NAME)
    check.text(op.tenant, "tenant", check.LONGEST_NAME)
    check.line(op.user, "user")
    _check_names(op, ports.secrets())
    now = ports.clock()
    _check_future(op.expires_at, now)
    id_ = ports.new_id(PREFIX)
    secret = _secret(id_)
    key = Key(id_, op.name, op.role, op.tenant, op.user, _digest(secret), now, op.expires_at)
    with ports.store.writing() as tx:
        tx.keep_key(key, "create_key", op.author, micros(now))
    return Keyed(key, secret)


def _check_names(op: CreateKey, policy: Policy) -> None:
    """Refuse a secret in a name. It is not taken out: who is let in is known by these names."""
    from recollect.rules.redact import Policy

    for said in (op.name, op.tenant, op.user):
        asked.name_(said, Policy.ALLOW if policy is Policy.ALLOW else Policy.BLOCK)


def page(ports: Ports, op: ListKeys) -> Keys:
    """List keys."""
    with ports.store.reading() as reader:
        known = reader.keys()
    keys = tuple(key for key in known if op.tenant in {None, key.tenant})
    now = ports.clock()
    return Keys(keys, tuple(key.id for key in keys if key.opens_at(now)))


def revoke(ports: Ports, op: RevokeKey) -> Revoked:
    """End a key. One that was ended before stays as it is."""
    now = ports.clock()
    with ports.store.writing() as tx:
        key = _known(tx, op.id)
        if key.revoked_at is None:
            key = replace(key, revoked_at=now)
            tx.keep_key(key, "revoke_key", op.author, micros(now))
    return Revoked(key)


def rotate(ports: Ports, op: RotateKey) -> Keyed:
    """Give a key a new secret."""
    now = ports.clock()
    _check_future(op.expires_at, now)
    secret = _secret(op.id)
    with ports.store.writing() as tx:
        old = _known(tx, op.id)
        until = op.expires_at or old.expires_at
        key = replace(old, digest=_digest(secret), expires_at=until)
        if not key.opens_at(now):
            ended = "revoked" if key.revoked_at else "expired"
            raise Conflict(
                f"Key {op.id} is {ended}, and a new secret would open nothing. Make a new key.",
                id=op.id,
            )
        tx.keep_key(key, "rotate_key", op.author, micros(now))
    return Keyed(key, secret)


def identify(ports: Ports, op: Identify) -> Identified:
    """Say whose a secret is."""
    import hmac

    id_ = id_in(op.secret)
    if len(op.secret) > _LONGEST_SECRET or not op.secret.isascii():
        raise BadSecret
    with ports.store.reading() as reader:
        key = reader.key(id_)
    # Compared even where there is no such key, so that both take as long.
    same = hmac.compare_digest(_digest(op.secret), key.digest if key else "")
    if key is None or not same or not key.opens_at(ports.clock()):
        raise BadSecret
    return Identified(key)


def _secret(id_: str) -> str:
    from base64 import b32encode
    from os import urandom

    return f"{_MARK}{id_}_{b32encode(urandom(30)).decode().lower()}"


def _digest(secret: str) -> str:
    # A secret has 240 bits of chance, so there is nothing that a slow hash would protect.
    return sha256(secret.encode()).hexdigest()


def _known(reader: Reader, id_: str) -> Key:
    key = reader.key(id_)
    if key is None:
        raise NotFound(f"There is no key {id_[:60]!r}. `recollect keys list` has them.", id=id_)
    return key


def _check_future(time: datetime | None, now: datetime) -> None:
    if time is not None and time <= now:
        raise InvalidRequest(
            "A key cannot end before it begins; give a time that is still to come.",
            field="expires_at",
        )
