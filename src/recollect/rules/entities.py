"""What a text names: people, products, files, identifiers. Found by shape alone, no model."""

from __future__ import annotations

import re
from unicodedata import normalize

from recollect.rules.analyse import STOP

MOST_NAMES = 16
MOST_PHRASES = 120


def key(name: str) -> str:
    """What entities are told apart by.

    >>> key("  The\\tUser's "), key("Ｐｙｔｈｏｎ"), key("James'")
    ('the user', 'python', 'james')
    """
    return " ".join(_possessive("", normalize("NFKC", name)).casefold().split())


_possessive = re.compile(r"['\u2019]s?\s*$").sub

_find = re.compile(
    r"`(?P<code>[^`\n]{1,80})`"
    r"|\"(?P<title>[A-Z][^\"\n]{1,60})\""
    r"|https?://(?P<host>[\w.-]+)[^\s]*"
    r"|(?<!\w)@(?P<handle>\w[\w-]{1,38})"
    r"|(?P<path>(?:[\w.-]*/)+[\w.-]*\w\.\w{1,8}\b)"
    r"|(?P<name>\b[A-Z][\w'\u2019&-]*(?:\.\w+)*(?: (?:(?:of|the|de|van|von|der) )?[A-Z][\w'\u2019&-]*)*)"
    r"|(?P<ident>\b[a-z]\w*(?:_\w+|[a-z][A-Z]\w*)|\b[a-z]\w+(?:\.[a-z]\w+)+)"
).finditer


def names(text: str) -> tuple[str, ...]:
    """The things that a text names, as it writes them, in order, each once."""
    found: dict[str, str] = {}
    for match in _find(text):
        kind = match.lastgroup
        name = match[kind] if kind else ""
        found.setdefault(key(name), name)
        if len(found) == MOST_NAMES:
            break
    return tuple(found.values())


def phrases(text: str) -> tuple[str, ...]:
    """The keys under which a known entity may be mentioned in a text.

    >>> phrases("Ask the memory engine team")
    ('ask', 'memory', 'memory engine', 'memory engine team', 'engine', 'engine team', 'team')
    """
    words = [_possessive("", word) for word in _words(normalize("NFKC", text).casefold())]
    found: dict[str, None] = {}
    for at, word in enumerate(words):
        if word in STOP:
            continue
        said = word
        found[said] = None
        for following in words[at + 1 : at + 3]:
            if following in STOP:
                break
            said = f"{said} {following}"
            found[said] = None
        if len(found) >= MOST_PHRASES:
            break
    return tuple(found)[:MOST_PHRASES]


_words = re.compile(r"[^\s.,;:!?()\[\]{}\"<>]+(?:\.[^\s.,;:!?()\[\]{}\"<>]+)*").findall
