from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.split import Form, form_of, split

MARKS = [
    "# One",
    "## Two",
    "### Two",
    "text",
    "",
    "===",
    "---",
    "```",
    "- point",
    "> said",
    "    #",
]


def keys(text, form=Form.MARKDOWN):
    return [section.key for section in split(text, form)]


def texts(text, form=Form.MARKDOWN, **further):
    return [section.text for section in split(text, form, **further)]


@given(
    st.lists(st.sampled_from(MARKS) | st.text(max_size=12), max_size=30),
    st.sampled_from(Form),
    st.integers(1, 60),
)
def test_every_line_that_says_something_is_in_one_section_or_a_heading_over_some(
    lines, form, longest
):
    text = "\n".join(lines)
    sections = split(text, form, longest)
    kept = [line for section in sections for line in section.text.split("\n") if line.strip()]
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    said = [line for line in plain if line.strip()]
    trails = {title for section in sections for title in section.trail}
    rest = iter(said)
    # In order, each once; what is left out is a heading that others stand under, or says nothing.
    left = []
    for line in kept:
        for other in rest:
            if other == line:
                break
            left.append(other)
        else:
            pytest.fail(f"{line!r} is not where it was")
    for line in [*left, *rest]:
        assert (
            line.strip(" \t#") in {*trails, ""}
            or line.strip().strip("#").strip() in trails
            or (len(set(line.strip())) == 1)
        )
    assert all(plain[section.line - 1] == section.text.split("\n")[0] for section in sections)


@given(st.lists(st.sampled_from(MARKS), max_size=30), st.sampled_from(Form))
def test_no_two_sections_have_one_key(lines, form):
    found = keys("\n".join(lines), form)
    assert len(found) == len(set(found))


def test_what_stands_before_the_first_heading_is_a_section_of_its_own():
    first, second = split("Before.\n\n# After\nMore.")
    assert (first.heading, first.trail, first.text) == ("", (), "Before.")
    assert (second.heading, second.line, second.text) == ("After", 3, "# After\nMore.")


def test_a_section_knows_the_headings_over_it_and_none_beside_it():
    assert keys("# A\na\n### C\nc\n## B\nb\n# D\nd") == ["A", "A > C", "A > B", "D"]


def test_a_heading_without_words_of_its_own_is_kept_only_where_nothing_is_under_it():
    assert keys("# Log\n## Monday\nRain.\n## Tuesday\n") == ["Log > Monday", "Log > Tuesday"]


def test_two_sections_of_one_name_are_told_apart_by_their_order():
    assert keys("# A\none\n# A\ntwo") == ["A", "A (2)"]
    assert keys("# A (2)\none\n# A\ntwo\n# A\nthree") == ["A (2)", "A", "A (3)"]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# a comment\n```",
        "~~~\n# a comment\n```\n# another\n~~~",
        "    # code",
        "#hashtag",
        "####### seven",
        "- point\n---",
        "> said\n---",
        "| a |\n---",
        "one\ntwo\n---",
        "---\ntitle: x\n# y\n---\ntext",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text):
    assert keys(text) == [""]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# One #", "One"),
        ("  ## One", "One"),
        ("One\n===", "One"),
        ("One\n-", "One"),
        ("# C#", "C#"),
        ("\ufeff# One\r\ntext", "One"),
        ("````\n```\n# no\n````\n# One", "One"),
    ],
)
def test_headings_of_every_form_are_seen(text, heading):
    assert split(text)[-1].heading == heading


def test_restructured_text_ranks_headings_by_their_first_use():
    text = "===\nTop\n===\n\nintro\n\nPart\n----\n\none\n\nPart two\n--------\ntwo\n\nDeep\n~~~~\n"
    assert keys(text, Form.RST) == [
        "Top",
        "Top > Part",
        "Top > Part two",
        "Top > Part two > Deep",
    ]


@pytest.mark.parametrize(
    "text", ["above\nTitle\n=====", "one\n\n----\n\ntwo", " Indented\n=========", "Titles\n=="]
)
def test_restructured_text_takes_no_rule_for_a_heading(text):
    assert keys(text, Form.RST) == [""]


def test_a_long_section_is_cut_between_paragraphs():
    assert texts("# A\none\n\ntwo\n\nthree", longest=9) == ["# A\none", "two", "three"]
    assert keys("# A\n" + "x" * 5_000 + "\n\n" + "y" * 5_000) == ["A", "A (2)"]


def test_a_long_paragraph_is_cut_between_lines_and_a_long_line_is_not():
    assert texts("one\ntwo\nthree", longest=6) == ["one", "two", "three"]
    assert texts("a" * 100, longest=6) == ["a" * 100]


def test_ten_thousand_paragraphs_are_no_trouble():
    assert len(split("word\n\n" * 10_000, longest=4)) == 10_000


def test_an_empty_document_has_no_sections():
    assert split("") == split(" \n\n") == ()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.md", Form.MARKDOWN),
        ("a/b.c/session-log", Form.MARKDOWN),
        ("a.TXT", Form.MARKDOWN),
        ("a.rst", Form.RST),
        ("a.pdf", None),
        (".env", None),
    ],
)
def test_a_form_goes_by_the_name(name, form):
    assert form_of(name) is form
