"""A write that is sent again with its key is not done again: its first answer is given back."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from recollect.engine.once import Mark
from recollect.errors import InvalidRequest
from recollect.model import Role
from recollect.ops import CreateKey, RotateKey
from recollect.ways.http.asgi import Answer, headers
from recollect.ways.http.door import key_of

if TYPE_CHECKING:
    from typing import Any

    from recollect.contracts.contract import Caller
    from recollect.ops import Op
    from recollect.ways.http.asgi import Scope
    from recollect.ways.http.rest.table import Route

HEADER = "idempotency-key"
LONGEST = 200
# What is answered holds a secret, which is shown once and kept nowhere.
_SECRET = (CreateKey, RotateKey)


def marked(scope: Scope, route: Route, caller: Caller, body: bytes) -> Mark | None:
    """What tells a write from every other; None where it came without a key, or is a read.

    A key is its sender's own: somebody else may use the same.

    Raises:
        InvalidRequest: what came is no key.
    """
    keys = headers(scope, HEADER.encode())
    if not keys or route.role is Role.VIEWER:
        return None
    if len(keys) > 1 or not 0 < len(keys[0]) <= LONGEST:
        raise InvalidRequest(f"Send one Idempotency-Key, of 1 to {LONGEST} letters.")
    # Not the secret: a key that was given a new one is the same sender still.
    who = (caller.tenant, caller.user, caller.role.value, caller.author.name, key_of(scope))
    asked = (scope["method"].encode(), scope["raw_path"], scope["query_string"], body)
    return Mark(
        key=_digest(*(part.encode("utf-8", "surrogatepass") for part in (*who, keys[0]))),
        print=_digest(*asked),
        tenant=caller.tenant,
    )


def kept(op: Op[Any], answer: Answer) -> str:
    """An answer as it is kept."""
    if isinstance(op, _SECRET):
        return ""
    return json.dumps([answer.status, answer.headers, answer.body.decode()], ensure_ascii=False)


def again(text: str) -> Answer:
    """The answer that was kept."""
    status, said, body = json.loads(text)
    return Answer(status, body.encode(), headers=tuple((name, value) for name, value in said))


def _digest(*parts: bytes) -> str:
    found = sha256()
    for part in parts:
        found.update(len(part).to_bytes(4))
        found.update(part)
    return found.hexdigest()
