"""Finding: by meaning, by words and by what records are linked to, in one order.

Meaning and words propose, the graph adds what the best of them are linked to, and all three are
fused. Filters hold inside every step, so nothing that may not be seen is ever a candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.reads import LONGEST_PAGE
from recollect.model import Hit, Why
from recollect.ops import Recalled, Weights
from recollect.rules import bm25, check
from recollect.rules.analyse import passage, terms, tokens
from recollect.rules.fold import count, fold, within
from recollect.rules.fuse import fuse, shares
from recollect.rules.pagerank import walk
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.engine.ports import Ports
    from recollect.model import Arc, Corpus, Record, Vector, Where
    from recollect.ops import Recall
    from recollect.rules.fuse import Fused
    from recollect.store import Reader

# Chosen on the development benchmarks; docs/adr/0009-recall.md has the table.
DEFAULT = Weights(vector=0.55, words=0.35, graph=0.10)
# So many candidates from each way of finding, and more where more hits are asked for.
_POOL = 60
_POOL_FOR_EACH = 2
# The graph is walked from the best so many, two steps, past so many neighbours of each.
_SEEDS = 12
_FANOUT = 24
_SECOND_FANOUT = 12
_MOST_NODES = 400
_LONGEST_QUERY = 10_000
# A longer text is scored by the words that selected it: to count all of its words takes longer
# than the rest of the search.
_LONGEST_COUNTED = 20_000


class Found(Value):
    """What the ways of finding propose, each by record number."""

    vector: dict[int, float]
    words: dict[int, float]
    graph: dict[int, float]
    nodes: int
    semantic: bool


def recall(ports: Ports, op: Recall) -> Recalled:
    """Find records, best first."""
    weights = _checked(op)
    where = op.where if op.any_time else replace(op.where, at=op.as_of or ports.clock())
    asked = terms(op.query)
    wanted = op.offset + op.limit
    with ports.store.reading() as reader:
        vector = ports.semantics.query(reader, op.query) if weights.vector else None
        corpus = reader.corpus(asked) if weights.words else None
        found = _found(reader, asked, corpus, vector, where, weights, wanted)
        order = fuse(_lists(found), _weights(weights, found), limit=wanted + _POOL)
        records = reader.rows([one.seq for one in order])
        order = [one for one in order if one.seq in records and where.admits(records[one.seq])]
        total = len(order)
        if op.fold:
            order = _folded(reader, order, records)
    best = order[op.offset : wanted]
    if op.budget is not None:
        best = best[: within(op.budget, [records[one.seq].text for one in best])]
    hits = tuple(_hit(one, records[one.seq], found, asked, explain=op.explain) for one in best)
    return Recalled(
        hits,
        total=total,
        graph_nodes=found.nodes,
        semantic=found.semantic,
        tokens=sum(count(hit.record.text) for hit in hits),
    )


def _checked(op: Recall) -> Weights:
    check.text(op.query, "query", _LONGEST_QUERY)
    check.positive("limit", op.limit, LONGEST_PAGE)
    check.positive("offset", op.offset + 1, LONGEST_PAGE)
    if op.budget is not None:
        check.positive("budget", op.budget, 10_000_000)
    weights = op.weights or DEFAULT
    shares({"vector": weights.vector, "words": weights.words, "graph": weights.graph})
    return weights


def _found(  # noqa: PLR0913 -- one search, everything it depends on
    reader: Reader,
    asked: Sequence[str],
    corpus: Corpus | None,
    vector: Vector | None,
    where: Where,
    weights: Weights,
    wanted: int,
) -> Found:
    pool = max(_POOL, _POOL_FOR_EACH * wanted)
    near = {} if vector is None else _scores(reader.nearest(vector, where, pool))
    said: dict[int, float] = {}
    if corpus is not None:
        said = _scores(reader.matching(bm25.selective(asked, corpus), where, pool))
        said = _exact(reader, asked, corpus, near, said)
    graph: dict[int, float] = {}
    nodes = 0
    if weights.graph:
        graph, nodes = _spread(reader, near, said, where, pool)
    return Found(near, said, graph, nodes, vector is not None)


def _scores(candidates: Sequence[object]) -> dict[int, float]:
    return {one.seq: one.score for one in candidates}


def _exact(
    reader: Reader,
    asked: Sequence[str],
    corpus: Corpus,
    near: Mapping[int, float],
    said: Mapping[int, float],
) -> dict[int, float]:
    """BM25 of the whole query, for every candidate of either way."""
    scores: dict[int, float] = {}
    for seq, text in reader.texts(list({*near, *said})).items():
        if len(text) > _LONGEST_COUNTED:
            score = said.get(seq, 0.0)
        else:
            score = bm25.score(asked, tokens(text), corpus)
        if score > 0:
            scores[seq] = score
    return scores


def _spread(
    reader: Reader,
    near: Mapping[int, float],
    said: Mapping[int, float],
    where: Where,
    pool: int,
) -> tuple[dict[int, float], int]:
    """Personalised PageRank around the best candidates, for records that may be answers."""
    first = fuse({"vector": near, "words": said}, {"vector": 0.6, "words": 0.4}, limit=_SEEDS)
    seeds = {one.seq: one.score for one in first if one.score > 0}
    if not seeds:
        return {}, 0
    arcs: list[Arc] = list(reader.arcs(list(seeds), _FANOUT))
    beyond = list(dict.fromkeys(arc.dst for arc in arcs if arc.dst not in seeds))[:_MOST_NODES]
    arcs += reader.arcs(beyond, _SECOND_FANOUT)
    ranks = walk(seeds, arcs)
    reached = sorted(ranks, key=lambda seq: (-ranks[seq], seq))
    admitted = reader.admitted(reached, where)
    kept = [seq for seq in reached if seq in admitted][:pool]
    return {seq: ranks[seq] for seq in kept}, len(ranks)


def _lists(found: Found) -> dict[str, dict[int, float]]:
    return {"vector": found.vector, "words": found.words, "graph": found.graph}


def _weights(weights: Weights, found: Found) -> dict[str, float]:
    given = {"vector": weights.vector, "words": weights.words, "graph": weights.graph}
    # Where meaning is all that was asked for and the model is not there, nothing can be found.
    if not found.semantic and (weights.words or weights.graph):
        given["vector"] = 0.0
    return given


def _folded(
    reader: Reader, order: Sequence[Fused], records: Mapping[int, Record]
) -> list[Fused]:
    seqs = [one.seq for one in order]
    texts = {seq: records[seq].text for seq in seqs}
    kept = set(fold(seqs, texts, reader.vectors(seqs)))
    return [one for one in order if one.seq in kept]


def _hit(
    one: Fused, record: Record, found: Found, asked: Sequence[str], *, explain: bool
) -> Hit:
    why = None
    if explain:
        said = set(tokens(passage(record)))
        why = Why(
            vector_rank=_rank(found.vector, one.seq),
            words_rank=_rank(found.words, one.seq),
            graph_rank=_rank(found.graph, one.seq),
            cosine=found.vector.get(one.seq),
            bm25=found.words.get(one.seq, 0.0),
            terms=tuple(term for term in asked if term in said),
        )
    return Hit(record, one.score, one.parts, why)


def _rank(scores: Mapping[int, float], seq: int) -> int | None:
    if seq not in scores:
        return None
    mine = (-scores[seq], seq)
    return 1 + sum((-score, other) < mine for other, score in scores.items())
