"""Who calls: from a secret, or none, and from how the call arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.contracts.contract import Caller
from recollect.engine.aside import away
from recollect.errors import BadSecret, Unavailable
from recollect.model import Author, AuthorKind
from recollect.ops import Identify, ListKeys
from recollect.value import replace
from recollect.ways import place

if TYPE_CHECKING:
    from recollect.config import Config
    from recollect.engine import Engine


def here(config: Config, folder: str | None = None) -> Caller:
    """The agent of the person who runs this process, in the folder where it runs."""
    return Caller(
        tenant=config.tenant,
        user=config.user,
        project=place.project(config, folder),
        roots=place.roots(config, folder),
    )


def from_afar(config: Config, *, loopback: bool) -> Caller:
    """An agent of the person who runs this server, wherever it is itself.

    The server's own folder is not the caller's, so it names no project.
    """
    return Caller(
        tenant=config.tenant,
        user=config.user,
        project=config.project,
        roots=place.roots(config) if loopback else config.roots,
        remote=True,
    )


def caller(engine: Engine, without: Caller, secret: str | None) -> Caller:
    """Who calls with that secret; `without` one it is an agent of whoever runs the process.

    Raises:
        BadSecret: it is wrong, expired or revoked. It is never taken for none.
    """
    if secret is None:
        return without
    key = engine.run(Identify(secret)).key
    return replace(
        without,
        author=Author(AuthorKind.AGENT, key.name),
        role=key.role,
        tenant=key.tenant,
        user=key.user,
    )


def over_network(engine: Engine, without: Caller, secret: str | None, *, trusted: bool) -> Caller:
    """Who calls over the network. Without a secret only a trusted one, and while no key exists.

    Raises:
        BadSecret: there is no secret where one is needed, or it opens nothing.
    """
    if secret is None and not (trusted and _unlocked(engine)):
        raise BadSecret(
            "This server needs a key. Send its secret as `Authorization: Bearer SECRET`;"
            " `recollect keys create NAME` makes one."
        )
    return replace(caller(engine, without, secret), remote=True)


def _unlocked(engine: Engine) -> bool:
    """Whether there is no key, as far as that can be told.

    While the store is away, whoever runs the process is its agent here as on standard input.
    """
    try:
        return not engine.run(ListKeys()).keys
    except Unavailable as error:
        if away(engine.ports, error):
            return True
        raise
