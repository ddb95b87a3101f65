"""Finding by words: BM25 of the whole query, of the best passage, and of the very words."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recollect.engine.search import POOL
from recollect.rules import bm25
from recollect.rules.analyse import folded, tokens
from recollect.rules.fuse import spread
from recollect.rules.passages import LONG, finder, spans
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recollect.engine.search import Part, Search
    from recollect.model import Corpus
    from recollect.rules.passages import Span

# Passages have about so many words.
_USUAL_PASSAGE = 100
# What a machine says in a conversation counts so much of what a person says: it was asked for it,
# and says ten times as much.
_MACHINE = 0.7
# A query of fewer words than this is held word for word by many.
_VERBATIM = 3
# A longer text is scored by the words that selected it: to count all of its words takes longer
# than the rest of the search.
_LONGEST_COUNTED = 40_000
# Letters for each token of a long text, blanks included.
_LETTERS = 6


def said(search: Search, pool: int) -> dict[int, float]:
    """The records that hold the rarer words of the query, best BM25 of the whole query first."""
    corpus = search.reader.corpus(search.asked)
    chosen = bm25.selective(search.asked, corpus)
    found = {c.seq: c.score for c in search.reader.matching(chosen, search.where, pool)}
    if len(chosen) < sum(map(bool, corpus.frequency.values())):
        best = dict(list(found.items())[:POOL])
        best = dict(sorted(_exact(search, corpus, best).items(), key=lambda at: (-at[1], at[0])))
        found = best | {seq: score for seq, score in found.items() if seq not in best}
    return found


def told(search: Search, found: Mapping[int, float], near: Iterable[int]) -> dict[int, float]:
    """The words list by the best passage of each text, where any of them is long.

    What lies near is looked at as well: a long text that tells of the matter in one place has few
    of the words for its length.
    """
    parted = _parted(search, list(found))
    if all(len(parts) <= 1 for parts in parted.values()):
        return {}
    parted |= _parted(search, [seq for seq in near if seq not in found])
    corpus = search.reader.corpus(search.asked)
    corpus = replace(corpus, average_length=min(corpus.average_length, _USUAL_PASSAGE))
    best = {
        seq: max(
            bm25.score(search.asked, words, corpus, length=size) * share
            for words, size, share in parts
        )
        for seq, parts in parted.items()
        if parts
    }
    whole, part = spread(found), spread(best)
    # A text that is too long to be cut is known as a whole.
    return whole | part


def each(asked: Sequence[str], text: str, cut: Sequence[Span], corpus: Corpus) -> dict[int, float]:
    """By passage of a long text that holds any of the terms: how well its words fit."""
    corpus = replace(corpus, average_length=min(corpus.average_length, _USUAL_PASSAGE))
    return {
        at: bm25.score(asked, words, corpus, length=_size(cut[at])) * _share(cut[at])
        for at, words in _within(text, cut, finder(asked)).items()
    }


def _exact(search: Search, corpus: Corpus, said: Mapping[int, float]) -> dict[int, float]:
    """BM25 of the whole query, common words and all, for what the rarer ones selected."""
    scores = dict(said)
    for seq, parts in _parted(search, list(said)).items():
        if parts:
            words = [word for some, _, _ in parts for word in some]
            size = sum(size for _, size, _ in parts)
            scores[seq] = bm25.score(search.asked, words, corpus, length=size)
    return scores


def _parted(search: Search, seqs: Sequence[int]) -> dict[int, list[Part]]:
    """The passages of these records; nothing of a text that is too long."""
    if lacking := [seq for seq in seqs if seq not in search.parted]:
        # Only a long text needs it, and it takes longer to make than a short one to read.
        find = cache(lambda: finder(search.asked))
        query = _bare(search.query)
        held = len(query.split()) >= _VERBATIM
        for seq, text in search.reader.texts(lacking).items():
            if len(text) > LONG:
                short = len(text) <= _LONGEST_COUNTED
                search.parted[seq] = _parts(text, find()) if short else []
                continue
            # A long text holds many things besides.
            if held and query in _bare(text):
                search.held.add(seq)
            search.parted[seq] = [_whole(text)]
    return {seq: search.parted[seq] for seq in seqs if seq in search.parted}


def _bare(text: str) -> str:
    return " ".join(folded(text).split()).strip(" ?!.")


def _whole(text: str) -> Part:
    words = tokens(text)
    return words, len(words), 1.0


def _parts(text: str, find: Callable[[str], Iterable[tuple[int, str]]]) -> list[Part]:
    """What counts of a long text: the passages with what may be one of the terms, and the rest."""
    cut = spans(text)
    parts = [
        (some, _size(cut[at]), _share(cut[at])) for at, some in _within(text, cut, find).items()
    ]
    return [*parts, ([], len(text) // _LETTERS - sum(size for _, size, _ in parts), 1.0)]


def _within(
    text: str, cut: Sequence[Span], find: Callable[[str], Iterable[tuple[int, str]]]
) -> dict[int, list[str]]:
    """By passage, what may be one of the terms."""
    starts = [span.start for span in cut]
    words: dict[int, list[str]] = {}
    for place, word in find(text):
        words.setdefault(bisect_right(starts, place) - 1, []).extend(_tokens(word))
    return words


def _size(span: Span) -> int:
    return (span.end - span.start) // _LETTERS


def _share(span: Span) -> float:
    return _MACHINE if span.machine else 1.0


@lru_cache(maxsize=16_384)
def _tokens(word: str) -> tuple[str, ...]:
    return tuple(tokens(word))
