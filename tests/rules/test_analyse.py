from __future__ import annotations

import re
import sqlite3
import time
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Author, AuthorKind, Kind, Record, Scope
from recollect.rules import analyse
from recollect.rules.analyse import passage, stem, terms, tokens
from recollect.rules.lately import LONGEST, MOST

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=200)
words = st.from_regex("[A-Za-z]{1,12}", fullmatch=True)
WHEN = datetime(2026, 2, 12, tzinfo=UTC)


def record(text, title="", speaker=""):
    author = Author(AuthorKind.HUMAN)
    return Record(
        "m1",
        Kind.MEMORY,
        Scope(),
        author,
        text,
        WHEN,
        WHEN,
        WHEN,
        WHEN,
        title=title,
        speaker=speaker,
    )


@given(anything)
def test_a_token_is_never_empty_nor_long_nor_changed_by_the_index(text):
    for token in tokens(text):
        assert 0 < len(token) <= LONGEST
        assert not re.search(r"[\x00-/:-`{-\x7f]", token)
        token.encode()


@given(st.lists(anything, max_size=5))
def test_a_line_break_always_parts_words(texts):
    apart = [token for text in texts for token in tokens(text)]
    assert tokens("\n".join(texts)) == apart


@given(words)
def test_one_word_is_the_same_in_any_case(word):
    assert tokens(word.lower()) == tokens(word.upper()) == tokens(word.capitalize())


@given(st.text(st.characters(codec="utf-8", max_codepoint=0x24F), max_size=60))
def test_composed_and_decomposed_text_are_the_same(text):
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert tokens(composed) == tokens(apart)


@given(anything)
def test_the_memo_changes_nothing(text):
    warm = tokens(text)
    analyse._memo.clear()
    assert tokens(text) == warm


