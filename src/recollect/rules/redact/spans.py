"""Every source of findings together, as ranges that do not touch each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.redact import assigned, library, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Span = tuple[int, int, str]

# A rule may know only the first characters of a token that has since grown longer.
_REST = re.compile(r"[\w-]*", re.ASCII)


def spans(text: str) -> Iterator[Span]:
    """The ranges of the secrets in a text, in order, named by the source that knows most."""
    sources = shapes.spans, library.spans, assigned.spans, library.general
    return merged(text, (source(text) for source in sources))


def merged(text: str, sources: Iterable[Iterable[Span]]) -> Iterator[Span]:
    """Overlapping ranges as one, with the kind that the earliest source gave."""
    found = sorted(
        (start, _end(text, end), rank, kind)
        for rank, source in enumerate(sources)
        for start, end, kind in source
    )
    low = high = -1
    best = (0, "")
    for start, end, rank, kind in found:
        if start >= high:
            if best[1]:
                yield low, high, best[1]
            low, high, best = start, end, (rank, kind)
        else:
            high, best = max(high, end), min(best, (rank, kind))
    if best[1]:
        yield low, high, best[1]


def _end(text: str, end: int) -> int:
    rest = _REST.match(text, end)
    return rest.end() if rest else end
