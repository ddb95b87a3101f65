from __future__ import annotations

import sqlite3
from collections import Counter
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Corpus
from recollect.rules.bm25 import idf, score, selective

vocabulary = st.sampled_from([f"w{number}" for number in range(8)])
documents = st.lists(st.lists(vocabulary, min_size=1, max_size=12), min_size=1, max_size=12)


def corpus_of(texts):
    frequency = Counter(term for text in texts for term in set(text))
    return Corpus(len(texts), sum(map(len, texts)) / len(texts), dict(frequency))


def fts5(texts, terms):
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='ascii')")
    index.executemany("INSERT INTO words VALUES (?)", [(" ".join(text),) for text in texts])
    query = " OR ".join(f'"{term}"' for term in terms)
    found = index.execute(
        "SELECT rowid - 1, -bm25(words) FROM words WHERE words MATCH ?", (query,)
    ).fetchall()
    index.close()
    return dict(found)


@given(documents, st.lists(vocabulary, min_size=1, max_size=4, unique=True))
def test_scores_are_those_of_fts5(texts, terms):
    corpus = corpus_of(texts)
    theirs = fts5(texts, terms)
    for place, text in enumerate(texts):
        assert isclose(score(terms, text, corpus), theirs.get(place, 0.0), abs_tol=1e-6)


@given(documents, st.lists(vocabulary, max_size=4))
def test_a_text_scores_above_nothing_exactly_when_it_has_a_term(texts, terms):
    corpus = corpus_of(texts)
    for text in texts:
        assert (score(terms, text, corpus) > 0) == bool(set(terms) & set(text))


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 1000))
def test_a_rarer_term_never_says_less(one, other, more):
    low, high = sorted((one, other))
    assert idf(low, high + more) >= idf(high, high + more) > 0


def test_an_empty_corpus_scores_nothing():
    empty = Corpus(0, 0.0, {})
    assert score(["a"], [], empty) == 0
    assert score(["a"], ["a"], empty) > 0
    assert selective(["a"], empty) == ()


@given(
    st.dictionaries(vocabulary, st.integers(0, 100)),
    st.lists(vocabulary, max_size=6),
    st.floats(0, 1),
    st.integers(0, 100),
)
def test_the_selective_terms_are_rare_known_and_in_order(frequency, terms, share, floor):
    chosen = selective(terms, Corpus(100, 5.0, frequency), share, floor)
    known = {term for term in terms if frequency.get(term)}
    often = [frequency[term] for term in chosen]
    assert often == sorted(often)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= known
    assert bool(chosen) == bool(known)
    most = max(share * 100, floor)
    left_out = sorted(frequency[term] for term in known - set(chosen))
    assert sum(often) <= most or len(chosen) == 1
    assert all(sum(often) + count > most for count in left_out[:1] if len(chosen) > 1)


def test_common_terms_of_a_large_corpus_do_not_select():
    corpus = Corpus(100_000, 40.0, {"the": 90_000, "backup": 2_000, "anna": 400, "of": 5_001})
    assert selective(["the", "backup", "anna", "gone", "of"], corpus) == ("anna", "backup")
    assert selective(["the", "of"], corpus) == ("of",)