@given(st.lists(st.tuples(words, words), min_size=1, max_size=3))
def test_an_identifier_is_found_in_any_spelling(pairs):
    parts = [part.lower() for pair in pairs for part in pair]
    whole = tokens("_".join(parts))[-1]
    for spelling in ("-".join(parts), ".".join(parts), "".join(parts)):
        assert whole in tokens(spelling)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n.,-'_", []),
        ("maxPoolLag", ["max", "pool", "lag", "maxpoollag"]),
        ("MAX_POOL_LAG", ["max", "pool", "lag", "maxpoollag"]),
        ("max-pool-lag", ["max", "pool", "lag", "maxpoollag"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("os.path.join", ["os", "path", "join", "ospathjoin"]),
        ("__init__", ["init"]),
        ("python3.11", ["python", "3", "11", "python311"]),
        ("SHA256 sha256", ["sha", "256", "sha256", "sha", "256", "sha256"]),
        ("a3f9c2", ["a3f9c2"]),
        ("3rd", ["3rd"]),
        ("1,000,000", ["1000000"]),
        ("red,green", ["red", "green"]),
        ("2023-05-08", ["2023", "05", "08", "20230508"]),
        ("user's users' USER\u2019S", ["user", "user", "user"]),
        ("don't we'll I'm", ["dont", "we", "i"]),
        ("O'Brien", ["o", "brien", "obrien"]),
        ("café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("Straße Łódź Ærø", ["strass", "lodz", "aero"]),
        ("ﬁle Ｗｉｄｅ ①", ["file", "wide", "1"]),
        ("well\u2014known wait\u2026what", ["well", "known", "wait", "what"]),
        ("soft\u00adware", ["softwar"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("Привет-мир", ["привет", "мир", "приветмир"]),
        ("ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]),
        ("مُحَمَّد العربية", ["مُحَمَّد", "العربية"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("猫が", ["猫", "猫が"]),
        ("カ\u3099キ", ["ガキ"]),
        ("ｶﾞｷ", ["ガキ"]),
        ("한국어", ["한국", "국어"]),
        ("東京・大阪。京都", ["東京", "大阪", "京都"]),
        ("iPhoneを買う", ["i", "phone", "iphon", "買", "を買", "買う"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ที่นี่", ["ที่นี่"]),
        ("🎉👩\u200d💻 ok 1\ufe0f\u20e3", ["ok", "1"]),
        ("a\x00b\x1fc", ["a", "b", "c"]),
        ("ab\ud800cd \udfff", ["ab", "cd"]),
        ("x" * 100, ["x" * LONGEST]),
    ],
)
def test_text_of_every_kind_has_its_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("stemmed", "forms"),
    [
        ("city", ["city", "cities"]),
        ("run", ["run", "runs", "running"]),
        ("hope", ["hope", "hopes", "hoped", "hoping"]),
        ("migrat", ["migrate", "migrates", "migrated", "migrating", "migration", "migrations"]),
        ("box", ["box", "boxes"]),
        ("class", ["class", "classes"]),
        ("instal", ["install", "installs", "installed", "installing"]),
        ("control", ["control", "controlled", "controlling"]),
        ("agre", ["agree", "agrees", "agreed", "agreeing"]),
        ("study", ["study", "studies", "studied", "studying"]),
        ("die", ["die", "dies", "died"]),
        ("use", ["use", "uses", "used", "using"]),
        ("see", ["see", "sees", "seeing"]),
        ("add", ["add", "adds", "added", "adding"]),
        ("need", ["need", "needs", "needed"]),
    ],
)
def test_the_forms_of_a_word_meet_in_one_stem(stemmed, forms):
    assert {stem(form) for form in forms} == {stemmed}


@pytest.mark.parametrize(
    "word", ["bus", "this", "class", "thing", "bring", "red", "utf8", "naïves"]
)
def test_a_word_that_only_looks_inflected_stays_as_it_is(word):
    assert stem(word) == word


def test_a_query_loses_its_stop_words_and_repetitions():
    assert terms("What was the backup of Anna's backups?") == ("backup", "anna")
    assert terms("the THE") == ("the",)
    assert terms("?!") == ()


@pytest.mark.parametrize(
    ("title", "speaker", "expected"),
    [
        ("", "", "likes tea"),
        ("Tea", "", "Tea. likes tea"),
        ("", "Anna", "Anna: likes tea"),
        ("Tea", "Anna", "Anna: Tea. likes tea"),
        ("likes", "Anna", "Anna: likes tea"),
    ],
)
def test_a_passage_names_speaker_and_title_once(title, speaker, expected):
    assert passage(record("likes tea", title, speaker)) == expected


def test_the_index_keeps_every_token_as_it_is():
    text = "Café's maxPoolLag_v2 東京都 हिन्दी Привет ที่นี่ user's 3.11"
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='ascii')")
    index.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(words, row)")
    index.execute("INSERT INTO words VALUES (?)", (" ".join(tokens(text)),))
    kept = {row[0] for row in index.execute("SELECT term FROM seen")}
    index.close()
    assert kept == set(tokens(text))


@pytest.mark.parametrize(
    "unit",
    [
        "word ",
        "x",
        "a.",
        "Ab",
        "1,000",
        "東京都に行く。",
        "\u0316\u0301",
        "e\u0301\u0316",
        "\ufdfa",
        "ที่",
        "\ud800",
        "'s",
        "AAAa1",
        "unique{} ",
    ],
)
def test_a_megabyte_of_anything_takes_about_a_second_at_most(unit):
    size = len(unit.encode(errors="surrogatepass"))
    text = "".join(unit.replace("{}", str(n)) for n in range(1_000_000 // size))
    started = time.perf_counter()
    tokens(text)
    # Ten times what it takes on a slow machine: this is about growth, not about speed.
    assert time.perf_counter() - started < 10


def test_the_memo_does_not_grow_without_bound():
    tokens(" ".join(f"word{number}" for number in range(MOST + 10)))
    assert len(analyse._memo) <= MOST
