"""Addresses of resources: templates with names in braces, and what an address says for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import parse_qsl, unquote

_NAMED = re.compile(r"\{(\w+)\}")


def names(template: str) -> tuple[str, ...]:
    """The names in the braces.

    >>> names("membria://calibrations/{domain}")
    ('domain',)
    """
    return tuple(_NAMED.findall(template))


def template(address: str) -> str:
    """A template without what may follow its `?`.

    >>> template("membria://decisions/all{?module,limit}")
    'membria://decisions/all'
    """
    return address.partition("{?")[0]


def with_query(path: str, fields: Iterable[str]) -> str:
    """A template with what may follow a `?`, as RFC 6570 writes it.

    >>> with_query("membria://decisions/all", ["module", "limit"])
    'membria://decisions/all{?module,limit}'
    """
    further = [field for field in fields if field not in names(path)]
    return f"{path}{{?{','.join(further)}}}" if further else path


def arguments(pattern: str, address: str) -> dict[str, str] | None:
    """What an address says for the names of a template and in its query; None for another's.

    >>> arguments("membria://skills/{domain}", "membria://skills/auth?limit=2")
    {'limit': '2', 'domain': 'auth'}
    >>> arguments("membria://skills/{domain}", "membria://decisions/all")
    """
    path, _, query = address.partition("?")
    found = _pattern(template(pattern)).fullmatch(path)
    if found is None:
        return None
    said = dict(parse_qsl(query, keep_blank_values=True))
    # What the path says cannot be said otherwise in the query.
    return said | {name: unquote(value) for name, value in found.groupdict().items()}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    parts = _NAMED.split(path)
    return re.compile(
        "".join(
            f"(?P<{part}>[^/?#]+)" if place % 2 else re.escape(part)
            for place, part in enumerate(parts)
        )
    )
