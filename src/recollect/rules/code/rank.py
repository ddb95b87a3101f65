"""Which pieces of code fit a query best: names, paths and comments weighed as programmers do.

What is measured of a candidate is a number of features; their weights were learned on the
docstrings of installed packages, those of half of them, and hold on the other half.
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

    from recollect.model import Corpus, Record

# So many a feature each; the names are those of `features`.
WEIGHTS = {
    "words": 2.6,
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
    "aside": -1.0,
}
# What nearness in the graph to the best counts beside these, and the cosine of the meanings, of
# which a tenth is much.
LINKED = 2.2
MEANING = 45.0
# What an unknown word counts beside those that some piece has.
_UNKNOWN = 7.0
_DEFINITIONS = frozenset(
    """
    function method constructor class struct interface trait enum type macro protocol record
    object impl extension message service contract
    """.split()
)
# Folders of what is beside the matter, unless that is what was asked for.
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|testdata|fixtures?|mocks?|e2e|benchmarks?|bench"
    r"|examples?|samples?|demos?|docs?|vendor|vendored|_vendor|third_party|thirdparty|external"
    r"|extern|deps|legacy|compat|migrations)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*[._-](?:test|tests|spec|mock|stories)\.[^/]+"
    r"|[^/]*Tests?\.[^/]+|[^/]*\.d\.ts)$"
).search
_ASKED_ASIDE = frozenset(
    tokens("test tests testing spec mock fixture example sample demo benchmark bench vendor legacy")
)
_PROSE = frozenset(("section", "block"))
_identifiers = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*").findall
_looks = re.compile(r"[a-z][A-Z]|_|\d|\.|::|->|^[A-Z]{2,}[a-z]").search
# The second and third piece of one file are welcome, further ones less and less.
_WELCOME = 2
_CROWDED = 0.35
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
    # Whether it asks for what is otherwise beside the matter.
    aside: bool


def symbols(query: str) -> tuple[str, ...]:
    """What of a query may be the name of a symbol, as symbols are looked up.

    >>> symbols("where does parse_config call HTTPServer.start"), symbols("walk"), symbols("a walk")
    (('parse_config', 'start'), ('walk',), ())
    """
    found = _identifiers(query)
    alone = len(found) == 1 and len(query.split()) == 1
    named = [one for one in found if alone or _looks(one)]
    parts = (re.split(r"\.|::|->|#", one)[-1] for one in named)
    return tuple(dict.fromkeys(records.symbol(part) for part in parts))


def asked(query: str, corpus: Corpus) -> Query:
    """A query, with how much each of its terms says among the code that there is."""
    found = terms(query)
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
    )


def features(query: Query, record: Record, words: float) -> dict[str, float]:
    """What of a candidate speaks for it, most of it in [0, 1]. `words` is its BM25 by the best."""
    place = records.place(record)
    own, path = _tokens(place.name), _tokens(record.source_ref)
    text = record.text.lower()
    joined = text.replace("_", "") if "_" in text else text
    doc = place.doc.lower()
    known = query.weights
    holding = {term for term in query.terms if term in text or term in joined}
    saying = {term for term in query.terms if term in doc} if doc else set()
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
        "short": 0.0 if record.type in _PROSE else max(0.0, 1 - len(record.text) / _SHORT),
        "aside": 0.0 if query.aside else float(_aside(record.source_ref)),
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
        placed.append((scores[seq] - _CROWDED * log1p(max(0, before - _WELCOME + 1)), seq))
    placed.sort(key=lambda one: (-one[0], one[1]))
    return [seq for _, seq in placed[:most]]


def _share(weights: Mapping[str, float], having: frozenset[str]) -> float:
    return sum(weights[term] for term in weights if term in having)


@lru_cache(8_192)
def _aside(path: str) -> bool:
    return _ASIDE(path) is not None


@lru_cache(16_384)
def _tokens(name: str) -> frozenset[str]:
    return frozenset(tokens(name.replace("/", " / ")))
