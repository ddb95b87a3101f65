"""A long text into the passages that it is made of: what one speaker says, or part of it.

What is asked for is often said in one place of a long text and nowhere else in it. The whole of
it is then like any other; the passage is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A text of so many characters is one passage, and about as much as a model reads of it.
LONG = 2_000
# Longer passages are cut, best at the end of a sentence.
LONGEST = 1_000
# Words with a stem in common share so many letters, or all that a shorter stem has.
_BEGINNING = 3

# "user: ", "Anna Lee: " at the start of a line.
_turns = re.compile(r"\n(?=[^\W\d][\w .'-]{0,30}: )").split


def passages(text: str) -> list[str]:
    r"""The passages of a text, in order; a text that is not long is one.

    >>> len(passages("user: Hello!\nassistant: Hello."))
    1
    >>> [len(part) for part in passages("user: Hello!\nassistant: " + "It is so. " * 200)]
    [12, 991, 1000, 20]
    """
    if len(text) <= LONG:
        return [text]
    return [part for turn in _turns(text) for part in _cut(turn)]


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
    while len(text) > LONGEST:
        end = max(text.rfind("\n", 0, LONGEST) + 1, text.rfind(". ", 0, LONGEST) + 2)
        # Where there are no sentences, words; where there are no words, anywhere.
        if end <= LONGEST // 2:
            end = text.rfind(" ", 0, LONGEST) + 1 or LONGEST
        parts.append(text[:end])
        text = text[end:]
    return [*parts, text] if text.strip() else parts
