"""What was worked out lately of words and other short strings, since most texts use the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LONGEST = 64
# The words of 20,000 texts, among them identifiers and numbers; 15 MB of tokens.
MOST = 1 << 16


class Lately(dict[str, T]):
    """What a function says of each string that was asked for lately.

    >>> lengths = Lately(len)
    >>> lengths["word"], "word" in lengths, lengths["w" * 100], "w" * 100 in lengths
    (4, True, 100, False)
    """

    def __init__(self, work: Callable[[str], T]) -> None:
        super().__init__()
        self._work = work
        # Those of before. What is asked for again is taken over, so that common ones stay.
        self._before: dict[str, T] = {}

    def __missing__(self, said: str) -> T:
        found = self._before.get(said)
        made = self._work(said) if found is None else found
        if len(said) <= LONGEST:
            if len(self) >= MOST:
                self._before = dict(self)
                self.clear()
            self[said] = made
        return made
