from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidRequest
from recollect.rules import check

objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=8,
    ),
    max_size=4,
)
printable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80)
WHEN = datetime(2026, 2, 12, tzinfo=UTC)


@given(printable.filter(str.strip))
def test_a_text_is_kept_to_the_byte(value):
    assert check.text(value) is value


@pytest.mark.parametrize(
    "value",
    [
        "שלום עולם",
        "東京都に住む",
        "مرحبا",
        "👩\u200d💻",
        "  indented\r\n\ttext\x07",
        "x" * 1_048_576,
    ],
)
def test_a_text_of_any_script_or_a_megabyte_is_kept(value):
    assert check.text(value) == value


@pytest.mark.parametrize(
    ("value", "message", "facts"),
    [
        ("", "text is empty", {}),
        (" \n\t\u3000", "text is empty", {}),
        ("a\0b", "NUL at character 1", {"position": 1}),
        ("ab\ud83d", r"U\+D83D\) at character 2", {"position": 2}),
        ("x" * 2_000_001, "2000001 characters; at most 2000000", {}),
    ],
)
def test_a_text_that_would_not_come_back_whole_is_refused_and_says_why(value, message, facts):
    with pytest.raises(InvalidRequest, match=message) as refused:
        check.text(value)
    assert refused.value.facts == {"field": "text", **facts}


def test_a_line_may_be_empty_but_not_long():
    assert check.line("", "title") == ""
    with pytest.raises(InvalidRequest, match="title has 1001 characters"):
        check.line("x" * 1001, "title")


@given(st.floats(0, 1))
def test_a_number_from_zero_to_one_passes(value):
    assert check.unit("confidence", value) == value


@pytest.mark.parametrize("value", [-0.001, 1.001, nan, inf, -inf, 10**400])
def test_any_other_number_is_refused_by_name(value):
    with pytest.raises(InvalidRequest, match=r"confidence is .*from 0 to 1"):
        check.unit("confidence", value)


@pytest.mark.parametrize(("value", "passes"), [(0, False), (1, True), (9, True), (10, False)])
def test_a_count_is_at_least_one_and_at_most_the_limit(value, passes):
    if passes:
        assert check.positive("limit", value, 9) == value
    else:
        with pytest.raises(InvalidRequest, match=r"limit is .* from 1 to 9"):
            check.positive("limit", value, 9)


@given(objects)
def test_an_object_keeps_its_content_and_its_shortest_form(value):
    try:
        short = check.json_object("metadata", json.dumps(value, indent=2))
    except InvalidRequest as refused:
        assert "surrogate" in str(refused)  # noqa: PT017  # the only reason left
        return
    assert json.loads(short) == value
    assert list(json.loads(short)) == list(value)
    assert check.json_object("metadata", short) == short


def test_an_object_is_kept_readable():
    assert check.json_object("metadata", ' {"b": "\\u00e9",\n "a": {}} ') == '{"b":"é","a":{}}'
    assert check.json_object("metadata", "{}") == "{}"


def nested(depth):
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1]", "no object"),
        ('"text"', "no object"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "not JSON"),
        ('{"a": 1, "a": 2}', "key 'a' is there twice"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"a": ' + "1" * 5000 + "}", "not JSON"),
        (nested(65), "deeper than 64"),
        ("[" * 100_000, "not JSON"),
        ('{"a": "' + "x" * 300_000 + '"}', "larger than 262144 bytes"),
        ('{"a": "\0"}', "not JSON"),
    ],
)
def test_what_cannot_be_kept_as_an_object_is_refused(value, message):
    with pytest.raises(InvalidRequest, match=message) as refused:
        check.json_object("metadata", value)
    assert refused.value.facts["field"] == "metadata"


def test_the_deepest_object_passes():
    assert check.json_object("metadata", nested(64)) == nested(64)


@given(st.timedeltas(timedelta(0), timedelta(days=9)))
def test_an_interval_runs_forward_or_is_open(length):
    check.interval(WHEN, WHEN + length)
    check.interval(WHEN, None)
    if length:
        with pytest.raises(InvalidRequest, match=r"valid_until .* before valid_from"):
            check.interval(WHEN + length, WHEN)
