"""Newer before older, where a question asks for what is so now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recollect.rules.fuse import Fused

# Statements that answer nearly as well as the best one are taken to be of the same matter.
SHARE = 0.6
# So many of the best are looked at.
MOST = 10
# Who asks for now is answered by the newest of the rivals, however well the others fit. Who asks
# how many there are means now as well, and may mean all that was ever said of them.
ALWAYS, OFTEN = 10.0, 0.7

_now = re.compile(
    r"\b(?:current|currently|now|nowadays|latest|newest|most recent|most recently|so far|to date"
    r"|up to now|these days|lately|today|still|any ?more|at the moment|at present|presently)\b",
    re.IGNORECASE,
).search
# A quantity changes, and so does what is said of it.
_quantity = re.compile(r"\bhow (?:many|much|often|long)\b", re.IGNORECASE).search
_present = re.compile(
    r"\b(?:am|is|are|do|does|have|has)\b|['\u2019](?:s|re|ve)\b", re.IGNORECASE
).search
_past = re.compile(
    r"\b(?:did|was|were|had|used to|before|previous(?:ly)?|initial(?:ly)?|first|original(?:ly)?"
    r"|ago|last)\b",
    re.IGNORECASE,
).search


def newness(query: str) -> float:
    """How much it counts for an answer to be newer, as a share of a whole score.

    >>> newness("What is my current address?"), newness("Where did I live?")
    (10.0, 0.0)
    >>> newness("How many bikes do I own?"), newness("How many bikes did I own?")
    (0.7, 0.0)
    """
    if _now(query):
        return ALWAYS
    return OFTEN if _quantity(query) and _present(query) and not _past(query) else 0.0


def rivals(order: Sequence[Fused]) -> list[int]:
    """Those of the best that answer nearly as well as the first."""
    return [
        one.seq
        for one in order[:MOST]
        if one.score >= SHARE * order[0].score
        # Who asks in the very words of some means these.
        and one.parts.verbatim == order[0].parts.verbatim
    ]


def newest_first(
    order: Sequence[Fused], times: Mapping[int, datetime], newness: float = ALWAYS
) -> list[Fused]:
    """The same order, in which the newer of the rivals come earlier; each place keeps its score."""
    among = [one for one in order if one.seq in times]
    moments = sorted({times[one.seq] for one in among})
    # Of the same time, the better one comes first: sorting keeps the order of equals.
    gain = {time: newness * at / max(1, len(moments) - 1) for at, time in enumerate(moments)}
    best = iter(sorted(among, key=lambda one: -one.score - gain[times[one.seq]]))
    return [replace(next(best), score=one.score) if one.seq in times else one for one in order]
