"""Handler of search in code: words propose, what programmers go by decides, the graph lifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.asked import where as check_where
from recollect.model import Hit, Kind, Parts
from recollect.ops import FoundCode
from recollect.rules import bm25, check
from recollect.rules.code import rank
from recollect.rules.fuse import fuse, shares, spread
from recollect.rules.pagerank import walk
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recollect.engine.ports import Ports
    from recollect.engine.semantics import Near
    from recollect.model import Arc, Candidate, Record, Vector, Where
    from recollect.ops import SearchCode
    from recollect.store import Reader

# Words propose so many candidates, of which so many are looked at closely, and more where more
# are asked for.
_POOL = 120
_WEIGHED = 45
_NEAREST = 20
_POOL_FOR_EACH = 2
# Terms select pieces until together they have so many, however many there are. With half of that,
# a tenth of the functions that docstrings ask for were lost; with all terms, searches took three
# times as long.
_SELECTED = 6_000
# Symbols that are named outright are candidates however common their words are.
_MOST_NAMED = 40
_SEEDS = 8
# So many that only the graph leads to.
_BROUGHT = 12
_FANOUT = 12
_LONGEST_QUERY = 10_000
_MOST = 1_000


class _Pool(Value):
    """The candidates of one search: their records, and what each way of finding says of them."""

    pieces: dict[int, Record]
    words: dict[int, float]
    # Cosines of those that have a vector.
    vector: dict[int, float]
    graph: dict[int, float]
    nodes: int
    semantic: bool


def search(ports: Ports, op: SearchCode) -> FoundCode:
    """Find code, best first."""
    check.text(op.query, "query", _LONGEST_QUERY)
    check.positive("limit", op.limit, _MOST)
    if op.weights is not None:
        shares(_given(op))
    where = replace(check_where(op.where), kinds=(Kind.CODE,), at=ports.clock())
    with ports.store.reading() as reader:
        ahead = ports.semantics.near_ahead(reader, op.query, where, max(_NEAREST, op.limit))
        pool = _pooled(reader, op, where, ahead)
    words, graph, vector = spread(pool.words), spread(pool.graph), spread(pool.vector)
    totals = _totals(op, pool, graph)
    order = rank.spread(totals, pool.pieces, op.limit)
    shown = _shown(totals)
    hits = tuple(
        Hit(
            pool.pieces[seq],
            shown[seq],
            Parts(vector.get(seq, 0.0), words.get(seq, 0.0), graph.get(seq, 0.0)),
        )
        for seq in order
    )
    return FoundCode(hits, semantic=pool.semantic, graph_nodes=pool.nodes)


def _totals(op: SearchCode, pool: _Pool, graph: Mapping[int, float]) -> dict[int, float]:
    """One score for each candidate, as measured best or as the caller weighs it."""
    if op.weights is not None:
        lists = {"vector": pool.vector, "words": pool.words, "graph": pool.graph}
        given = _given(op)
        if not pool.vector and (given["words"] or given["graph"]):
            given["vector"] = 0.0
        return {one.seq: one.score for one in fuse(lists, given)}
    # What has no vector yet is taken for as near as the others are.
    usual = sum(pool.vector.values()) / len(pool.vector) if pool.vector else 0.0
    return {
        seq: score
        + rank.LINKED * graph.get(seq, 0.0)
        + rank.MEANING * (pool.vector.get(seq, usual) - usual)
        for seq, score in pool.words.items()
    }


def _given(op: SearchCode) -> dict[str, float]:
    assert op.weights is not None  # noqa: S101 -- both callers have looked
    return {"vector": op.weights.vector, "words": op.weights.words, "graph": op.weights.graph}


def _pooled(
    reader: Reader, op: SearchCode, where: Where, ahead: Callable[[], Near | None]
) -> _Pool:
    asked = rank.wanted(op.query)
    corpus = reader.corpus_of_code(asked, where)
    query = rank.asked(op.query, corpus)
    most = max(_POOL, 2 * _POOL_FOR_EACH * op.limit)
    chosen = bm25.selective(asked, corpus, 0, _SELECTED)
    found = {one.seq: one.score for one in reader.matching_code(chosen, where, most)}
    named = {record.seq: record for record in reader.keyed(where, query.symbols)[:_MOST_NAMED]}
    spots = reader.spots(list(found))
    known = rank.evidence(query, found, spots)
    close = rank.first(query, known, spots, max(_WEIGHED, _POOL_FOR_EACH * op.limit))
    pieces = named | reader.rows([seq for seq in close if seq not in named])
    vector, meant = ahead() or (None, list)
    near = meant()
    pieces |= reader.rows([one.seq for one in near if one.seq not in pieces])

    def weighed(piece: Record) -> float:
        return rank.score(rank.features(query, piece, *known.of(piece)))

    words = {seq: weighed(piece) for seq, piece in pieces.items()}
    graph, nodes = _linked(reader, words, where)
    near_by = sorted((seq for seq in graph if seq not in pieces), key=lambda seq: -graph[seq])
    for seq, piece in reader.rows(near_by[:_BROUGHT]).items():
        pieces[seq] = piece
        words[seq] = weighed(piece)
    graph = {seq: graph[seq] for seq in graph if seq in pieces}
    cosines = _cosines(reader, vector, near, pieces)
    return _Pool(pieces, words, cosines, graph, nodes, vector is not None)


def _cosines(
    reader: Reader, vector: Vector | None, near: Sequence[Candidate], pieces: Iterable[int]
) -> dict[int, float]:
    """How near the candidates are in meaning, those that have a vector."""
    if vector is None:
        return {}
    cosines = {one.seq: one.score for one in near}
    held = reader.vectors([seq for seq in pieces if seq not in cosines])
    if held:
        import numpy as np

        rows = np.stack(list(held.values()))
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
        products = rows @ vector / np.where(lengths > 0, lengths, 1)
        cosines |= dict(zip(held, products.tolist(), strict=True))
    return cosines


def _linked(
    reader: Reader, words: Mapping[int, float], where: Where
) -> tuple[dict[int, float], int]:
    """How near pieces are to the best ones, by calls, definitions and imports."""
    best = sorted(words, key=lambda seq: (-words[seq], seq))[:_SEEDS]
    if not best:
        return {}, 0
    seeds = {seq: 1 / place for place, seq in enumerate(best, start=1)}
    arcs: list[Arc] = list(reader.arcs(best, _FANOUT))
    ranks = walk(seeds, arcs)
    admitted = reader.admitted(list(ranks), where)
    return {seq: ranks[seq] for seq in ranks if seq in admitted}, len(ranks)


def _shown(totals: Mapping[int, float]) -> dict[int, float]:
    """Scores over (0, 1], the best the highest it may be."""
    if not totals:
        return {}
    best = max(totals.values())
    low = min(0.0, *totals.values())
    whole = (best - low) or 1.0
    return {seq: max(0.01, (total - low) / whole) for seq, total in totals.items()}
