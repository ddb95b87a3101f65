"""What the fields that many ops share may hold, said before anything is read or written."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Scope
from recollect.rules import check
from recollect.value import fields, replace

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Where
    from recollect.rules.redact import Policy

LARGEST = 2**53


def natural(name: str, value: int, most: int = LARGEST) -> int:
    """A whole number from 0 to `most`."""
    if not 0 <= value <= most:
        raise InvalidRequest(
            f"{name} is {check.told(value)}; give a whole number from 0 to {most}", field=name
        )
    return value


def times(**given: datetime | None) -> None:
    """Times that say where on earth they are meant."""
    for name, time in given.items():
        if time is not None and time.utcoffset() is None:
            raise InvalidRequest(
                f"{name} ({time.isoformat()}) has no time zone; add one, such as UTC", field=name
            )


def scope(given: Scope, policy: Policy | None = None) -> Scope:
    """Whose a record is to be; by the policy, where it is to be kept."""
    check.line(given.tenant, "tenant")
    check.line(given.user, "user")
    check.line(given.project, "project")
    if policy is None or _is_clean(given):
        return given
    return replace(given, **{name: name_(getattr(given, name), policy) for name in fields(Scope)})


def name_(said: str, policy: Policy) -> str:
    """A name as it may be kept: it is shown wherever something has it."""
    from recollect.rules.redact import guard

    return guard(said, policy)[0]


@lru_cache(maxsize=1_024)
def _is_clean(given: Scope) -> bool:
    """Whether no name in it is a secret. One writes to few scopes, and to each of them often."""
    from recollect.rules.redact import find

    return not any(find(getattr(given, name)) for name in fields(Scope))


def where(given: Where) -> Where:
    """Which records a read is about."""
    named = {"tenant": given.tenant, "user": given.user, "project": given.project}
    for name, said in (named | {"session": given.session}).items():
        check.line(said or "", name)
    for name, several in (("types", given.types), ("statuses", given.statuses)):
        for each in several:
            check.line(each, name)
    times(at=given.at, since=given.since, until=given.until)
    return given


def reason(ports: Ports, said: str) -> str:
    """Why something was done. The ledger keeps it for good, so no secret may slip in."""
    if not check.line(said, "reason"):
        return said
    from recollect.rules.redact import guard

    return guard(said, ports.secrets())[0]
