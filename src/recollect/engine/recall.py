"""Finding: by meaning, by words and by what records are linked to, in one order.

Meaning and words propose, the graph adds what the best of them are linked to, and all three are
fused. Filters hold inside every step, so nothing that may not be seen is ever a candidate.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from recollect.engine.asked import LARGEST, natural, times
from recollect.engine.asked import where as check_where
from recollect.engine.closer import closer
from recollect.engine.quoted import quoted
from recollect.engine.reads import LONGEST_PAGE
from recollect.engine.search import DEFAULT, POOL, Found, Search
from recollect.engine.worded import said as said_of
from recollect.model import Hit, Kind, Parts, Why
from recollect.ops import Recalled, SearchCode, Weights
from recollect.rules import bm25, check
from recollect.rules.analyse import passage, terms, tokens
from recollect.rules.fold import count, fold, plainly, within
from recollect.rules.fuse import Fused, fuse, merged, shares
from recollect.rules.pagerank import walk
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from recollect.engine.ports import Ports
    from recollect.model import Arc, Record, Sense, Where
    from recollect.ops import Recall
    from recollect.rules.period import Period


# The same where the model tells of single words: what is around a record joins in.
CLOSER = {
    "vector": 2.0,
    "words": 3.0,
    "graph": 0.5,
    "around": 6.0,
    "speaker": 3.0,
    "verbatim": 4.0,
    "time": 3.0,
    "holds": 2.0,
}
_POOL_FOR_EACH = 2
# Near duplicates among the hits are seldom more than these; where they are, more are read.
_LIKELY_FOLDED = 12
# The graph is walked from the best so many, two steps, past so many neighbours of each; the
# second step starts from so many of the nearest. More of any found no more, and took longer.
_SEEDS = 8
_FANOUT = 12
_SECOND_FANOUT = 8
_SECOND_SEEDS = 16
_SEEDING = {"vector": 0.6, "words": 0.4}
_LONGEST_QUERY = 10_000
_EVERY = 1_000_000
# So many more candidates are from each time that the query names; in a larger store than this, to
# list what is from that time would take longer than the search.
_FROM_THEN = 10
_QUICKLY_LISTED = 50_000


def recall(ports: Ports, op: Recall) -> Recalled:
    """Find records, best first: what was remembered, code, or both in one order."""
    if op.where.kinds == (Kind.CODE,):
        return _of_code(ports, op, op.where)
    if op.code is None:
        return _of_memory(ports, op)
    wanted = op.offset + op.limit
    both = replace(op, offset=0, limit=max(POOL, wanted), budget=None, touch=False)
    said, code = _of_memory(ports, both), _of_code(ports, both, op.code)
    best = merged(said.hits, code.hits)[op.offset : wanted]
    if op.budget is not None:
        best = best[: within(op.budget, [hit.record.text for hit in best])]
    if op.touch:
        memories = [hit.record for hit in best if hit.record.kind is not Kind.CODE]
        ports.accesses.note(memories, ports.clock())
    return Recalled(
        tuple(best),
        total=said.total + code.total,
        graph_nodes=said.graph_nodes + code.graph_nodes,
        semantic=said.semantic,
        tokens=sum(count(hit.record.text) for hit in best),
    )


def _of_code(ports: Ports, op: Recall, where: Where) -> Recalled:
    from recollect.engine.code.search import search

    most = min(op.offset + op.limit, LONGEST_PAGE)
    found = search(ports, SearchCode(op.query, where, most, op.weights))
    hits = found.hits[op.offset :]
    if op.budget is not None:
        hits = hits[: within(op.budget, [hit.record.text for hit in hits])]
    return Recalled(
        hits,
        total=len(found.hits),
        graph_nodes=found.graph_nodes,
        semantic=found.semantic,
        tokens=sum(count(hit.record.text) for hit in hits),
    )


def _of_memory(ports: Ports, op: Recall) -> Recalled:
    weights = _checked(op)
    asked_at = op.as_of or ports.clock()
    where = op.where if op.any_time else replace(op.where, at=asked_at)
    asked, (newness, periods) = terms(op.query), _understood(op, asked_at)
    with ports.store.reading() as reader:
        meant = weights.vector or _graph_alone(weights)
        sense: Callable[[], Sense | None] = _no_sense
        if meant:
            sense = ports.semantics.query_ahead(reader, op.query, needed=op.needs_vector)
        # Nobody gets more than there is, however far down a page is asked for.
        wanted = min(op.offset + op.limit, max(reader.total(), op.limit))
        search = Search(
            reader,
            where,
            op.query,
            asked,
            sense,
            op.weights,
            wanted,
            newness,
            op.as_of if op.any_time else None,
            periods,
            {},
            set(),
            {},
        )
        found = _found(search)
        kept, records = _read(search, found, op)
        total = _all(search, found) if op.count else found.total
        best = kept[op.offset : search.wanted]
        if op.budget is not None:
            best = best[: within(op.budget, [records[one.seq].text for one in best])]
        shown = {one.seq: records[one.seq] for one in best} if op.quote else {}
        quotes = quoted(search, shown, sense() if found.semantic else None)
    chosen = [records[one.seq] for one in best]
    if op.touch:
        ports.accesses.note(chosen, ports.clock())
    hits = tuple(
        _hit(one, record, found, asked, quotes.get(one.seq, ""), explain=op.explain)
        for one, record in zip(best, ports.accesses.seen(chosen), strict=True)
    )
    return Recalled(
        hits,
        total=total,
        graph_nodes=found.nodes,
        semantic=found.semantic,
        tokens=sum(count(hit.record.text) for hit in hits),
    )


def _understood(op: Recall, at: datetime) -> tuple[float, Sequence[Period]]:
    """How much it counts to be newer, and the times that are named."""
    if op.weights is not None:
        return 0.0, ()
    # Their patterns take longer to load than a search by words alone takes.
    from recollect.rules.period import named
    from recollect.rules.recency import newness

    return newness(op.query), named(op.query, at)


def _checked(op: Recall) -> Weights:
    check.text(op.query, "query", _LONGEST_QUERY)
    check.positive("limit", op.limit, LONGEST_PAGE)
    natural("offset", op.offset, LARGEST if op.count else LONGEST_PAGE)
    check_where(op.where)
    times(as_of=op.as_of)
    if op.budget is not None:
        check.positive("budget", op.budget, 10_000_000)
    weights = op.weights or DEFAULT
    shares({"vector": weights.vector, "words": weights.words, "graph": weights.graph})
    return weights


def _found(search: Search) -> Found:
    reader, where, weights = search.reader, search.where, search.weights
    pool = max(POOL, _POOL_FOR_EACH * search.wanted)
    alone = _graph_alone(weights)
    # The words first, since the vector is still being made.
    said = said_of(search, pool) if weights.words or alone else {}
    near: dict[int, float] = {}
    then: dict[int, float] = {}
    if (sense := search.sense()) is not None:
        near = {c.seq: c.score for c in reader.nearest(sense.vector, where, pool)}
        then = _then(search, sense)
    # Whatever page is asked for, the same candidates are weighed; the others only follow them.
    beyond = _interleaved(list(near)[POOL:], list(said)[POOL:])
    near, said = {**then, **_first(near)}, _first(said)
    graph, nodes = _spread(search, near, said) if weights.graph else ({}, 0)
    if alone:
        near, said, beyond = {}, {}, []
    beyond = [seq for seq in beyond if seq not in near and seq not in said and seq not in graph]
    found = Found(near, said, graph, tuple(beyond), nodes, sense is not None)
    if search.given is None and sense is not None and sense.codes:
        return closer(search, found, sense)
    return found


def _then(search: Search, sense: Sense) -> dict[int, float]:
    """The nearest from each time that the query names."""
    found: dict[int, float] = {}
    if not search.periods or search.reader.total() > _QUICKLY_LISTED:
        return found
    for period in search.periods:
        if not period.month:
            where = replace(search.where, since=period.since, until=period.until)
            nearest = search.reader.nearest(sense.vector, where, _FROM_THEN)
            found |= {one.seq: one.score for one in nearest}
    return found


def _all(search: Search, found: Found) -> int:
    """How many records match: by meaning each does, more or less; by words those that hold one."""
    reader = search.reader
    if found.semantic and search.weights.vector:
        return reader.count(search.where)
    corpus = reader.corpus(search.asked)
    return len(reader.matching(bm25.selective(search.asked, corpus), search.where, _EVERY))


def _no_sense() -> None:
    """What is waited for where meaning does not count."""


def _graph_alone(weights: Weights) -> bool:
    """Whether meaning and words only say where in the graph to begin, and count for nothing."""
    return not (weights.vector or weights.words)


def _words_alone(weights: Weights) -> bool:
    return not (weights.vector or weights.graph)


def _first(scores: dict[int, float]) -> dict[int, float]:
    return dict(list(scores.items())[:POOL])


def _interleaved(*lists: Sequence[int]) -> list[int]:
    """By rank, the lists taking turns, so that a longer list only adds at the end."""
    turns = chain.from_iterable(zip_longest(*lists))
    return list(dict.fromkeys(seq for seq in turns if seq is not None))


def _spread(
    search: Search, near: Mapping[int, float], said: Mapping[int, float]
) -> tuple[dict[int, float], int]:
    """Personalised PageRank around the best candidates, for records that may be answers."""
    reader = search.reader
    first = fuse({"vector": near, "words": said}, _SEEDING, limit=_SEEDS)
    seeds = {one.seq: one.score for one in first if one.score > 0}
    if not seeds:
        return {}, 0
    arcs: list[Arc] = list(reader.arcs(list(seeds), _FANOUT))
    further = list(dict.fromkeys(arc.dst for arc in arcs if arc.dst not in seeds))[:_SECOND_SEEDS]
    arcs += reader.arcs(further, _SECOND_FANOUT)
    ranks = walk(seeds, arcs)
    reached = sorted(ranks, key=lambda seq: (-ranks[seq], seq))
    # Twice as many as are kept: what is left out here is entities and what is closed.
    admitted = reader.admitted(reached[: 2 * POOL], search.where)
    kept = [seq for seq in reached if seq in admitted][:POOL]
    return {seq: ranks[seq] for seq in kept}, len(ranks)


def _order(search: Search, found: Found, limit: int) -> list[Fused]:
    weights = search.weights
    given = {"vector": weights.vector, "words": weights.words, "graph": weights.graph}
    # Where meaning is all that was asked for and the model is not there, nothing can be found.
    if not found.semantic and (weights.words or weights.graph):
        given["vector"] = 0.0
    lists = {"vector": found.vector, "words": found.words, "graph": found.graph}
    if found.around:
        words = found.told or found.words
        lists |= {"words": words, "around": found.around, "speaker": found.speaker}
        lists |= {"verbatim": found.verbatim, "time": found.time, "holds": found.holds}
        given = {name: weight for name, weight in CLOSER.items() if lists[name]}
    weighed = fuse(lists, given, limit)
    return weighed + [Fused(seq, 0.0, Parts()) for seq in found.beyond[: limit - len(weighed)]]


def _read(search: Search, found: Found, op: Recall) -> tuple[list[Fused], dict[int, Record]]:
    """As many of the best as are wanted, each said once."""
    reader, enough = search.reader, search.wanted + _LIKELY_FOLDED
    while True:
        best = _order(search, found, enough)
        seqs = [one.seq for one in best]
        if not op.fold:
            best = _newer(search, best)
            return best, reader.rows([one.seq for one in best[op.offset : search.wanted]])
        records = reader.rows(seqs)
        best = _own_first(best, records, search.where.user or "")
        seqs = [one.seq for one in best]
        texts = {seq: records[seq].text for seq in seqs}
        # Who asks for words alone gets them without NumPy, which takes longer than the search.
        alone = _words_alone(search.weights)
        if not alone:
            search.senses.update(reader.senses([s for s in seqs if s not in search.senses]))
        said_once = set(fold(seqs, texts, search.senses))
        kept = [one for one in best if one.seq in said_once]
        if len(kept) >= search.wanted or enough >= found.total:
            return _newer(search, kept), records
        enough *= 2


def _own_first(best: list[Fused], records: Mapping[int, Record], user: str) -> list[Fused]:
    """The same, with one's own record in the place of another user's that says the same."""
    if all(records[one.seq].scope.user == user for one in best):
        return best
    best, places = list(best), dict[str, int]()
    for place, one in enumerate(best):
        first = places.setdefault(plainly(records[one.seq].text), place)
        other = best[first].seq
        if records[one.seq].scope.user == user != records[other].scope.user:
            best[first] = replace(best[first], seq=one.seq)
            best[place] = replace(one, seq=other)
    return best


def _newer(search: Search, order: list[Fused]) -> list[Fused]:
    """The same, with the newer of what answers equally well first, where that is asked for."""
    if not search.newness:
        return order
    from recollect.rules.recency import newest_first, rivals

    rows = search.reader.rows(rivals(order))
    return newest_first(order, {s: one.event_time for s, one in rows.items()}, search.newness)


def _hit(  # noqa: PLR0913 -- all that is said of it
    one: Fused, record: Record, found: Found, asked: Sequence[str], quote: str, *, explain: bool
) -> Hit:
    why = None
    if explain:
        said = set(tokens(passage(record)))
        why = Why(
            vector_rank=_rank(found.vector, one.seq),
            words_rank=_rank(found.words, one.seq),
            graph_rank=_rank(found.graph, one.seq),
            cosine=_cosine(found.vector.get(one.seq)),
            bm25=found.words.get(one.seq, 0.0),
            terms=tuple(term for term in asked if term in said),
        )
    return Hit(record, one.score, one.parts, why, quote)


def _cosine(product: float | None) -> float | None:
    # The product of two unit vectors may come out a digit beyond 1.
    return None if product is None else max(-1.0, min(1.0, product))


def _rank(scores: Mapping[int, float], seq: int) -> int | None:
    if seq not in scores:
        return None
    mine = (-scores[seq], seq)
    return 1 + sum((-score, other) < mine for other, score in scores.items())
