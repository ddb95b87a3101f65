"""A long text into the passages that it is made of: what one speaker says, or part of it.

What is asked for is often said in one place of a long text and nowhere else in it. The whole of
it is then like any other; the passage is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# A text of so many characters is one passage, and about as much as a model reads of it.
LONG = 2_000
# Longer passages are cut, best at the end of a sentence.
LONGEST = 800
# Words with a stem in common share so many letters, or all that a shorter stem has; of a longer
# stem one more.
_BEGINNING = 3

# "user: ", "Anna Lee: " at the start of a line.
_turns = re.compile(r"\n(?=[^\W\d][\w .'-]{0,30}: )").finditer
# Those whose words are not their own: what they say was asked of them, and they say much.
_machine = re.compile(
    r"(?:ai|agent|assistant|bot|chatbot|chatgpt|claude|copilot|gemini|model|system|tool): ",
    re.IGNORECASE,
).match
_word = re.compile(r"\w+").match


class Span(NamedTuple):
    """Where a passage lies in its text, and whether a machine says it."""

    start: int
    end: int
    machine: bool = False


def passages(text: str) -> list[str]:
    r"""The passages of a text, in order; a text that is not long is one.

    >>> len(passages("user: Hello!\nassistant: Hello."))
    1
    >>> [len(part) for part in passages("user: Hello!\nassistant: " + "It is so. " * 200)]
    [12, 791, 800, 420]
    """
    return [text[start:end] for start, end, _ in spans(text)]


def spans(text: str) -> list[Span]:
    """Where the passages of a text lie."""
    return list(_spans(text)) if len(text) > LONG else [Span(0, len(text))]


def beside(cut: Sequence[Span], place: int) -> tuple[int, int]:
    """From where to where a passage is shown: with those around it, where it is short.

    What is asked is answered in the next turn, so that comes first.

    >>> turns = [Span(0, 500), Span(501, 520), Span(521, 700), Span(701, 1_400)]
    >>> beside(turns, 1), beside(turns, 3)
    ((0, 700), (701, 1400))
    """
    first = last = place
    while True:
        if last + 1 < len(cut) and cut[last + 1].end - cut[first].start <= LONGEST:
            last += 1
        elif first and cut[last].end - cut[first - 1].start <= LONGEST:
            first -= 1
        else:
            return cut[first].start, cut[last].end


def finder(terms: Sequence[str]) -> Callable[[str], Iterator[tuple[int, str]]]:
    """A quick look for words that may be one of the terms: those that begin like one.

    Each comes with its place in the text, in no order.

    >>> sorted(finder(("cat", "decis"))("Cats decided against a concat."))
    [(0, 'cats'), (5, 'decided')]
    """
    # Other scripts put no space before a word.
    if not all(map(str.isascii, terms)):
        return _words
    beginnings = sorted({term[: _BEGINNING + (len(term) > _BEGINNING + 1)] for term in terms})

    def look(text: str) -> Iterator[tuple[int, str]]:
        text = text.lower()
        for beginning in beginnings:
            # Several times as fast as any pattern, where there are few.
            at = text.find(beginning)
            while at >= 0:
                if (at == 0 or not text[at - 1].isalnum()) and (word := _word(text, at)):
                    yield at, word[0]
                at = text.find(beginning, at + 1)

    return look


def _words(text: str) -> Iterator[tuple[int, str]]:
    for line in re.finditer(r"\S+", text):
        yield line.start(), line[0]


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for turn in _turns(text):
        yield from _cut(text, start, turn.start())
        start = turn.end()
    yield from _cut(text, start, len(text))


def _cut(text: str, start: int, stop: int) -> Iterator[Span]:
    machine = _machine(text, start) is not None
    while stop - start > LONGEST:
        most = start + LONGEST
        end = max(text.rfind("\n", start, most) + 1, text.rfind(". ", start, most) + 2)
        # Where there are no sentences, words; where there are no words, anywhere.
        if end <= start + LONGEST // 2:
            end = text.rfind(" ", start, most) + 1
        if end <= start:
            end = most
        yield Span(start, end, machine)
        start = end
    if text[start:stop].strip():
        yield Span(start, stop, machine)
