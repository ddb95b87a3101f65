"""One search as its steps see it, and what they have found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ops import Weights
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import TypeAlias

    from recollect.model import Sense, Where
    from recollect.rules.period import Period
    from recollect.store import Reader

    # The tokens of a passage that may matter, how many it has in all, and how much it counts.
    Part: TypeAlias = tuple[list[str], int, float]

# Chosen on the development benchmarks; docs/adr/0009-recall.md has the table.
DEFAULT = Weights(vector=0.5, words=0.3, graph=0.2)
# So many candidates from each way of finding, and more where more hits are asked for.
POOL = 40


class Found(Value):
    """What the ways of finding propose, each by record number, and what lies behind those."""

    vector: Mapping[int, float]
    words: dict[int, float]
    graph: dict[int, float]
    # Further candidates, best first, which pages deep down are filled with.
    beyond: tuple[int, ...]
    nodes: int
    semantic: bool
    # The words list anew where texts are long: by their best passage too.
    told: Mapping[int, float] = {}
    around: Mapping[int, float] = {}
    speaker: Mapping[int, float] = {}
    verbatim: Mapping[int, float] = {}
    time: Mapping[int, float] = {}
    holds: Mapping[int, float] = {}

    @property
    def total(self) -> int:
        """How many candidates there are in all."""
        return len({*self.vector, *self.words, *self.graph}) + len(self.beyond)


class Search(Value):
    """One search, as its steps see it."""

    reader: Reader
    where: Where
    query: str
    asked: tuple[str, ...]
    # Waits for the embedding that goes on meanwhile.
    sense: Callable[[], Sense | None]
    # What the caller asked for; without that the engine weighs as measured best.
    given: Weights | None
    wanted: int
    # How much better an answer is for being newer.
    newness: float
    # When the question is asked, where what does not hold then may be found too.
    at: datetime | None
    # The times that the query names.
    periods: Sequence[Period]
    # The passages of what holds the words, once they have been needed.
    parted: dict[int, list[Part]]
    # Those of them that hold the query word for word.
    held: set[int]
    # What records mean that were looked at more closely.
    senses: dict[int, Sense]

    @property
    def weights(self) -> Weights:
        """How much each way of finding counts."""
        return self.given or DEFAULT
