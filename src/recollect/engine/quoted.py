"""Of long texts that were found, the passages that they were found by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.worded import each
from recollect.rules.analyse import passage
from recollect.rules.closeness import nearness
from recollect.rules.fuse import fuse
from recollect.rules.passages import LONG, beside, spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.engine.search import Search
    from recollect.model import Record, Sense

# As much as they count in a search; who asks by one of them alone is shown what that has found.
_WEIGHTS = {"vector": 2.0, "words": 3.0}


def quoted(search: Search, records: Mapping[int, Record], sense: Sense | None) -> dict[int, str]:
    """By record that is long: the passage which comes nearest to the query, and those beside it."""
    said = {seq: passage(record) for seq, record in records.items()}
    said = {seq: text for seq, text in said.items() if len(text) > LONG}
    if not said:
        return {}
    corpus = search.reader.corpus(search.asked)
    found: dict[int, str] = {}
    for seq, text in said.items():
        cut = spans(text)
        lists = {"words": each(search.asked, text, cut, corpus) if search.weights.words else {}}
        parts = search.senses[seq].parts if seq in search.senses else b""
        lists["vector"] = nearness(sense.vector, parts) if sense is not None and parts else {}
        for best in fuse(lists, _WEIGHTS, limit=1):
            # The text is what a passage ends with; a title or a speaker may come before it.
            before = len(text) - len(records[seq].text)
            start, stop = beside(cut, best.seq)
            found[seq] = records[seq].text[max(start - before, 0) : max(stop - before, 0)].strip()
    return found
