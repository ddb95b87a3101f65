"""Text into tokens: the one analyser of the word index, of BM25 and of everything lexical.

A token has no ASCII but `a-z0-9`, so that FTS5's `ascii` tokenizer passes it through unchanged.
Any change of what `tokens` answers must raise `ANALYSER`, which every store notes: an index made
by another analyser has to be made again.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.model import Record

ANALYSER = 1
LONGEST = 64

# What cannot be in a word is left out here already, so that quoted and unquoted words share an
# entry of the memo: ASCII punctuation, the general and the CJK punctuation, lone surrogates.
_WORD = (
    "[0-9A-Za-z_\x80-\u1fff\u200c-\u200f\u202a-\u202e\u2060-\u2fff"
    "\u3005-\u3007\u3021-\ud7ff\ue000-\uff00\uff10-\U0010ffff]"
)
_raw = re.compile(f"{_WORD}+(?:[-.,'\u2019]{_WORD}+)*").findall
# A final number of one to four digits is a part of its own: python3, utf8, sha256.
_humps = re.compile(
    "(?:[A-Z]{3,}|[A-Z]?[a-z]{2,})(?=[0-9]{1,4}(?![0-9A-Za-z]))"
    "|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z][a-z0-9]*|[0-9][a-z0-9]*"
).findall
_joints = re.compile("[-._']+").split
_thousands = re.compile("(?<=[0-9]),(?=[0-9]{3}(?![0-9]))").sub
_elision = re.compile("'(?:s|ll|re|ve|d|m)(?=$)|'(?=t$)", re.IGNORECASE).sub

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7ff"
# Thai, Lao, Myanmar and Khmer write no spaces either; their letters carry marks.
_BARE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_scripts = re.compile(
    f"[{_HAN}{_KANA}{_HANGUL}]+|[{_BARE}]+|[^{_HAN}{_KANA}{_HANGUL}{_BARE}]+"
).findall
_lone_han = re.compile(f"(?<![{_HAN}])[{_HAN}](?![{_HAN}])").findall
_unspaced = re.compile(f"[{_HAN}{_KANA}{_HANGUL}{_BARE}]").search
_bare = re.compile(f"[{_BARE}]").match
_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
_clusters = re.compile(f"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+").findall

# Letters with a stroke have no decomposition, and are still written without it.
_STROKES = dict(zip(map(ord, "łŁøØđĐħĦŧŦıƒ"), "lLoOdDhHtTif", strict=True)) | {
    ord("æ"): "ae",
    ord("Æ"): "AE",
    ord("œ"): "oe",
    ord("Œ"): "OE",
    ord("\u2019"): "'",
    ord("\u02bc"): "'",
}
_SLICE = 512
_MEMO = 1 << 15
_INFLECTED = 4


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order.

    >>> tokens("The user's max_pool_size")
    ['the', 'user', 'max', 'pool', 'size', 'maxpoolsize']
    >>> tokens("Café 東京都")
    ['cafe', '東京', '京都']
    """
    return list(chain.from_iterable(map(_memo.__getitem__, _raw(text))))


def terms(query: str) -> tuple[str, ...]:
    """The distinct tokens of a query without stop words, unless it has nothing else.

    >>> terms("where is the backup of the backup")
    ('backup',)
    >>> terms("who are you")
    ('who', 'are', 'you')
    """
    found = tuple(dict.fromkeys(tokens(query)))
    return tuple(term for term in found if term not in STOP) or found


def passage(record: Record) -> str:
    """The text that stands for a record in the word index and in the embedding."""
    title = "" if record.text.startswith(record.title) else record.title
    said = f"{title}. {record.text}" if title else record.text
    return f"{record.speaker}: {said}" if record.speaker else said


def stem(word: str) -> str:
    """An English word without its inflection.

    >>> [stem(word) for word in ("cities", "backups", "boxes", "class", "this", "status")]
    ['city', 'backup', 'box', 'class', 'this', 'status']
    """
    if len(word) < _INFLECTED or word[-1] != "s" or word[-2:] in {"ss", "us", "is"}:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]


class _Memo(dict[str, tuple[str, ...]]):
    """The tokens of each raw word seen lately."""

    def __missing__(self, raw: str) -> tuple[str, ...]:
        made = tuple(_analysed(raw))
        if len(raw) <= LONGEST:
            if len(self) >= _MEMO:
                self.clear()
            self[raw] = made
        return made


class _Letters(dict[int, "int | str | None"]):
    """What each character becomes: itself, another, nothing, or a space."""

    def __missing__(self, code: int) -> int | str | None:
        from unicodedata import category

        kind = category(chr(code))
        made: int | str | None = code if kind[0] in "LMN" else None if kind == "Cf" else " "
        self[code] = made
        return made


_memo = _Memo()
_letters = _Letters(
    dict.fromkeys(chain(range(0x300, 0x370), range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00)))
    | dict.fromkeys(chain(range(0x20D0, 0x2100), range(0xFE00, 0xFE10)))
    | {code: code for code in b"-.,'_"}
    | {0x200B: " "}
    | _STROKES
)


def _analysed(raw: str) -> list[str]:
    if raw.isascii():
        return _word(raw)
    # In slices, because normalising takes time quadratic in the length of a run of marks.
    slices = (raw[at : at + _SLICE] for at in range(0, len(raw), _SLICE))
    return [t for piece in slices for word in _plain(piece).split() for t in _word(word)]


def _plain(text: str) -> str:
    """Compatibility forms and diacritics folded, whatever is neither letter nor digit blank."""
    from unicodedata import normalize

    return normalize("NFC", normalize("NFKD", text).translate(_letters))


def _word(word: str) -> list[str]:
    if "," in word:
        return [t for part in _thousands("", word).split(",") for t in _compound(part)]
    return _compound(word)


def _compound(word: str) -> list[str]:
    """The parts of an identifier and the whole of it."""
    if "'" in word:
        word = _elision("", word)
    if _unspaced(word):
        return [t for run in _scripts(word) for t in _run(run)]
    parts = [part.casefold() for joint in _joints(word) for part in _hump(joint)]
    if len(parts) > 1:
        parts.append("".join(parts))
    return [stem(part)[:LONGEST] for part in parts]


def _hump(joint: str) -> list[str]:
    if joint.isascii():
        return _humps(joint)
    return [joint]


def _run(run: str) -> list[str]:
    """Overlapping pairs, since nothing tells where a word ends."""
    if not _unspaced(run):
        return _compound(run)
    letters = _clusters(run) if _bare(run) else run
    if len(letters) == 1:
        return [run[:LONGEST]]
    # A word is often a single Han character between Kana.
    return [*_lone_han(run), *((a + b)[:LONGEST] for a, b in pairwise(letters))]


STOP = frozenset(
    stem(word)
    for word in (
        "a about am an and any are as at be been being but by can could did do does doing for "
        "from had has have having he her hers him his how i if in into is it its just me might "
        "my of on or our ours shall she should so some such than that the their theirs them "
        "then there these they this those to was we were what when where which who whom whose "
        "why will with would you your yours dont doesnt didnt isnt arent wasnt werent"
    ).split()
)
