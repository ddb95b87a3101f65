"""Definitions come before uses, what is asked for by name first, what is beside the matter last."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.model import Author, AuthorKind, Corpus, Scope, Spot
from recollect.rules.code import rank, records
from recollect.rules.code.pieces import Piece
from recollect.value import replace

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CORPUS = Corpus(1_000, 0.0, {"parse": 40, "config": 30, "file": 200})


def piece(name, text, path="src/app.py", seq=0, **more):
    made = Piece(
        **({"type": "function", "qualified": name} | more), name=name, start=1, end=9, text=text
    )
    record = records.piece(
        made, path, "python", f"code_{seq}", Scope(project="p"), Author(AuthorKind.HUMAN), NOW
    )
    return replace(record, seq=seq)


def score(query, record, words=0.5):
    return rank.score(rank.features(rank.asked(query, CORPUS), record, words, words))


def test_a_definition_comes_before_what_only_calls_it():
    defined = piece("parse_config", "def parse_config(file): ...")
    using = piece("main", "def main(): parse_config(open('config file'))")
    for query in ("parse_config", "parse config file", "where is parse_config defined"):
        assert score(query, defined) > score(query, using)


def test_a_symbol_counts_wherever_its_name_is_split():
    assert rank.symbols("fix HTTPServer::handle_request please") == ("handle_request",)
    assert rank.symbols("utils.readLines") == ("readlines",)
    assert rank.symbols("how are lines read") == ()
    assert rank.symbols("walk") == ("walk",)
    wanted = piece("readLines", "function readLines() {}")
    assert score("readLines", wanted) > score("readLines", piece("read", "function read() {}"))


def test_tests_and_vendored_code_come_last_unless_asked_for():
    source = piece("parse_config", "def parse_config(): ...")
    for path in ("tests/test_app.py", "vendor/lib/app.py", "src/app.spec.ts", "types/app.d.ts"):
        aside = replace(source, source_ref=path)
        assert score("parse config", aside) < score("parse config", source)
    test = replace(source, source_ref="tests/test_app.py")
    assert score("test of parse config", test) > score("test of parse config", source)


def test_what_is_said_over_a_piece_and_where_it_is_counts():
    plain = piece("run", "def run(): ...")
    told = piece("run", "def run(): ...", doc="Parse the config file.")
    placed = piece("run", "def run(): ...", path="src/config/parse.py")
    assert score("parse config", told) > score("parse config", plain)
    assert score("parse config", placed) > score("parse config", plain)


def test_the_same_text_is_shown_once_and_one_file_does_not_take_all_places():
    same = [piece("f", "def f(): pass", f"src/{n}.py", seq=n) for n in range(3)]
    crowd = [piece(f"g{n}", f"def g{n}(): pass", "src/big.py", seq=10 + n) for n in range(6)]
    other = piece("h", "def h(): pass", "src/other.py", seq=20)
    pieces = {one.seq: one for one in (*same, *crowd, other)}
    scores = {one.seq: 5.0 - at / 100 for at, one in enumerate((*same, *crowd))} | {20: 4.8}
    order = rank.spread(scores, pieces, 5)
    assert order[0] == 0
    assert not {1, 2} & {*order}
    assert 20 in order
    assert len(order) == 5


def test_a_file_in_which_much_fits_comes_before_one_piece_that_fits_as_well():
    query = rank.asked("parse config file", CORPUS)
    spots = {
        seq: Spot("p", path, type_)
        for seq, path, type_ in (
            (1, "src/alone.py", "function"),
            (2, "src/app.py", "function"),
            (3, "src/app.py", "method"),
            (4, "tests/test_app.py", "function"),
            (5, "tests/test_app.py", "function"),
            (6, "README.md", "section"),
            (7, "dist/app.js", "function"),
        )
    }
    found = dict.fromkeys(spots, 4.0) | {3: 3.0}
    known = rank.evidence(query, found, spots)
    assert known.words[1] == 1.0
    assert max(known.files, key=known.files.__getitem__) == ("p", "src/app.py")
    assert known.files["p", "src/alone.py"] > known.files["p", "tests/test_app.py"]
    assert known.files["p", "src/alone.py"] > known.files["p", "README.md"]
    assert known.files["p", "src/alone.py"] > known.files["p", "dist/app.js"]
    assert set(rank.first(query, known, spots, 3)) == {1, 2, 3}
    asked = rank.asked("readme of parse config", CORPUS)
    assert rank.evidence(asked, found, spots).files["p", "README.md"] > 0.5
    tests = rank.asked("tests of parse config", CORPUS)
    assert rank.evidence(tests, found, spots).files["p", "tests/test_app.py"] > 0.9
    assert rank.evidence(query, {}, {}).files == {}
