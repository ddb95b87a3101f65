"""Finding pieces of code by their words, in one project or in all, whichever store is searched."""

from __future__ import annotations

import pytest

from recollect.model import Kind, Scope, Where
from tests.store.build import keep, record

CODE = (Kind.CODE,)
ALL = Where(kinds=CODE)


def piece(id_, project, text, user=""):
    return record(
        id_,
        text,
        kind=Kind.CODE,
        scope=Scope(user=user, project=project),
        type="function",
        title=id_,
        key=id_,
        source_ref=f"src/{id_}.py",
        facts=f'{{"name": "{id_}", "lines": [1, 2]}}',
    )


@pytest.fixture
def filled(store):
    keep(store, piece("one", "atlas", "parse apples"), piece("two", "atlas", "parse pears"))
    keep(store, piece("three", "harbour", "parse apples and apples"))
    # One of the first project comes last, as when its file was changed.
    keep(store, piece("four", "atlas", "count apples"), record("said", "parse apples"))
    keep(store, piece("five", "atlas", "parse apples", user="ann"))
    return store


def found(store, where, *terms):
    with store.reading() as reader:
        candidates = reader.matching_code(terms, where, 10)
        rows = reader.rows([one.seq for one in candidates])
    return {rows[one.seq].id for one in candidates}


def test_a_search_in_one_project_finds_that_projects_pieces(filled):
    assert found(filled, ALL, "appl") == {"one", "three", "four", "five"}
    assert found(filled, Where(project="atlas", kinds=CODE), "appl") == {"one", "four", "five"}
    assert found(filled, Where(user="", project="atlas", kinds=CODE), "appl") == {"one", "four"}
    assert found(filled, Where(project="harbour", kinds=CODE), "appl") == {"three"}
    assert found(filled, Where(project="nowhere", kinds=CODE), "appl") == set()
    assert found(filled, Where(project="harbour", kinds=CODE), "pear") == set()


def test_how_often_words_are_is_told_of_the_project_that_is_searched(filled):
    terms = ("pars", "appl", "pear", "unheard")
    with filled.reading() as reader:
        everywhere = reader.corpus_of_code(terms, ALL)
        assert everywhere.documents == 5
        assert everywhere.frequency == {"pars": 4, "appl": 4, "pear": 1, "unheard": 0}
        harbour = reader.corpus_of_code(terms, Where(project="harbour", kinds=CODE))
        assert harbour.documents == 1
        assert harbour.frequency == {"pars": 1, "appl": 1, "pear": 0, "unheard": 0}
        nowhere = reader.corpus_of_code(terms, Where(project="nowhere", kinds=CODE))
        assert (nowhere.documents, set(nowhere.frequency.values())) == (0, {0})
        again = reader.corpus_of_code(terms, Where(project="harbour", kinds=CODE))
        assert again == harbour


def test_where_pieces_are_is_told_without_their_texts(filled):
    with filled.reading() as reader:
        seqs = {one.id: one.seq for one in reader.page(ALL, 10)}
        spots = reader.spots([seqs["one"], seqs["three"]])
        assert reader.spots([]) == {}
    assert spots[seqs["one"]] == ("atlas", "src/one.py", "function")
    assert spots[seqs["three"]].project == "harbour"
    assert len(spots) == 2
