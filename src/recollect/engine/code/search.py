"""Handler of search in code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.asked import where as check_where
from recollect.model import Hit, Kind, Parts
from recollect.ops import FoundCode
from recollect.rules import bm25, check
from recollect.rules.analyse import terms
from recollect.value import replace

if TYPE_CHECKING:
    from recollect.engine.ports import Ports
    from recollect.ops import SearchCode

_POOL = 100
_LONGEST_QUERY = 10_000
_MOST = 1_000


def search(ports: Ports, op: SearchCode) -> FoundCode:
    """Find code, best first."""
    check.text(op.query, "query", _LONGEST_QUERY)
    check.positive("limit", op.limit, _MOST)
    where = replace(check_where(op.where), kinds=(Kind.CODE,), at=ports.clock())
    asked = terms(op.query)
    with ports.store.reading() as reader:
        corpus = reader.corpus_of_code(asked)
        found = reader.matching_code(bm25.selective(asked, corpus), where, max(_POOL, op.limit))
        rows = reader.rows([one.seq for one in found[: op.limit]])
    best = max((one.score for one in found), default=1.0) or 1.0
    hits = tuple(
        Hit(rows[one.seq], one.score / best, Parts(words=one.score / best))
        for one in found[: op.limit]
    )
    return FoundCode(hits)
