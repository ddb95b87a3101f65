"""Settings of others: one place changes, everything else stays as it is to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.edit import Unclear, at, jsonc, merged, toml, without

PATH = ("servers", "ours")
ENTRY: dict[str, object] = {"command": "/bin/it", "args": ["serve"]}
INLINE = '{"command": "/bin/it", "args": ["serve"]}'
names = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
tables = st.dictionaries(names, values, max_size=4)
noise = st.sampled_from(["", " ", "\n", "\t", "// note\n", '/* a, {"b": 1} */', "\r\n  "])


@st.composite
def written(draw, value):
    """A document as somebody may have written it: comments, blanks and commas wherever allowed."""
    gap = lambda: draw(noise)  # noqa: E731 -- shorter than a function
    if isinstance(value, dict):
        parts = [
            f"{gap()}{json.dumps(key)}{gap()}:{gap()}{draw(written(one))}{gap()}"
            for key, one in value.items()
        ]
        tail = "," if parts and draw(st.booleans()) else ""
        return "{" + ",".join(parts) + tail + gap() + "}"
    if isinstance(value, list):
        parts = [f"{gap()}{draw(written(one))}{gap()}" for one in value]
        tail = "," if parts and draw(st.booleans()) else ""
        return "[" + ",".join(parts) + tail + gap() + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@given(tables, st.data())
def test_whatever_was_written_is_read(value, data):
    text = data.draw(noise) + data.draw(written(value)) + data.draw(noise)
    assert jsonc.read(text) == value


@given(tables, st.data())
def test_what_was_put_in_is_there_and_goes_out_again(value, data):
    text = data.draw(noise) + data.draw(written(value)) + data.draw(noise)
    made = jsonc.put(text, ("ours",), ENTRY)
    assert jsonc.read(made) == {**value, "ours": ENTRY}
    assert jsonc.put(made, ("ours",), ENTRY) == made
    assert jsonc.read(jsonc.take(made, ("ours",))) == {
        key: one for key, one in value.items() if key != "ours"
    }


@given(st.lists(values, max_size=3), tables, st.data())
def test_one_more_goes_behind_the_others_of_a_list_and_out_again(items, others, data):
    text = data.draw(noise) + data.draw(written({**others, "list": items})) + data.draw(noise)
    made = jsonc.append(text, ("list",), ENTRY)
    assert jsonc.read(made) == {**others, "list": [*items, ENTRY]}
    assert jsonc.read(jsonc.drop(made, ("list",), len(items))) == {**others, "list": items}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "a": [\n    2\n  ]\n}'),
        ('{"a": []}', '{"a": [\n  2\n]}'),
        ('{"a": [1,]}', '{"a": [1, 2,]}'),
        ('{\n\t"a": [\n\t\t1 // one\n\t]\n}', '{\n\t"a": [\n\t\t1, // one\n\t\t2\n\t]\n}'),
    ],
)
def test_what_is_put_behind_looks_like_the_rest(before, after):
    assert jsonc.append(before, ("a",), 2) == after


@pytest.mark.parametrize("text", ['{"a": {}}', '{"a": 1}', "[]"])
def test_what_is_no_list_takes_no_more(text):
    with pytest.raises(Unclear):
        jsonc.append(text, ("a",), 1)
    with pytest.raises(Unclear):
        jsonc.drop(text, ("a",), 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"servers": {}}', None),
        ("{}", None),
        ('{"servers": {"a": 1}}', f'{{"servers": {{"a": 1, "ours": {INLINE}}}}}'),
        ('{"servers": {"a": 1,}}', f'{{"servers": {{"a": 1, "ours": {INLINE},}}}}'),
    ],
)
def test_what_is_put_in_looks_like_the_rest(before, after):
    made = jsonc.put(before, PATH, ENTRY)
    assert jsonc.read(made) == merged(jsonc.read(before), PATH, ENTRY)
    assert after is None or made == after


def test_indentation_line_ends_and_comments_stay():
    before = '{\r\n\t// mine\r\n\t"servers": {\r\n\t\t"a": {}, // keep\r\n\t},\r\n\t"b": 1\r\n}\r\n'
    made = jsonc.put(before, PATH, ENTRY)
    assert "\n" not in made.replace("\r\n", "")
    assert '\r\n\t\t"ours": {\r\n\t\t\t"command": "/bin/it",' in made
    assert made.count("// keep") == made.count("// mine") == 1
    assert jsonc.take(made, PATH).replace(" ", "") == before.replace(" ", "")


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "servers": {\n    "a": {"x": 1}\n  }\n}\n',
        '{\n  "servers": {\n    "a": {"x": 1},\n  },\n}\n',
        '{\n\t"z": [1, 2], // "servers"\n\t"servers": {"a": 1}\n}',
        '{"servers": {"a": 1}}',
        '{"a": "} // no comment", "servers": {"b": "/* neither */"}}\n',
    ],
)
def test_taken_out_the_text_is_what_it_was(text):
    assert jsonc.take(jsonc.put(text, PATH, ENTRY), PATH) == text


def test_an_entry_is_replaced_in_its_place():
    before = '{\n  "servers": {\n    "ours": {"command": "old"},\n    "b": 1\n  }\n}\n'
    made = jsonc.put(before, PATH, ENTRY)
    assert jsonc.read(made) == {"servers": {"ours": ENTRY, "b": 1}}
    assert made.index("ours") < made.index('"b"')


def test_an_empty_file_becomes_a_document():
    assert json.loads(jsonc.put("", PATH, ENTRY)) == {"servers": {"ours": ENTRY}}
    assert json.loads(jsonc.put(" \n", PATH, ENTRY)) == {"servers": {"ours": ENTRY}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1]", "no object"),
        ('{"a": 1', "missing on line 1"),
        ('{"a": 1 "b": 2}', "missing on line 1"),
        ('{"a" 1}', "a colon is missing"),
        ('{"a": nope}', "'nope' on line 1 is no value"),
        ('{"a": }', "a value is missing"),
        ('{"a": [1 2]}', "a comma or a bracket"),
        ("{} {}", "follows the end"),
        ('{"servers": 7}', "is none"),
        ('{"a":' * 200, "nested too deeply"),
    ],
)
def test_what_is_no_settings_file_is_left_alone_and_said_why(text, why):
    with pytest.raises(Unclear, match=why):
        jsonc.put(text, PATH, ENTRY)


keys = st.text("abcdefgh_-é .", min_size=1, max_size=5)
simple = st.booleans() | st.integers(-99, 99) | st.text('ab"\\é\t', max_size=5)


@st.composite
def toml_text(draw):
    """Tables as somebody may have written them."""
    lines = [f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(value, ensure_ascii=False)}"
             for key, value in draw(st.dictionaries(keys, simple, max_size=3)).items()]  # fmt: skip
    for name, table in draw(
        st.dictionaries(keys, st.dictionaries(keys, simple, max_size=3), max_size=3)
    ).items():
        lines += ["# a note", f"[servers.{json.dumps(name, ensure_ascii=False)}] # another"]
        lines += [
            f"{json.dumps(k, ensure_ascii=False)} = {json.dumps(v, ensure_ascii=False)}"
            for k, v in table.items()
        ]
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return ends.join(lines) + draw(st.sampled_from(["", ends, ends * 2]))


@given(toml_text())
def test_a_table_goes_into_toml_and_out_again(text):
    before = toml.read(text)
    made = toml.put(text, PATH, ENTRY)
    assert toml.read(made) == merged(before, PATH, ENTRY)
    assert made.startswith(text)
    assert toml.put(made, PATH, ENTRY) == made
    assert toml.read(toml.take(made, PATH)) == before


def test_a_table_is_replaced_in_its_place_with_what_is_in_it():
    before = (
        '# mine\n[servers.ours]\ncommand = "old"\n[servers.ours.env]\nA = "b"\n\n'
        "# of the other\n[servers.other] # x\ncommand = 'y'\n"
    )
    made = toml.put(before, PATH, {**ENTRY, "env": {"C": "d"}})
    assert toml.read(made) == {
        "servers": {"ours": {**ENTRY, "env": {"C": "d"}}, "other": {"command": "y"}}
    }
    assert made.endswith("\n# of the other\n[servers.other] # x\ncommand = 'y'\n")
    assert toml.take(made, PATH).startswith("# mine\n")
    assert toml.read(toml.take(made, PATH)) == {"servers": {"other": {"command": "y"}}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = ", "it is not TOML"),
        ("servers = 7\n", "is none"),
        ("servers = {a = 1}\n", "without changing something else"),
    ],
)
def test_toml_that_cannot_take_a_table_is_left_alone(text, why):
    with pytest.raises(Unclear, match=why):
        toml.put(text, PATH, ENTRY)


def test_what_is_no_table_of_its_own_is_a_persons_to_take_out():
    with pytest.raises(Unclear, match="without changing something else"):
        toml.take('[servers]\nours = {command = "x"}\n', PATH)


def test_what_looks_like_a_header_in_a_text_is_none():
    text = 'a = """\n[servers.ours]\n"""\n[servers.b]\nx = [\n[1],\n]\n'
    made = toml.put(text, PATH, ENTRY)
    assert toml.read(made) == merged(toml.read(text), PATH, ENTRY)
    assert toml.take(made, PATH) == text


@given(tables, st.lists(names, min_size=1, max_size=3), values)
def test_what_is_merged_in_is_found_and_nothing_else_changes(document, path, value):
    try:
        made = merged(document, path, value)
    except Unclear:
        return
    assert at(made, path) == value
    assert without(made, path) == without(merged(document, path, 0), path)
