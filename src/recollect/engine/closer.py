"""What was found, looked at more closely: word by word, with what is around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.worded import told
from recollect.rules.analyse import tokens
from recollect.rules.closeness import around, cosines
from recollect.rules.fuse import spread
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.engine.search import Found, Search
    from recollect.model import Sense

# A turn of a chat is understood by those before and after it. So many on each side say what it
# is about, and the next ones may be answers themselves.
_REACH = 2
_NEXT = 1
# Of what was found by links alone, so many are looked at more closely.
_LINKED = 20
# How much of what has no codes is told by its vector, and how much by its words. The vector of a
# long text knows the beginning of it only.
_SHORT = (0.6, 0.4)
_LONG = (0.3, 0.7)


def closer(search: Search, found: Found, sense: Sense) -> Found:
    """What is found, with what is said next to it, weighed word by word."""
    reader = search.reader
    first = list(dict.fromkeys([*found.vector, *found.words, *list(found.graph)[:_LINKED]]))
    beside = reader.around(first, _REACH + _NEXT)
    seen = reader.admitted(
        list({other for others in beside.values() for other in others}), search.where
    )
    chains = {seq: _chain(seq, beside.get(seq, ()), seen) for seq in first}
    weighed = _windows(chains)
    senses = reader.senses(list({*first, *seen}))
    search.senses.update(senses)
    codes = {seq: one.codes for seq, one in senses.items()}
    close = around(sense.codes, codes, weighed, len(sense.vector) // 8)
    candidates = list(weighed)
    said = told(search, found.words, found.vector)
    others = {c: senses[c] for c in candidates if c in senses and c not in found.vector}
    near = {**found.vector, **cosines(sense.vector, others)}
    return replace(
        found,
        vector=near,
        told=said,
        around=_filled(close, near, said or found.words, _LONG if said else _SHORT),
        speaker=_named(search, candidates),
        verbatim=dict.fromkeys(search.held, 1.0),
        time=_then(search, candidates),
        holds=_holding(search, candidates),
        beyond=tuple(seq for seq in found.beyond if seq not in weighed),
    )


def _chain(seq: int, beside: Iterable[int], seen: set[int]) -> list[int]:
    """A record among those of its session that may be seen, in order."""
    return sorted([seq, *(other for other in beside if other in seen)])


def _windows(chains: Mapping[int, Sequence[int]]) -> dict[int, Sequence[int]]:
    """By candidate, those found and those next to them: what is around it."""
    windows: dict[int, Sequence[int]] = {}
    for seq, row in chains.items():
        at = row.index(seq)
        for place in range(max(0, at - _NEXT), min(len(row), at + _NEXT + 1)):
            # What was found itself knows its surroundings best.
            if place == at or row[place] not in chains:
                windows[row[place]] = row[max(0, place - _REACH) : place + _REACH + 1]
    return windows


def _filled(
    close: Mapping[int, float],
    near: Mapping[int, float],
    said: Mapping[int, float],
    share: tuple[float, float],
) -> dict[int, float]:
    """What has no codes is as close as its vector and its words are, so much of each."""
    # What is equally close says nothing of which is the better one.
    filled = spread(close) if len(set(close.values())) > 1 else {}
    if lacking := [seq for seq in near if seq not in filled]:
        meant, worded = spread(near), spread(said)
        filled |= {s: share[0] * meant[s] + share[1] * worded.get(s, 0.0) for s in lacking}
    return filled


def _named(search: Search, seqs: Sequence[int]) -> dict[int, float]:
    """The candidates whose speaker the query names."""
    asked = set(search.asked)
    return {
        seq: 1.0
        for seq, speaker in search.reader.speakers(seqs).items()
        if not asked.isdisjoint(tokens(speaker))
    }


def _then(search: Search, seqs: Sequence[int]) -> dict[int, float]:
    """The candidates from a time that the query names."""
    if not search.periods:
        return {}
    return {
        seq: 1.0
        for seq, record in search.reader.rows(seqs).items()
        if any(period.holds(record.event_time) for period in search.periods)
    }


def _holding(search: Search, seqs: Sequence[int]) -> dict[int, float]:
    """The candidates that hold when the question is asked, where others are found too."""
    if search.at is None:
        return {}
    return dict.fromkeys(search.reader.admitted(seqs, replace(search.where, at=search.at)), 1.0)
