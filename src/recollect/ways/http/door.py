"""Who is let in over HTTP: whoever has a key, and while there is none, whoever runs the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.keys import id_in, is_ours
from recollect.errors import BadSecret
from recollect.ways import identity
from recollect.ways.http.address import peer_is_local
from recollect.ways.http.asgi import headers, problem
from recollect.ways.http.peer import same_user

if TYPE_CHECKING:
    from recollect.contracts.contract import Caller
    from recollect.engine import Engine
    from recollect.ways.http.asgi import Answer, Scope
    from recollect.ways.http.token import Tokens

_SCHEME = "bearer"


class Door:
    """Answers who calls, from a request's head.

    Reads the store, so it is asked in a thread, but for what `tells_at_once` names.
    """

    def __init__(
        self, engine: Engine, without: Caller, *, loopback: bool, tokens: Tokens | None = None
    ) -> None:
        self._engine = engine
        self._without = without
        self._loopback = loopback
        self.tokens = tokens

    def caller(self, scope: Scope) -> Caller:
        """Who calls.

        Raises:
            BadSecret: nobody who may.
        """
        secret = _secret(scope)
        if secret is not None and self.tokens is not None and not is_ours(secret):
            return self.tokens.caller(secret, self._without)
        return identity.over_network(
            self._engine,
            self._without,
            secret,
            trusted=secret is None and self.tokens is None and self._loopback and _own(scope),
        )

    def tells_at_once(self, scope: Scope) -> bool:
        """Whether to say who calls takes no more than a look whether there are keys.

        So it is for whoever came by this connection without a secret before. The look is a read of
        one small table, which waits for no writer; a thread's turn takes several times as long.
        """
        return not headers(scope, b"authorization") and "own" in _known(scope)

    def asks_elsewhere(self, scope: Scope) -> bool:
        """Whether to say who calls may take asking an issuer, which may take long."""
        secret = _secret(scope)
        return secret is not None and self.tokens is not None and not is_ours(secret)

    def refusal(self, error: BadSecret) -> Answer:
        """What someone is told who is not let in."""
        where = "" if self.tokens is None else f' resource_metadata="{self.tokens.place}"'
        return problem(401, "No entry", str(error), ("www-authenticate", f"Bearer{where}"))


def key_of(scope: Scope) -> str:
    """The id of the key that somebody was let in with; empty for whoever was without one."""
    secret = _secret(scope)
    return id_in(secret) if secret is not None and is_ours(secret) else ""


def _secret(scope: Scope) -> str | None:
    """The secret that a request carries; none where it says nothing of who calls."""
    said = headers(scope, b"authorization")
    if not said:
        return None
    scheme, _, secret = said[0].partition(" ")
    if len(said) > 1 or scheme.lower() != _SCHEME or not secret.strip():
        raise BadSecret("Say who calls once, as `Authorization: Bearer SECRET`.")
    return secret.strip()


def _known(scope: Scope) -> dict[str, bool]:
    """What was found out of a request's connection."""
    known: dict[str, bool] = scope.get("state", {}).get("connection", {})
    return known


def _own(scope: Scope) -> bool:
    """Whether the one who runs this process is who calls. Found out once a connection."""
    known = _known(scope)
    if "own" not in known:
        peer, here = scope.get("client"), scope.get("server")
        known["own"] = bool(
            peer
            and here
            and peer_is_local(peer[0])
            and same_user((peer[0], peer[1]), (here[0], here[1]))
        )
    return known["own"]
