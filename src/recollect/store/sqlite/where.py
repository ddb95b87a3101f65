"""A `Where` as the parameters of `@filter`, with names turned into numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from recollect.store.sqlite.rows import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.model import Scope, Where
    from recollect.store.sqlite.rows import Interned

# A number that no scope or type has, so that a filter on an unknown name finds nothing.
_NONE = (-1,)


def scopes(where: Where, interned: Interned) -> list[int] | None:
    """The scopes that match, or None where all of the store's do."""
    fitting = interned.scopes_of(where.tenant)
    if where.user is not None or where.project is not None:
        fitting = [number for number in fitting if _fits(interned.scopes[number], where)]
    return None if len(fitting) == len(interned.scopes) else fitting or list(_NONE)


def types(where: Where, interned: Interned) -> list[int] | None:
    """The types that match, or None where any does."""
    if not where.types:
        return None
    found = map(interned.type_number, where.types)
    return [number for number in found if number is not None] or list(_NONE)


def parameters(where: Where, interned: Interned) -> dict[str, Any]:
    """What `@filter` binds."""
    return {
        "kinds": _array([str(kind) for kind in where.kinds] or None),
        "scopes": _array(scopes(where, interned)),
        "types": _array(types(where, interned)),
        "untyped": _array([str(kind) for kind in where.untyped]),
        "statuses": _array(where.statuses or None),
        "at": stamp(where.at),
        "session": where.session,
        "since": stamp(where.since),
        "until": stamp(where.until),
    }


def _fits(scope: Scope, where: Where) -> bool:
    return where.user in {None, scope.user} and where.project in {None, scope.project}


def _array(values: Iterable[object] | None) -> str | None:
    return None if values is None else json.dumps(list(values))
