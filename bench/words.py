"""Made texts that behave like real ones: topics, a long tail of words, names, numbers, code.

The words are those of the bundled tokenizer, in its order, which is roughly how common they are.
Everything follows from `GENERATOR` and the numbers asked for, so a text is the same everywhere.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from recollect.embed.bundled import WEIGHTS
from recollect.value import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

# Goes up when a change makes other texts, so that stores built from older ones are not used.
GENERATOR = 1
CHUNK = 10_000
TOPICS = 500
VOCABULARY = 30_000
OF_A_TOPIC = 80
PEOPLE = 6
SYMBOLS = 10
NUMBERS = 6_000
LONGEST = 56
SENTENCE = 11

FUNCTION_WORDS = (
    "the of and to in a is that for it was on as with by at from this be are not have which or"
    " were has had been after when they will would there we she he who their its before because"
    " so than then into only over about but can our all more during under while where"
).split()
QUESTION_WORDS = "what when where who how why which does did is".split()
FIRST_NAMES = (
    "Anna Ben Carla Dmitri Elif Farah Goran Hana Ivo Jonas Kofi Lena Marek Nadia Omar Priya Quinn"
    " Rosa Sven Tariq Ulla Vera Wei Ximena Yusuf Zoe Amara Bruno Chloe Deniz"
).split()
ENDINGS = ("ing", "er", "ment", "ness", "al", "ize", "able", "ly")
ONSETS = "b br d f g h k kr l m n p r s st t v w z".split()
VOWELS = "a e i o u ai ou".split()
CODAS = "n r s l m t ck nd rt ".split(" ")


class Lexicon(Value):
    """Every string that a text is made of, and where each sort of them begins."""

    # Plain, then capitalised, then with a full stop; each part `size` long.
    pool: NDArray[np.object_]
    size: int
    functions: int
    people: Ints
    symbols: Ints
    numbers: int
    of_topic: Ints


@cache
def lexicon() -> Lexicon:
    rng = np.random.default_rng([GENERATOR, 1])
    words = _words()
    of_topic = np.array([_drawn(rng, 200, len(words), OF_A_TOPIC) for _ in range(TOPICS)])
    people = _people(rng, TOPICS * PEOPLE)
    symbols = [name for topic in of_topic for name in _symbols(rng, [words[i] for i in topic])]
    parts = [words, FUNCTION_WORDS, people, symbols, _numbers(rng)]
    begins = np.cumsum([0, *map(len, parts)])
    plain = [string for part in parts for string in part]
    pool = [*plain, *(s[0].upper() + s[1:] for s in plain), *(f"{s}." for s in plain)]
    return Lexicon(
        np.array(pool, object),
        len(plain),
        int(begins[1]),
        begins[2] + np.arange(len(people)).reshape(TOPICS, PEOPLE),
        begins[3] + np.arange(len(symbols)).reshape(TOPICS, SYMBOLS),
        int(begins[4]),
        of_topic,
    )


def topics(chunk: int, count: int = CHUNK) -> Ints:
    return np.random.default_rng([GENERATOR, 2, chunk]).integers(0, TOPICS, count)


def texts(chunk: int, count: int = CHUNK, of: Ints | None = None) -> list[str]:
    """Texts of about 40 words. `chunk` names the series; each has a topic of its own."""
    topic = topics(chunk, count) if of is None else of
    rng = np.random.default_rng([GENERATOR, 3, chunk])
    lex = lexicon()
    picked = _picked(rng, topic, LONGEST)
    lengths = np.clip(rng.normal(37, 6, count).astype(int), 20, LONGEST)
    place = np.arange(LONGEST)[None, :] % SENTENCE
    last = (place == SENTENCE - 1) | (np.arange(LONGEST)[None, :] == lengths[:, None] - 1)
    picked += np.where(last, 2 * lex.size, np.where(place == 0, lex.size, 0))
    return [
        " ".join(row[:length].tolist())
        for row, length in zip(lex.pool[picked], lengths, strict=True)
    ]


def queries(series: int, count: int) -> list[str]:
    """Questions of 3 to 10 words, each about one topic; no two are the same."""
    rng = np.random.default_rng([GENERATOR, 4, series])
    lex = lexicon()
    found: dict[str, None] = {}
    while len(found) < count:
        picked = lex.pool[_picked(rng, rng.integers(0, TOPICS, count), 10)]
        for row, length in zip(picked, rng.integers(3, 11, count), strict=True):
            words = row[:length].tolist()
            if rng.random() < 0.5:
                words[0] = QUESTION_WORDS[rng.integers(len(QUESTION_WORDS))]
            found[" ".join(words)] = None
    return list(found)[:count]


def _picked(rng: np.random.Generator, topic: Ints, width: int) -> Ints:
    """The numbers of the strings, one row for each topic named."""
    lex = lexicon()
    shape = (len(topic), width)
    whose = topic[:, None]
    sorts = rng.choice(6, shape, p=[0.36, 0.34, 0.19, 0.05, 0.025, 0.035])
    choices = [
        lex.functions + _zipf(rng, len(FUNCTION_WORDS), shape, 0.7),
        lex.of_topic[whose, _zipf(rng, OF_A_TOPIC, shape, 0.8)],
        _zipf(rng, VOCABULARY, shape, 1.0),
        lex.people[whose, _zipf(rng, PEOPLE, shape, 0.8)],
        lex.symbols[whose, _zipf(rng, SYMBOLS, shape, 0.8)],
        lex.numbers + rng.integers(0, NUMBERS, shape),
    ]
    picked: Ints = np.choose(sorts, choices)
    return picked


def _zipf(rng: np.random.Generator, count: int, shape: tuple[int, int], power: float) -> Ints:
    weights = np.cumsum((np.arange(count) + 3.0) ** -power)
    found = np.searchsorted(weights, rng.random(shape) * weights[-1])
    places: Ints = np.minimum(found, count - 1)
    return places


def _drawn(rng: np.random.Generator, first: int, end: int, count: int) -> Ints:
    """Different words, common ones more often, the most common never."""
    weights = (np.arange(first, end) + 1.0) ** -0.6
    return rng.choice(np.arange(first, end), count, replace=False, p=weights / weights.sum())


def _words() -> list[str]:
    vocabulary = json.loads((WEIGHTS / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    known = sorted(vocabulary, key=vocabulary.__getitem__)
    whole = [w for w in known if w.isascii() and w.isalpha() and len(w) > 2]
    whole = [w for w in whole if w not in FUNCTION_WORDS]
    derived = (w + e for e in ENDINGS for w in whole[3_000:9_000] if not w.endswith(e))
    seen = dict.fromkeys(whole)
    for word in derived:
        if len(seen) == VOCABULARY:
            break
        seen[word] = None
    return list(seen)[:VOCABULARY]


def _people(rng: np.random.Generator, count: int) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < count:
        syllables = [
            rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS)
            for _ in range(rng.integers(2, 4))
        ]
        names[f"{rng.choice(FIRST_NAMES)} {''.join(syllables).capitalize()}"] = None
    return list(names)


def _symbols(rng: np.random.Generator, words: list[str]) -> list[str]:
    """Names out of programs and trackers: snake_case, CamelCase, dotted, numbered."""
    made = []
    for number, (one, two) in enumerate(pairwise(words[: SYMBOLS + 1])):
        made.append(
            (
                f"{one}_{two}",
                f"{one.capitalize()}{two.capitalize()}",
                f"{one}.{two}.py",
                f"{one[:3].upper()}-{rng.integers(100, 9999)}",
            )[number % 4]
        )
    return made


def _numbers(rng: np.random.Generator) -> list[str]:
    sorts = (
        lambda n: str(n % 1000),
        lambda n: f"{n % 90}.{n % 7}.{n % 13}",
        lambda n: f"2025-{1 + n % 12:02}-{1 + n % 28:02}",
        lambda n: f"{n / 10:.1f} %",
        lambda n: f"{8000 + n % 2000}",
        lambda n: f"{n} ms",
    )
    drawn = rng.integers(1, 5_000, NUMBERS).tolist()
    return [sorts[i % len(sorts)](n) for i, n in enumerate(drawn)]
