"""What a text names: people, products, files, identifiers. Found by shape alone, no model."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from recollect.rules.analyse import folded, stem
from recollect.rules.english import NO_NAMES, STARTERS, STOCK, STOP_WORDS
from recollect.rules.lately import Lately

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_NAMES = 16
MOST_PHRASES = 120
LONGEST = 80
# Longer texts have said whom they are about by then.
READ = 20_000
MOST_WORDS = 6
# So many words all in capitals are no name but emphasis.
SHOUTED = 3
_OPENS = '\n\t"\u201c(*\u2022>-'
_ENDS = ".!?:\u2026\n*-\u2022"

# The pattern begins with the set of capitals alone, since then the engine skips to the next one
# without trying anything; whether that begins a word is therefore asked after it.
_CAPITAL = (
    "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0386-\u038f\u0391-\u03ab\u0400-\u042f\u0531-\u0556"
    "\u0104\u0106\u010c\u010e\u0110\u0118\u011a\u011e\u0130\u0139\u013d\u0141\u0143\u0147\u014c"
    "\u0150\u0152\u0158\u015a\u015e\u0160\u0164\u016a\u016e\u0170\u0179\u017b\u017d\u0218\u021a]"
)
_REST = r"\w*(?:[&.-]\w+)*(?:['\u2019](?!s\b)\w+)?(?:\+\+|#)?"
_PARTICLE = "(?:(?:of|the|de|da|di|du|van|von|der|den|la|le|al|bin) ){0,2}"
_capitalised = re.compile(rf"{_CAPITAL}(?<!\w.){_REST}(?: {_PARTICLE}{_CAPITAL}{_REST})*").finditer
_coded = re.compile("`(?P<code>[^`\\n]{1,80})`").sub
_quoted = re.compile('["\u201c](?P<title>[^"\u201c\u201d\\n]{2,80})["\u201d]').sub
# Whatever is not merely a word and its punctuation, of which nothing is given back.
_odd = re.compile(r"(?<!\S)(?>[\"'(]?[A-Z]?[a-z0-9',;:!?()\"-]*\.?)(?!\s|\Z)\S+").sub
_dot = re.compile(r"\.\w").search
_hump = re.compile("[A-Z](?<=[a-z].)").search
_words = re.compile(r"\w[^\s,;:!?()\[\]{}\"<>`\u201c\u201d\u2026]*").findall
_elided = re.compile("['\u2019](?:ll|re|ve|d|m)$").sub
_inflected = re.compile("[a-z]{3,}(?:ing|[a-z]ed)$").match
# Aww, hmm, mmm, woohoo, haha.
_drawn_out = re.compile(r".*([a-z])\1\1|(?:ha|he|woo|mm|oo|aw)+[hfp]?$").match
_extension = re.compile(r"\.[A-Za-z]\w*$").search


@cache
def _marked() -> re.Pattern[str]:
    """What is set off by a sign. Compiled when first needed: that takes a millisecond."""
    return re.compile(
        r"""
          \bhttps?://(?:[^\s/@]*@)?(?P<host>[\w.-]*\w)[^\s<>"]*
        | (?<![\w@])@(?P<handle>\w[\w-]*)
        | (?<![\w\#&])\#(?P<tag>\w*[^\W\d_]\w*)
        | (?<![\w.+-])(?P<mail>\w[\w.+-]*@\w[\w-]*(?:\.\w[\w-]*)+)
        | (?<![\w./~-])(?P<path>(?:~|\.{1,2}|[\w-][\w.-]*)?(?:/[\w.-]*[\w-])+/?)
        | \b(?P<dotted>[^\W\d]\w+(?:\.[a-z_]\w+)+)
        | \b(?P<snake>_*[^\W_]+(?:_+[^\W_]+)+_*)\b
        | \b(?P<camel>[a-z]+[A-Z]\w*)
        """,
        re.VERBOSE,
    )


def key(name: str) -> str:
    """What entities are told apart by.

    >>> key("  The   User's "), key("James'"), key("PYTHON")
    ('the user', 'james', 'python')
    """
    plain = " ".join(folded(name).split())
    return _bare(plain) if "'" in plain else plain


def names(text: str) -> tuple[str, ...]:
    """The things that the beginning of a text names, as it writes them, in order, each once.

    >>> names("Yesterday Anna's team moved `billing` to Python 3.11 in src/app.py")
    ('Anna', 'billing', 'Python', 'src/app.py')
    """
    found: dict[str, str] = {}
    for name in _in_order(text[:READ]):
        known = key(name) if len(name) <= LONGEST else ""
        if known and known not in found:
            found[known] = name
            if len(found) == MOST_NAMES:
                break
    return tuple(found.values())


def phrases(text: str, most: int = MOST_PHRASES) -> tuple[str, ...]:
    """The keys under which an entity that is known already may be mentioned in a text.

    >>> phrases("Ask the memory engine's team")
    ('ask', 'memory', 'memory engine', "memory engine's team", 'engine', "engine's team", 'team')
    """
    found: dict[str, None] = {}
    words = [word.rstrip(".-'") for word in _words(folded(text[:READ]))]
    bare = [_bare(word) if "'" in word else word for word in words]
    ends = [word in STOP_WORDS or len(word) > LONGEST for word in bare]
    for at in range(len(words)):
        if len(found) >= most:
            break
        said = ""
        for to in range(at, min(at + 3, len(words))):
            if ends[to]:
                break
            found[said + bare[to]] = None
            said += words[to] + " "
    return tuple(found)[:most]


def _bare(name: str) -> str:
    """Without the ending that says that something belongs to the one named."""
    while name.endswith(("'", "'s")):
        name = name.removesuffix("s").rstrip("' ")
    return name


def _in_order(text: str) -> Iterator[str]:
    signs: list[tuple[int, str]] = []
    if "`" in text:
        text = _coded(partial(_taken, signs), text)
    if '"' in text or "\u201c" in text:
        text = _quoted(partial(_taken, signs), text)
    # Most sentences have no sign, and so are spared the larger pattern.
    if "_" in text or "/" in text or "@" in text or "#" in text or _dot(text) or _hump(text):
        text = _odd(partial(_signs, signs), text)
    plain = _places(text)
    return (name for _, name in (sorted([*signs, *plain]) if signs else plain))


def _signs(signs: list[tuple[int, str]], word: re.Match[str]) -> str:
    left, found = _apart[word[0]]
    start = word.start()
    signs += [(start + at, name) for at, name in found]
    return left


def _taken_apart(odd: str) -> tuple[str, list[tuple[int, str]]]:
    found: list[tuple[int, str]] = []
    return _marked().sub(partial(_taken, found), odd), found


_apart = Lately(_taken_apart)


def _taken(signs: list[tuple[int, str]], match: re.Match[str]) -> str:
    """Note what was found and blank it, unless it only looked like something."""
    kind = str(match.lastgroup)
    name = _ACCEPT.get(kind, str)(match[kind])
    if not name:
        return match[0]
    signs.append((match.start(), name))
    # Neither a word nor the end of a sentence.
    return "," * len(match[0])


def _code(name: str) -> str:
    name = name.strip().removesuffix("()")
    return "" if " " in name else name


def _title(name: str) -> str:
    """A title has capitals throughout and no full stop: `The Lord of the Rings`."""
    words = name.split()
    plain = [word for word in words[1:] if word[0].islower() and word not in STOP_WORDS]
    if plain or not name[0].isupper() or name[-1] in ".,!?;:":
        return ""
    return name.strip() if len(words) > 1 else _single(words[0], first=True)


def _path(name: str) -> str:
    """`and/or` is no path, nor is `/help`: paths have an extension or say where they begin."""
    rooted = name.startswith(("~/", "./", "../")) or (name[0] == "/" and name.count("/") > 1)
    return name if rooted or name[-1] == "/" or _extension(name) else ""


_ACCEPT: dict[str, Callable[[str], str]] = {"code": _code, "title": _title, "path": _path}


def _places(text: str) -> Iterator[tuple[int, str]]:
    for match in _capitalised(text):
        start = match.start()
        before = text[max(start - 2, 0) : start]
        first = not before or before[-1] in _OPENS or before[0] in _ENDS
        name = (_first if first else _later)[match[0]]
        if name:
            yield start, name


def _name(said: str, *, first: bool) -> str:
    """The name in a run of words with capitals, of which the first may begin a sentence."""
    return (_several if " " in said else _single)(said, first=first)


_first: Lately[str] = Lately(partial(_name, first=True))
_later: Lately[str] = Lately(partial(_name, first=False))


def _single(word: str, *, first: bool) -> str:
    if "'" in word or "\u2019" in word:
        word = _elided("", word)
    low = word.lower()
    if len(word) == 1 or low.endswith(("n't", "n\u2019t")) or low in NO_NAMES:
        return ""
    return "" if (first or word.isupper()) and _common(low) else word


def _common(word: str) -> bool:
    """Whether the capital may only say that a sentence begins here."""
    if _inflected(word) or _drawn_out(word):
        return True
    return word in STARTERS or not _stems().isdisjoint(map(stem, word.split("-")))


@cache
def _stems() -> frozenset[str]:
    return frozenset(map(stem, STARTERS | STOCK))


def _several(name: str, *, first: bool) -> str:
    words = name.split(" ")
    while words and (words[0][0].islower() or words[0].lower() in NO_NAMES):
        del words[0]
    if first and len(words) == name.count(" ") + 1 and _common(words[0].lower()):
        del words[0]
    while words and (words[-1][0].islower() or words[-1].lower() in NO_NAMES):
        del words[-1]
    if len(words) <= 1:
        return _single(words[0], first=False) if words else ""
    if len(words) > MOST_WORDS or (len(words) >= SHOUTED and name.isupper()):
        return ""
    return " ".join(words)
