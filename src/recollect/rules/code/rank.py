"""Which pieces of code fit a query best: names, paths and comments weighed as programmers do.

What is measured of a candidate is a number of features; their weights were learned on the
docstrings of installed packages and on questions about repositories in fifteen languages, of half
of both, and hold on the other half.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

from recollect.rules.analyse import terms, tokens
from recollect.rules.bm25 import idf
from recollect.rules.code import records
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.model import Corpus, Record, Spot

# So many a feature each; the names are those of `features`.
WEIGHTS = {
    "words": 2.0,
    "own": 0.9,
    "precise": 1.2,
    "path": 0.5,
    "doc": 0.4,
    "text": 1.8,
    "all": 1.4,
    "exact": 2.0,
    "defines": 1.2,
    "outside": -1.2,
    "later": -1.4,
    "short": -0.2,
    "aside": -1.5,
    "file": 1.5,
    "base": 1.0,
    "worded": -1.5,
    "built": -2.0,
}
# What nearness in the graph to the best counts beside these, and the cosine of the meanings, of
# which a tenth is much.
LINKED = 2.2
MEANING = 40.0
# What an unknown word counts beside those that some piece has.
_UNKNOWN = 7.0
_DEFINITIONS = frozenset(
    """
    function method constructor class struct interface trait enum type macro protocol record
    object impl extension message service contract
    """.split()
)
# Folders and files of what is beside the matter, unless that is what was asked for.
_ASIDE = re.compile(
    r"(?:^|/)(?:[\w.-]*[._-])?(?:tests?|testing|specs?|__tests__|testdata|fixtures?|mocks?|e2e"
    r"|benchmarks?|bench|examples?|samples?|demos?|docs?|documentation|vendor|vendored|third_party"
    r"|thirdparty|external|extern|deps|legacy|compat|migrations|fuzz(?:ing)?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*[._-](?:test|tests|spec|mock|stories|bench)\.[^/]+"
    r"|[^/]*Tests?\.[^/]+|[^/]*\.d\.[cm]?ts)$"
).search
# What was made from other files that are there too.
_BUILT = re.compile(
    r"(?:^|/)(?:dist|build|out|cjs|esm\d*|umd|bundles?|distribution)/|\.umd\.|\.cjs$"
).search
# What is written for people and for tools, and does nothing by itself.
_WORDED = re.compile(
    r"\.(?:md|rst|txt|adoc|html?|json|ya?ml|toml|xml|cfg|ini|in|am|ac|cmake|mk|po|cabal)$"
    r"|(?:^|/)(?:changes|changelog|readme|license|copying|makefile|news)[^/]*$",
    re.IGNORECASE,
).search
# What people say around a question, and hardly any piece of code is told by.
_SAID_OF_ALL = frozenset(
    tokens(
        "code codebase project repository implementation implement implemented function functions"
        " class classes method methods module logic find show located location defined definition"
        " handle handles handled"
    )
)
_FEWEST = 2
_ASKED_ASIDE = frozenset(
    tokens("test tests testing spec mock fixture example sample demo benchmark bench vendor legacy")
)
_ASKED_WORDED = frozenset(
    tokens(
        "readme changelog docs documentation guide tutorial yaml toml makefile cmake license"
        " dockerfile workflow"
    )
)
_PROSE = frozenset(("section", "block"))
# Of each file so many pieces speak for it, each half as loud as the one before.
_SPEAKING = 6
_QUIETER = 0.5
# What a test or a document says of its file counts so much.
_LESS = 0.4
_identifiers = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*").findall
_capital = re.compile(r"[A-Z][a-z]{2}").match
_looks = re.compile(r"[a-z][A-Z]|_|\d|\.|::|->|^[A-Z]{2,}[a-z]").search
# Further pieces of a file that has one already give way to other files.
_CROWDED = 2.0
_SHORT = 90
# So many times as many as are wanted are looked at, since some of them are near duplicates.
_LOOKED_AT = 3


class Query(Value):
    """A query as it is compared with pieces of code."""

    terms: tuple[str, ...]
    # How much each term says, all together one.
    weights: dict[str, float]
    # The names that it holds, as symbols are looked up.
    symbols: tuple[str, ...]
    # Whether it asks for what is otherwise beside the matter, or for what people read.
    aside: bool
    worded: bool


def symbols(query: str) -> tuple[str, ...]:
    """What of a query may be the name of a symbol, as symbols are looked up.

    >>> symbols("where does parse_config call HTTPServer.start"), symbols("walk"), symbols("a walk")
    (('parse_config', 'start'), ('walk',), ())
    >>> symbols("How does Session work")
    ('session',)
    """
    found = _identifiers(query)
    alone = len(found) == 1 and len(query.split()) == 1
    # A capital begins a sentence; elsewhere it is a name's.
    named = [one for at, one in enumerate(found) if alone or _looks(one) or (at and _capital(one))]
    parts = (re.split(r"\.|::|->|#", one)[-1] for one in named)
    return tuple(dict.fromkeys(records.symbol(part) for part in parts))


def wanted(query: str) -> tuple[str, ...]:
    """The terms of a query, without those that are said of any code, where others are left.

    >>> wanted("where is the function that reads a token"), wanted("find the class")
    (('read', 'token'), ('find', 'class'))
    """
    found = terms(query)
    kept = tuple(term for term in found if term not in _SAID_OF_ALL)
    return kept if len(kept) >= _FEWEST else found


def asked(query: str, corpus: Corpus) -> Query:
    """A query, with how much each of its terms says among the code that there is."""
    found = wanted(query)
    weights = {
        term: idf(often, corpus.documents) if (often := corpus.frequency.get(term, 0)) else _UNKNOWN
        for term in found
    }
    whole = sum(weights.values()) or 1.0
    return Query(
        found,
        {term: weight / whole for term, weight in weights.items()},
        symbols(query),
        not _ASKED_ASIDE.isdisjoint(found),
        not _ASKED_WORDED.isdisjoint(found),
    )


class Evidence(Value):
    """What the words of all candidates say of each, and of the files that they are in."""

    # By number: how well the words fit, by the best of them.
    words: dict[int, float]
    # By project and path: how well all of the file does, by the best of them.
    files: dict[tuple[str, str], float]

    def of(self, record: Record) -> tuple[float, float]:
        """How well a piece fits, and its file."""
        file = self.files.get((record.scope.project, record.source_ref), 0.0)
        return self.words.get(record.seq, 0.0), file


def evidence(query: Query, found: Mapping[int, float], spots: Mapping[int, Spot]) -> Evidence:
    """Weigh what words have found; a file in which much fits is likelier to be meant."""
    best = max(found.values(), default=0.0) or 1.0
    said: dict[tuple[str, str], list[float]] = {}
    for seq in sorted(found, key=lambda seq: (-found[seq], seq)):
        spot = spots[seq]
        said.setdefault((spot.project, spot.source), []).append(found[seq] * _weight(query, spot))
    whole = {
        file: sum(one * _QUIETER**at for at, one in enumerate(some[:_SPEAKING]))
        for file, some in said.items()
    }
    most = max(whole.values(), default=0.0) or 1.0
    return Evidence(
        {seq: score / best for seq, score in found.items()},
        {file: score / most for file, score in whole.items()},
    )


def first(query: Query, known: Evidence, spots: Mapping[int, Spot], most: int) -> list[int]:
    """The candidates that are worth being looked at closely."""

    def promise(seq: int) -> float:
        spot = spots[seq]
        file = known.files[spot.project, spot.source]
        return (known.words[seq] + file) * _weight(query, spot)

    return sorted(known.words, key=lambda seq: (-promise(seq), seq))[:most]


def _weight(query: Query, spot: Spot) -> float:
    """How much a piece counts for its file, by what sort of file that is."""
    weight = 1.0
    if not query.worded and (spot.type in _PROSE or _worded(spot.source)):
        weight *= _LESS
    if not query.aside and (_aside(spot.source) or _built(spot.source)):
        weight *= _LESS
    return weight


def features(query: Query, record: Record, words: float, file: float) -> dict[str, float]:
    """What of a candidate speaks for it, most of it in [0, 1].

    Given are how well its words fit, and those of its whole file, by the best of all.
    """
    place = records.place(record)
    own, path = _tokens(place.name), _tokens(record.source_ref)
    text = record.text.lower()
    joined = text.replace("_", "") if "_" in text else text
    doc = place.doc.lower()
    known = query.weights
    holding = {term for term in query.terms if term in text or term in joined}
    saying = {term for term in query.terms if term in doc} if doc else set()
    prose = record.type in _PROSE
    anywhere = holding | saying | (_tokens(record.title) | path).intersection(query.terms)
    return {
        "words": words,
        "own": _share(known, own),
        "precise": len(own.intersection(query.terms)) / max(1, len(own)),
        "path": _share(known, path),
        "doc": sum(known[term] for term in saying),
        "text": sum(known[term] for term in holding),
        "all": sum(known[term] for term in anywhere),
        "exact": float(record.key in query.symbols),
        "defines": float(record.type in _DEFINITIONS),
        "outside": float(record.type == "module"),
        "later": float(place.part > 1),
        "short": 0.0 if prose else max(0.0, 1 - len(record.text) / _SHORT),
        "aside": 0.0 if query.aside else float(_aside(record.source_ref)),
        "file": file,
        "base": _share(known, _tokens(_stem(record.source_ref))),
        "worded": 0.0 if query.worded else float(prose or _worded(record.source_ref)),
        "built": float(_built(record.source_ref)),
    }


def score(found: Mapping[str, float]) -> float:
    """The features as one number."""
    return sum(WEIGHTS[name] * value for name, value in found.items())


def spread(scores: Mapping[int, float], pieces: Mapping[int, Record], most: int) -> list[int]:
    """The best first, the same text once, and a file that has much to say not all of the answer."""
    said: set[str] = set()
    crowd: dict[tuple[str, str], int] = {}
    placed: list[tuple[float, int]] = []
    for seq in sorted(scores, key=lambda seq: (-scores[seq], seq)):
        if len(placed) >= _LOOKED_AT * most:
            break
        piece = pieces[seq]
        text = " ".join(piece.text.split())
        if text in said:
            continue
        said.add(text)
        file = piece.scope.project, piece.source_ref
        before = crowd.get(file, 0)
        crowd[file] = before + 1
        placed.append((scores[seq] - _CROWDED * log1p(before), seq))
    placed.sort(key=lambda one: (-one[0], one[1]))
    return [seq for _, seq in placed[:most]]


def _share(weights: Mapping[str, float], having: frozenset[str]) -> float:
    return sum(weights[term] for term in weights if term in having)


@lru_cache(8_192)
def _aside(path: str) -> bool:
    return _ASIDE(path) is not None


@lru_cache(8_192)
def _worded(path: str) -> bool:
    return _WORDED(path) is not None


@lru_cache(8_192)
def _built(path: str) -> bool:
    return _BUILT(path) is not None


@lru_cache(8_192)
def _stem(path: str) -> str:
    """The name of a file without its ending."""
    return path.rpartition("/")[2].partition(".")[0]


@lru_cache(16_384)
def _tokens(name: str) -> frozenset[str]:
    return frozenset(tokens(name.replace("/", " / ")))
