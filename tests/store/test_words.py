"""Finding by words, whichever store is searched."""

from __future__ import annotations

import pytest

from recollect.model import Entry, Kind, Scope, Where
from recollect.rules import analyse, bm25
from tests.store.build import ANY, HOUR, NOON, apply, get, keep, record, update

TEXTS = {
    "a": "the apple fell from the apple tree",
    "b": "an apple a day",
    "c": "the pear tree",
    "d": "no fruit at all in this rather longer text about the weather and the sea",
    "e": "a tree is a tree is a tree",
}

(APPLE, PLUM) = map(analyse.tokens, ("apple", "plum"))


def fill(store):
    keep(store, *(record(id_, text) for id_, text in TEXTS.items()))


def found(store, words, where=ANY, limit=100):
    with store.reading() as reader:
        candidates = reader.matching(analyse.tokens(words), where, limit)
        rows = reader.rows([c.seq for c in candidates])
    return [rows[c.seq].id for c in candidates]


def test_records_with_any_of_the_terms_are_found(store):
    fill(store)
    assert set(found(store, "apple")) == {"a", "b"}
    assert set(found(store, "apple pear")) == {"a", "b", "c"}
    assert set(found(store, "apple unheard")) == {"a", "b"}


def test_words_that_nobody_said_find_nothing(store):
    fill(store)
    assert found(store, "unheard") == []
    assert found(store, "") == []


@pytest.mark.parametrize("words", ["apple", "tree", "apple tree", "the apple sea", "tree the"])
def test_scores_are_the_bm25_of_the_terms_best_first(store, words):
    fill(store)
    terms = analyse.tokens(words)
    with store.reading() as reader:
        corpus = reader.corpus(terms)
        candidates = reader.matching(terms, ANY, 100)
        rows = reader.rows([c.seq for c in candidates])
    for candidate in candidates:
        document = analyse.tokens(analyse.passage(rows[candidate.seq]))
        assert candidate.score == pytest.approx(bm25.score(terms, document, corpus), rel=1e-6)
    assert candidates == sorted(candidates, key=lambda c: -c.score)


def test_equal_scores_stand_in_the_order_of_their_numbers(store):
    keep(store, *(record(id_, "the same") for id_ in "bca"), record("x", "else"))
    assert found(store, "same") == ["b", "c", "a"]
    assert found(store, "same", limit=2) == ["b", "c"]


def test_the_limit_keeps_the_best(store):
    fill(store)
    best = found(store, "apple tree")
    assert found(store, "apple tree", limit=2) == best[:2]


def test_the_filter_comes_before_the_limit(store):
    fill(store)
    keep(store, record("z", "apple " + "filler " * 50, session="s1"))
    assert found(store, "apple", Where(session="s1"), limit=1) == ["z"]


def test_title_and_speaker_are_found_too(store):
    keep(store, record("a", "text", title="Heading", speaker="Nadia"))
    assert found(store, "heading") == found(store, "nadia") == ["a"]


def test_words_of_any_script_are_found(store):
    keep(store, record("a", "我们住在东京都"), record("b", "Ärger im Café"), record("c", "שלום"))
    assert found(store, "东京") == ["a"]
    assert found(store, "cafe") == ["b"]
    assert found(store, "שלום") == ["c"]


@pytest.mark.parametrize("query", ['"', "NEAR(a b)", "apple*", "a OR", "-apple", "tokens:apple"])
def test_no_query_is_a_command(store, query):
    fill(store)
    assert set(found(store, query)) <= set(TEXTS)


@pytest.mark.parametrize("term", ['"', "NEAR", "NOT", "a b", "*", "apple*", "^apple", ""])
def test_not_even_a_term_that_no_analyser_makes_is_a_command(store, term):
    fill(store)
    with store.reading() as reader:
        assert reader.matching([term], ANY, 9) == []
        assert reader.corpus([term]).frequency == {term: 0}


def test_an_updated_text_is_found_by_its_new_words_only(store):
    fill(store)
    update(store, "a", text="a plum")
    assert found(store, "plum") == ["a"]
    assert found(store, "apple") == ["b"]
    update(store, "a", confidence=0.5)
    assert found(store, "plum") == ["a"]


def test_closed_records_are_still_found_by_who_asks_for_them(store):
    fill(store)
    update(store, "a", valid_until=NOON + HOUR)
    assert found(store, "apple") == found(store, "apple", Where(at=NOON))
    assert found(store, "apple", Where(at=NOON + HOUR)) == ["b"]


def test_an_entity_has_no_words(store):
    keep(store, record("a", "apple", kind=Kind.ENTITY, key="apple"))
    update(store, "a", text="pear")
    assert found(store, "apple pear") == []
    with store.reading() as reader:
        assert reader.corpus(["apple"]).documents == 0


def test_the_corpus_of_an_empty_store_is_empty(store):
    with store.reading() as reader:
        corpus = reader.corpus(["apple"])
    assert (corpus.documents, corpus.average_length) == (0, 0)
    assert corpus.frequency == {"apple": 0}


def test_the_corpus_counts_all_texts_of_all_tenants(store):
    fill(store)
    keep(store, record("f", "apple sauce", scope=Scope("acme"), valid_until=NOON))
    lengths = [len(analyse.tokens(text)) for text in (*TEXTS.values(), "apple sauce")]
    with store.reading() as reader:
        corpus = reader.corpus(iter([*APPLE, "unheard"]))
    assert corpus.documents == 6
    assert corpus.average_length == pytest.approx(sum(lengths) / 6)
    assert corpus.frequency == {APPLE[0]: 3, "unheard": 0}


def test_the_corpus_follows_updates_and_forgetting(store):
    fill(store)
    update(store, "a", text="a plum")
    apply(store, forget=("d", "e"))
    lengths = [len(analyse.tokens(text)) for text in ("a plum", TEXTS["b"], TEXTS["c"])]
    with store.reading() as reader:
        corpus = reader.corpus([*APPLE, *PLUM])
    assert corpus.documents == 3
    assert corpus.average_length == pytest.approx(sum(lengths) / 3)
    assert corpus.frequency == dict.fromkeys([*APPLE, *PLUM], 1)


def test_a_text_without_words_is_kept_and_counted(store):
    apply(store, insert=(Entry(record("a", "!?")), Entry(record("b", "apple"))))
    with store.reading() as reader:
        assert reader.corpus([]).documents == 2
    assert get(store, "a").text == "!?"
    assert found(store, "apple") == ["b"]
