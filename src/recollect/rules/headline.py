"""What a text is called that was given no title: its first sentence, cut at a word."""

from __future__ import annotations

import re

LONGEST = 80
# Prose that is broken into lines has longer ones.
SHORT = 60
_MARKS = re.compile(r"^[#>*\-\s]+(?=\S)")
# A point between digits or in a name ends no sentence, so a space has to follow; in East Asian
# texts none does.
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)"
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)\s|(?<=[。！？])"
)


def headline(text: str, longest: int = LONGEST) -> str:
    r"""The first sentence of a text, in one line.

    >>> headline("Version 2.1 is out. It is faster.")
    'Version 2.1 is out.'
    >>> headline("Dr. Wu prefers tabs, e.g. in Go. Ask her.")
    'Dr. Wu prefers tabs, e.g. in Go.'
    >>> headline("Login fails on Safari\nCookies lack SameSite. Fixed in 3.2.")
    'Login fails on Safari'
    >>> headline("# Use SQLite\nNothing to run beside it.")
    'Use SQLite'
    >>> headline("One file holds the memory of all of them", 20)
    'One file holds the…'
    """
    paragraph = text.strip().partition("\n\n")[0]
    first, _, rest = paragraph.partition("\n")
    # A short line is one of its own, unless the next goes on in the middle of a sentence.
    if first.startswith("#") or (len(first) <= SHORT and not rest.lstrip()[:1].islower()):
        paragraph = first
    # So much is enough for any sentence that is shown whole.
    said = " ".join(_MARKS.sub("", paragraph[: 8 * longest]).split())
    sentence = _END.split(said, maxsplit=1)[0].strip()
    if len(sentence) <= longest:
        return sentence
    cut = sentence[:longest]
    at_word = cut if sentence[longest - 1] == " " else cut.rpartition(" ")[0]
    return f"{(at_word or cut[:-1]).rstrip(' ,;:')}…"
