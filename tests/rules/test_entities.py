from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.entities import LONGEST, MOST_NAMES, MOST_PHRASES, key, names, phrases

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=120)
english = st.lists(
    st.sampled_from(
        ["Anna", "likes", "the", "Berlin", ".", "a", "tea's", "src/a.py", "`x_y`", "U"]
    ),
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("nothing is named here, not even once.", ()),
        ("Caroline told Melanie about it", ("Caroline", "Melanie")),
        ("Caroline: Hey Mel! Good to see you!", ("Caroline", "Mel")),
        ("Yesterday Anna Smith met Bob. Then she left.", ("Anna Smith", "Bob")),
        ("The New York office; New York again", ("New York",)),
        ("We saw the University of Oxford", ("University of Oxford",)),
        ("I think I'm fine, said I. Don't worry, We'll see on Monday in May", ()),
        ("Fixed it. Running tests. Hmm. Woohoo! Well-known facts.", ()),
        ("ask Anna's mother about O'Brien\u2019s dog", ("Anna", "O'Brien")),
        ("Caroline'll come", ("Caroline",)),
        ("NASA and AWS, but DO NOT SHOUT AT ME", ("NASA", "AWS")),
        (
            "so they use Python 3.11, GPT-4, C++, C# and Node.js",
            ("Python", "GPT-4", "C++", "C#", "Node.js"),
        ),
        ("run `fetch_user()` not `rm -rf x`", ("fetch_user",)),
        (
            "set max_pool_size and maxPoolLag in app.config",
            ("max_pool_size", "maxPoolLag", "app.config"),
        ),
        (
            "see src/app/users.py or ~/notes and docs/adr/ but not and/or, /help",
            ("src/app/users.py", "~/notes", "docs/adr/"),
        ),
        ("at https://user@api.example.com:80/v2/Users?x=Y now", ("api.example.com",)),
        (
            "ask @anna-b or anna@example.com about #perf and #12",
            ("anna-b", "anna@example.com", "perf"),
        ),
        ('we read "The Art of War" and "Becoming Nicole"', ("The Art of War", "Becoming Nicole")),
        ('she said "Hello there, Anna" and "Stop!" and "lower"', ("Anna",)),
        ("- Anna\n* Use Docker\n\u2022 Check", ("Anna", "Docker")),
        ("Анна живёт в Берлине, Élodie в Čáslav", ("Анна", "Берлине", "Élodie", "Čáslav")),
        ("a 3D print of McDonald", ("McDonald",)),
        ("I of the", ()),
        ("we like Anna The", ("Anna",)),
        ("One Two Three Four Five Six Seven Eight", ()),
        ("it was `" + "x" * 81 + "`", ()),
    ],
)
def test_a_text_names_what_its_shape_says(text, expected):
    assert names(text) == expected


@given(anything)
def test_names_are_few_short_distinct_and_in_the_text(text):
    found = names(text)
    keys = [key(name) for name in found]
    assert len(found) <= MOST_NAMES
    assert len(set(keys)) == len(keys)
    assert all(keys)
    assert all(name in text and len(name) <= LONGEST for name in found)


@given(english)
def test_a_name_is_among_the_phrases_unless_it_is_long(text):
    said = phrases(text)
    assert all(key(name) in said for name in names(text) if name.isalpha())


def test_no_more_than_sixteen_are_named():
    text = " and ".join(f"met Anna{chr(ord('a') + number)}" for number in range(20))
    assert len(names(text)) == MOST_NAMES


@given(anything)
def test_a_key_is_its_own_key(name):
    assert key(key(name)) == key(name)


@given(st.text(st.characters(codec="utf-8", max_codepoint=0x24F), max_size=20))
def test_a_key_is_the_same_in_any_case_and_spacing(name):
    assert key(name.lower()) == key(name)
    assert key(f"  {name}\n") == key(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Anna's", "anna"),
        ("Anna\u2019s", "anna"),
        ("boss'", "boss"),
        ("Ｐｙｔｈｏｎ", "python"),
        ("New\n York", "new york"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("'s", ""),
        ("C++", "c++"),
    ],
)
def test_a_key_folds_what_does_not_tell_apart(name, expected):
    assert key(name) == expected


@given(st.lists(st.sampled_from(["anna", "Smith", "the", "node.js", "x's", "tea,"]), max_size=9))
def test_phrases_are_windows_of_up_to_three_words(words):
    said = phrases(" ".join(words))
    assert len(said) == len(set(said))
    assert all(1 <= len(phrase.split()) <= 3 for phrase in said)
    assert "the" not in said


@given(anything)
def test_phrases_are_at_most_so_many(text):
    assert len(phrases(text)) <= MOST_PHRASES
    assert len(phrases(text, 5)) <= 5


def test_a_known_name_is_found_in_lower_case():
    said = phrases("did you ask new york's city council, or @anna about c++?")
    assert {"new york", "new york's city", "anna", "c++"} <= set(said)
    assert phrases("x" * 100) == ()


@pytest.mark.parametrize(
    "unit",
    [
        "Ab ",
        "a.b.",
        "A.B-",
        "a_",
        "__",
        "/a",
        "aB",
        "'s",
        '"A ',
        "@a",
        "`",
        "a@",
        "A of ",
        "\ud800",
    ],
)
def test_a_megabyte_of_anything_is_read_without_delay(unit):
    text = unit * (1_000_000 // len(unit))
    names(text)
    phrases(text)
