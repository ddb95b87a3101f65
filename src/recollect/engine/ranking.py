"""Handler that finds decisions, and puts what stands before what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.decisions import Mode, Ranking, Stand
from recollect.engine.recall import recall
from recollect.model import Kind, Where
from recollect.ops import Recall
from recollect.rules import check, precedence
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.decisions import SearchDecisions
    from recollect.engine.ports import Ports
    from recollect.model import Record
    from recollect.store import Reader

_LONGEST = 1_000
# So many are weighed for a few: whether one stands counts for more than how well it fits.
_CANDIDATES = 200
_KINDS = (Kind.DECISION, Kind.PROPOSAL)
_STANDING_OR_REPLACED = (Stand.ACTIVE.value, Stand.SUPERSEDED.value)


def search(ports: Ports, op: SearchDecisions) -> Ranking:
    """Find decisions."""
    check.positive("limit", op.limit, _LONGEST)
    statuses = _STANDING_OR_REPLACED if op.mode is Mode.STRICT else tuple(Stand)
    where = replace(op.where, kinds=_KINDS, statuses=op.where.statuses or statuses)
    found = recall(
        ports,
        Recall(op.query, where, max(_CANDIDATES, op.limit), any_time=True, fold=False),
    )
    with ports.store.reading() as reader:
        standing = _standing(reader, [hit.record for hit in found.hits], op.where)
    hits = precedence.ranked(((hit.record, hit.score) for hit in found.hits), standing, op.mode)
    return Ranking(hits[: op.limit], found.semantic)


def _standing(reader: Reader, found: Sequence[Record], where: Where) -> dict[str, Record]:
    """By decision that does not stand: the active one in its place, by succession or by target."""
    ended = [r for r in found if r.status in {Stand.SUPERSEDED, Stand.DEPRECATED}]
    heads = successors(reader, ended)
    active = Where(
        where.tenant, where.user, where.project, kinds=(Kind.DECISION,), statuses=(Stand.ACTIVE,)
    )
    keys = [r.key for r in ended if heads[r.id].status != Stand.ACTIVE]
    by_target = {(r.scope, r.key): r for r in reader.keyed(active, keys)}
    standing = {}
    for one in ended:
        head = heads[one.id]
        if head.status != Stand.ACTIVE:
            head = by_target.get((one.scope, one.key), head)
        if head.status == Stand.ACTIVE:
            standing[one.id] = head
    return standing


def successors(reader: Reader, records: Sequence[Record]) -> dict[str, Record]:
    """By record: the last of those that took its place, one after the other; or itself."""
    heads = {record.id: record for record in records}
    while further := {r.superseded_by for r in heads.values() if r.superseded_by}:
        found = reader.records(further)
        heads = {id_: found.get(head.superseded_by, head) for id_, head in heads.items()}
        if not found:
            break
    return heads
