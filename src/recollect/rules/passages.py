"""A long text into the passages that it is made of: what one speaker says, or part of it.

What is asked for is often said in one place of a long text and nowhere else in it. The whole of
it is then like any other; the passage is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# A text of so many characters is one passage, and about as much as a model reads of it.
LONG = 2_000
# Longer passages are cut, best at the end of a sentence.
LONGEST = 800
# Words with a stem in common share so many letters, or all that a shorter stem has.
_BEGINNING = 3

# "user: ", "Anna Lee: " at the start of a line.
_turns = re.compile(r"\n(?=[^\W\d][\w .'-]{0,30}: )").split
# Those whose words are not their own: what they say was asked of them, and they say much.
_machine = re.compile(
    r"(?:ai|agent|assistant|bot|chatbot|chatgpt|claude|copilot|gemini|model|system|tool): ",
    re.IGNORECASE,
).match


class Passage(Value):
    """Part of a text, and whether a machine says it."""

    text: str
    machine: bool = False


def passages(text: str) -> list[Passage]:
    r"""The passages of a text, in order; a text that is not long is one.

    >>> len(passages("user: Hello!\nassistant: Hello."))
    1
    >>> told = passages("user: Hello!\nassistant: " + "It is so. " * 200)
    >>> [(len(part.text), part.machine) for part in told]
    [(12, False), (791, True), (800, True), (420, True)]
    """
    return list(_passages(text)) if len(text) > LONG else [Passage(text)]


def _passages(text: str) -> Iterator[Passage]:
    for turn in _turns(text):
        machine = _machine(turn) is not None
        for part in _cut(turn):
            yield Passage(part, machine)


def finder(terms: Sequence[str]) -> Callable[[str], list[str]]:
    """A quick look for words that may be one of the terms: those that begin like one.

    >>> finder(("cat", "decis"))("Cats decided nothing.")
    ['cats', ' decided']
    """
    # Other scripts put no space before a word.
    if not all(map(str.isascii, terms)):
        return lambda text: [text]
    beginnings = "|".join(sorted({re.escape(term[:_BEGINNING]) for term in terms}))
    # What stands before a word comes first in the pattern, since that is quickly looked for.
    find = re.compile(rf"[\s('\"*_/.-](?:{beginnings})\w*").findall
    begins = re.compile(rf"(?:{beginnings})\w*").match

    def look(text: str) -> list[str]:
        text = text.lower()
        first = begins(text)
        return [*([first[0]] if first else ()), *find(text)]

    return look


def _cut(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    while len(text) - start > LONGEST:
        stop = start + LONGEST
        end = max(text.rfind("\n", start, stop) + 1, text.rfind(". ", start, stop) + 2)
        # Where there are no sentences, words; where there are no words, anywhere.
        if end <= start + LONGEST // 2:
            end = text.rfind(" ", start, stop) + 1
        if end <= start:
            end = stop
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]] if text[start:].strip() else parts
