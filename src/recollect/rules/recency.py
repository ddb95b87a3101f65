"""Newest first, where a question asks for what is so now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recollect.rules.fuse import Fused

# Statements that answer nearly as well as the best one are taken to be of the same matter. With a
# share of 0.8 or of 0.6 the newest comes first as often or a little less.
SHARE = 0.7
# So many of the best are looked at.
MOST = 10

_now = re.compile(
    r"\b(?:current|currently|now|nowadays|latest|newest|most recent|most recently|so far|to date"
    r"|up to now|these days|lately|today|still|any ?more|at the moment|at present|presently)\b",
    re.IGNORECASE,
).search


def asks_for_now(query: str) -> bool:
    """Whether a question is about the present state of something.

    >>> asks_for_now("What is my current address?"), asks_for_now("Where did I live?")
    (True, False)
    """
    return _now(query) is not None


def rivals(order: Sequence[Fused]) -> list[int]:
    """Those of the best that answer nearly as well as the first."""
    return [
        one.seq
        for one in order[:MOST]
        if one.score >= SHARE * order[0].score
        # Who asks in the very words of some means these.
        and one.parts.verbatim == order[0].parts.verbatim
    ]


def newest_first(order: Sequence[Fused], times: Mapping[int, datetime]) -> list[Fused]:
    """The same order, in which the rivals stand by their times; each place keeps its score."""
    among = [one for one in order if one.seq in times]
    # Of the same time, the better one comes first: sorting keeps the order of equals.
    newest = iter(sorted(among, key=lambda one: times[one.seq], reverse=True))
    return [replace(next(newest), score=one.score) if one.seq in times else one for one in order]
