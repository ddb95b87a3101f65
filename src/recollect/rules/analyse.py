"""Text into tokens: the one analyser of the word index, of BM25 and of everything lexical.

A token has no ASCII but `a-z0-9`, so that FTS5's `ascii` tokenizer passes it through unchanged.
Any change of what `tokens` answers must raise `ANALYSER`, which every store notes: an index made
by another analyser has to be made again.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from recollect.rules.english import STOP_WORDS
from recollect.rules.lately import LONGEST, Lately

if TYPE_CHECKING:
    from recollect.model import Record

ANALYSER = 1

# What is not ASCII may all be in a word here; `_plain` knows better, and is needed more rarely.
_IN_WORD = r"[^\x00-/:-@\[-^`{-\x7f]"
_raw = re.compile(rf"{_IN_WORD}+(?:[-.,']{_IN_WORD}+)*").findall
# A final number of one to four digits is a part of its own: python3, utf8, sha256.
_humps = re.compile(
    "(?:[A-Z]{3,}|[A-Z]?[a-z]{2,})(?=[0-9]{1,4}(?![0-9A-Za-z]))"
    "|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z][a-z0-9]*|[0-9][a-z0-9]*"
).findall
_joints = re.compile("[-._']+").split
_thousands = re.compile("(?<=[0-9]),(?=[0-9]{3}(?![0-9]))").sub
_elision = re.compile("'(?:s|ll|re|ve|d|m)(?=$)|'(?=t$)", re.IGNORECASE).sub

# Scripts that put no space between words: Han, other East Asian ones, and those of South-East
# Asia (Thai, Lao, Myanmar, Khmer), whose letters carry marks. What comes first wins.
_UNSPACED = (
    (0x3005, 0x3007, "h"),
    (0x3400, 0x4DBF, "h"),
    (0x4E00, 0x9FFF, "h"),
    (0xF900, 0xFAFF, "h"),
    (0x20000, 0x3FFFF, "h"),
    (0x3041, 0x30FF, "k"),
    (0x31F0, 0x31FF, "k"),
    (0x1100, 0x11FF, "k"),
    (0xAC00, 0xD7FF, "k"),
    (0x0E31, 0x0E31, "m"),
    (0x0E34, 0x0E3A, "m"),
    (0x0E47, 0x0E4E, "m"),
    (0x0EB1, 0x0EB1, "m"),
    (0x0EB4, 0x0EBC, "m"),
    (0x0EC8, 0x0ECE, "m"),
    (0x102B, 0x103E, "m"),
    (0x17B4, 0x17D3, "m"),
    (0x0E00, 0x0EFF, "b"),
    (0x1000, 0x109F, "b"),
    (0x1780, 0x17FF, "b"),
)
_runs = re.compile("[hk]+|[bm]+|o+").finditer
_letters_of = re.compile("[hk]|bm*|m+").finditer
# A Japanese word is often a single Han character between Kana.
_lone_han = re.compile("(?<!h)h(?!h)").finditer

# Letters with a stroke have no decomposition, and are still written without it.
_STROKES = dict(zip(map(ord, "łŁøØđĐħĦŧŦıƒ"), "lLoOdDhHtTif", strict=True)) | {
    ord("æ"): "ae",
    ord("Æ"): "ae",
    ord("œ"): "oe",
    ord("Œ"): "oe",
    ord("\u2019"): "'",
    ord("\u02bc"): "'",
}
_SLICE = 512
_CLUSTER = LONGEST // 2
_INFLECTED = 4
# Of a piece of code a model reads so many characters, of the comment over it so many, and of its
# path so many folders.
_CODE = 300
_DOC = 200
_NEAR = 3
_parted = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall
_ROOT = 2
_NOUN = 6
_DOUBLED = 5
_vowel = re.compile("[aeiouy]").search
# One short syllable, to whose spelling a silent `e` belongs: hop(e), us(e).
_short = re.compile("[^aeiou]*[aeiouy][^aeiouwxy]").fullmatch


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order.

    >>> tokens("The user's max_pool_lag")
    ['the', 'user', 'max', 'pool', 'lag', 'maxpoollag']
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


def folded(text: str) -> str:
    """A text without what tells capitals and compatible spellings apart.

    >>> folded("Anna\u2019s CAFÉ")
    "anna's café"
    """
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFKC", normalize("NFKC", text).casefold()).replace("\u2019", "'")


def passage(record: Record) -> str:
    """The text that stands for a record in the word index and in the embedding."""
    if record.kind == "code":
        return _code(record)
    return spoken(record.speaker, record.title, record.text)


def _code(record: Record) -> str:
    """A piece of code as a model understands it: what it is called, in words, and what it is for.

    What code is for shows where it begins, and each further word takes time.
    """
    import json

    place = "/".join(record.source_ref.split("/")[-_NEAR:])
    named = " ".join(map(" ".join, map(_parted, (place, record.title))))
    doc = json.loads(record.facts).get("doc", "")[:_DOC]
    return f"{named}\n{doc}\n{record.title}\n{record.text[:_CODE]}"


def spoken(speaker: str, title: str, text: str) -> str:
    """A passage from its parts; a title or speaker that the text begins with is not said twice."""
    said = f"{title}. {text}" if title and not text.startswith(title) else text
    return f"{speaker}: {said}" if speaker and not text.startswith(f"{speaker}:") else said


def stem(word: str) -> str:
    """An English word without its plural, its tense and what else changes the end of it.

    Porter's stemmer finds no more in the chats that both were measured on, and is a dependency
    or four times as long.

    >>> [stem(word) for word in ("cities", "running", "hoped", "hope", "decision", "status")]
    ['city', 'run', 'hope', 'hope', 'decis', 'status']
    """
    if len(word) < _INFLECTED or not (word.isascii() and word.isalpha()):
        return word
    return _ended(_noun(_present(_singular(word))))


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == _INFLECTED else word[:-3] + "y"
    return word[:-2] if word.endswith("sses") else word[:-1]


def _present(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == _INFLECTED else word[:-3] + "y"
    if word.endswith("eed"):
        return word[:-1] if _vowel(word[:-3]) else word
    root = word.removesuffix("ing") if word.endswith("ing") else word.removesuffix("ed")
    if root == word or not _vowel(root) or len(root) < _ROOT:
        return word
    if len(root) > _ROOT + 1 and root[-1] == root[-2] and root[-1] not in "aeioulsz":
        return root[:-1]
    return f"{root}e" if _short(root) else root


def _noun(word: str) -> str:
    """`migration` and `migrate` are the same to a reader who looks for either."""
    return word[:-3] if len(word) > _NOUN and word.endswith(("tion", "sion")) else word


def _ended(word: str) -> str:
    if len(word) > _DOUBLED and word.endswith("ll"):
        return word[:-1]
    silent = len(word) >= _INFLECTED and word.endswith("e") and not _short(word[:-1])
    return word[:-1] if silent else word


class _Letters(dict[int, "int | str | None"]):
    """What each character becomes: itself, another, nothing, or a space."""

    def __missing__(self, code: int) -> int | str | None:
        from unicodedata import category

        kind = category(chr(code))
        made: int | str | None = code if kind[0] in "LMN" else None if kind == "Cf" else " "
        self[code] = made
        return made


class _Kinds(dict[int, str]):
    """Which kind of script each character belongs to, as `_UNSPACED` names them."""

    def __missing__(self, code: int) -> str:
        kinds = (kind for low, high, kind in _UNSPACED if low <= code <= high)
        made = self[code] = next(kinds, "o")
        return made


_kinds = _Kinds()
_memo = Lately(lambda raw: tuple(_analysed(raw)))
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
    return [t for piece in slices for word in _raw(_plain(piece)) for t in _known(word)]


def _plain(text: str) -> str:
    """Compatibility forms and diacritics folded, whatever is neither letter nor digit blank."""
    from unicodedata import normalize

    return normalize("NFC", normalize("NFKD", text).translate(_letters))


def _word(word: str) -> list[str]:
    if "," in word:
        return [t for part in _thousands("", word).split(",") for t in _compound(part)]
    return _compound(word)


# One character may stand for four words, and a text for a million of them.
_known = lru_cache(4096)(_word)


def _compound(word: str) -> list[str]:
    """The parts of an identifier and the whole of it."""
    if "'" in word:
        word = _elision("", word)
    if word.isascii():
        parts = [part.lower() for joint in _joints(word) for part in _humps(joint)]
    elif word.translate(_kinds).strip("o"):
        return _unspaced(word)
    else:
        parts = [joint.casefold() for joint in _joints(word) if joint]
    if len(parts) > 1:
        parts.append("".join(parts))
    return [stem(part)[:LONGEST] for part in parts]


def _unspaced(word: str) -> list[str]:
    kinds = word.translate(_kinds)
    made: list[str] = []
    for match in _runs(kinds):
        start, end = match.span()
        run, kind = word[start:end], kinds[start:end]
        made += _compound(run) if kind[0] == "o" else _pairs(run, kind)
    return made


def _pairs(run: str, kinds: str) -> list[str]:
    """Overlapping pairs of letters, since nothing tells where a word ends."""
    letters = [run[at.start() : at.end()][:_CLUSTER] for at in _letters_of(kinds)]
    if len(letters) == 1:
        return letters
    alone = [run[at.start()] for at in _lone_han(kinds)]
    return alone + [one + other for one, other in pairwise(letters)]


STOP = frozenset(token for word in STOP_WORDS for token in _memo[word])
