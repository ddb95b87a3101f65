"""Files in many languages are cut at the right lines, and nothing that is in one stops it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rules.code import skip
from recollect.rules.code.cut import LONGEST, cut
from recollect.rules.code.languages import language_of
from recollect.rules.code.names import called, imported

SAMPLES = Path(__file__).parent / "samples"
_SAID = "\n" + (SAMPLES / "expected.txt").read_text("utf-8")
EXPECTED = {
    part.partition(" ")[0]: part.strip().split("\n") for part in _SAID.split("\n== ") if part
}
ENDINGS = [name.partition(".")[2] for name in EXPECTED]


def sample(name: str) -> str:
    return (SAMPLES / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_pieces_have_the_lines_names_types_and_comments_of_what_is_in_the_file(name):
    found = cut(f"src/{name}", sample(name))
    rows = [f"{name} {found.language} {' '.join(found.imports)}".rstrip()]
    for piece in found.pieces:
        row = f"{piece.start}-{piece.end} {piece.type} {piece.qualified} / {piece.name}"
        rows.append(f"{row} / {piece.doc}" if piece.doc else row)
    assert rows == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_small_piece_shows_exactly_its_lines(name):
    lines = sample(name).split("\n")
    for piece in cut(name, sample(name)).pieces:
        assert piece.text == "\n".join(lines[piece.start - 1 : piece.end])


@settings(max_examples=150, deadline=None)
@given(
    ending=st.sampled_from(ENDINGS),
    of=st.sampled_from(sorted(EXPECTED)),
    edits=st.lists(
        st.tuples(
            st.integers(0, 600), st.integers(0, 8), st.text("{}()[]\"'\n #/*<>;:xé\t", max_size=6)
        ),
        max_size=12,
    ),
)
def test_a_broken_file_is_cut_all_the_same(ending, of, edits):
    text = sample(of)
    for at, gone, added in edits:
        text = text[:at] + added + text[at + gone :]
    lines = text.count("\n") + 1
    for piece in cut(f"broken.{ending}", text).pieces:
        assert 1 <= piece.start <= piece.end <= lines


@pytest.mark.parametrize("ending", ["py", "js", "cpp", "json", "md", "zzz"])
def test_deep_nesting_stops_nothing(ending):
    for text in ("(" * 20_000, "{\n" * 5_000, "namespace a {" * 2_000):
        cut(f"deep.{ending}", text)


def test_a_long_function_is_split_at_statements_each_part_under_its_header():
    body = "".join(f"    if x > {n}:\n        x -= {n}\n        print(x)\n" for n in range(100))
    found = cut("long.py", f"def shrink(x):\n{body}    return x\n").pieces
    assert [piece.part for piece in found] == list(range(1, len(found) + 1))
    assert (found[0].start, found[-1].end) == (1, 302)
    for before, after in pairwise(found):
        assert after.start == before.end + 1
        assert after.text.startswith("def shrink(x):\n    …\n    if x > ")
    assert all(piece.end - piece.start < LONGEST for piece in found)
    assert {piece.name for piece in found} == {"shrink"}


def test_a_long_class_is_shown_in_outline_and_its_methods_whole():
    methods = "".join(
        f"    def m{n}(self):\n        a = {n}\n        return a * {n}\n\n" for n in range(20)
    )
    found = cut("big.py", f'class Big:\n    """Says a lot."""\n\n    size = 3\n\n{methods}').pieces
    big = next(piece for piece in found if piece.type == "class")
    assert (big.start, big.end, len(found)) == (1, 84, 21)
    assert "size = 3" in big.text
    assert "def m7(self):" in big.text
    assert "a * 7" not in big.text
    assert next(piece for piece in found if piece.name == "m7").text.endswith("return a * 7")


def test_a_long_function_that_holds_others_gives_each_a_piece_of_its_own():
    inner = "".join(
        f"  function f{n}() {{\n    one();\n    two();\n    return {n};\n  }}\n" for n in range(40)
    )
    found = cut("store.js", f"function createStore() {{\n{inner}  return f1;\n}}\n").pieces
    assert found[0].qualified == "createStore"
    assert [p.qualified for p in found[1:3]] == ["createStore.f0", "createStore.f1"]


def test_prose_is_cut_by_headings_and_what_is_unknown_at_blank_lines():
    prose = cut("README.md", "# Atlas\nIt maps.\n## Install\nRun it.\n").pieces
    assert [(p.type, p.name, p.start, p.end) for p in prose] == [
        ("section", "Atlas", 1, 2),
        ("section", "Install", 3, 4),
    ]
    blocks = "\n".join("key = 1\n" * 9 for _ in range(12))
    config = cut("settings.ini", blocks).pieces
    assert [p.type for p in config] == ["block"] * len(config)
    assert len(config) > 1
    assert cut("notes.zzz", "one\ntwo\n").pieces[0].end == 2


def test_definitions_of_other_languages_are_known_by_the_shape_of_their_grammar():
    said = {
        "a.lua": ("local function add(a, b)\n  return a + b\nend\n", "add"),
        "a.scala": ("object Main {\n  def add(a: Int) = a\n}\n", "Main"),
        "a.dart": ("class Box {\n  int x = 1;\n}\n", "Box"),
        "a.zig": ("fn add(a: i32) i32 {\n  return a;\n}\n", "add"),
        "a.proto": ('syntax = "proto3";\nmessage Box {\n  int32 x = 1;\n}\n', "Box"),
        "a.ex": ("defmodule A.B do\n  def add(x) do\n    x\n  end\nend\n", "add"),
        "a.m": ("@interface Box\n@end\n", "Box"),
        "a.sol": ("contract Box {\n  function f() public {}\n}\n", "Box"),
    }
    for path, (text, name) in said.items():
        assert name in {piece.name for piece in cut(path, text).pieces}, path


def test_what_no_person_reads_is_skipped_with_the_reason():
    assert skip.by_name("logo.png", 10) == skip.BINARY
    assert skip.by_name("package-lock.json", 10) == skip.GENERATED
    assert skip.by_name("api_pb2.py", 10) == skip.GENERATED
    assert skip.by_name("jquery.min.js", 10) == skip.MINIFIED
    assert skip.by_name("big.py", skip.LARGEST + 1) == skip.HUGE
    assert skip.by_name("rows.csv", 10) == skip.DATA
    assert skip.by_name("empty.py", 0) == skip.EMPTY
    assert not skip.by_name("app.py", 10)
    assert skip.by_content(b"a\0b") == skip.BINARY
    assert skip.by_content(b"// Code generated by protoc. DO NOT EDIT.\n") == skip.GENERATED
    assert skip.by_content(b"x" * 9_000) == skip.MINIFIED
    assert skip.by_content(b" \n\n") == skip.EMPTY
    assert not skip.by_content(b"def f():\n    pass\n")


def test_text_is_read_in_the_encodings_that_people_write_in():
    assert skip.text_of("é = 1".encode()) == "é = 1"
    assert skip.text_of("\ufeffx".encode()) == "x"
    assert skip.text_of(b"caf\xe9 = 'a name that is written in latin-1'") is not None
    assert skip.text_of(bytes(range(128, 256)) * 9) is None


def test_languages_are_known_by_name_ending_or_first_line():
    names = {
        "a/b.tsx": "typescript",
        "x.h": "c",
        "Dockerfile": "dockerfile",
        "dockerfile.dev": "dockerfile",
        "Gemfile": "ruby",
        "CMakeLists.txt": "cmake",
        "a.unknown": None,
    }
    for path, name in names.items():
        found = language_of(path)
        assert (found.name if found else None) == name
    assert getattr(language_of("run", "#!/bin/bash -e"), "name", "") == "bash"
    assert language_of("run", "just text") is None


def test_calls_leave_out_keywords_definitions_and_the_piece_itself():
    assert called(["fn fib(x) { if (get2(x)) { put!(fib(1)) } }"], "fib") == ("get2", "put")


def test_imports_are_read_as_each_language_writes_them():
    assert imported("rust", ["use a::b;", "pub mod c;"]) == ("a::b", "c")
    assert imported("go", ['import "fmt"', '\t"net/http"']) == ("fmt", "net/http")
    assert imported("cpp", ['#include "x/y.h"']) == ("x/y.h",)
    assert imported("php", ["use App\\Base;", "require_once 'a.php';"]) == ("App\\Base", "a.php")
    assert imported("cobol", ["x"]) == ()


# What of a language is easily cut wrong: (file, text, what it has to hold).
HARD = {
    "decorators, nested classes, properties and async in Python": (
        "a.py",
        (
            '@cache\n@route(\n    "/x",\n)\nasync def handler(a,\n        b):\n    return a\n\n\n'
            "class Outer:\n    class Inner:\n        def deep(self): pass\n\n"
            "    @property\n    def size(self): return 1\n\n    def __add__(self, o): return o\n"
        ),
        {
            ("function", "handler", 1, 7),
            ("class", "Outer", 10, 17),
            ("class", "Outer.Inner", 11, 12),
            ("method", "Outer.Inner.deep", 12, 12),
            ("method", "Outer.size", 14, 15),
            ("method", "Outer.__add__", 17, 17),
        },
    ),
    "generics and receivers in Go": (
        "a.go",
        (
            "package a\n\ntype Stack[T any] struct{ items []T }\n\n"
            "func (s *Stack[T]) Push(x T) {\n\ts.items = append(s.items, x)\n}\n"
        ),
        {("struct", "Stack", 3, 3), ("method", "Stack.Push", 5, 7)},
    ),
    "attributes, generic implementations and macros in Rust": (
        "a.rs",
        (
            "#[derive(Debug)]\npub struct Point<T> { x: T }\n\nimpl<T> Add<T> for Point<T> {\n"
            "    #[inline]\n    fn add(self, o: T) -> T { o }\n}\n\n"
            "macro_rules! sq { ($x:expr) => { $x }; }\n"
            "pub async unsafe fn go<'a>(x: &'a str) {}\n"
        ),
        {
            ("struct", "Point", 1, 2),
            ("impl", "Point", 4, 7),
            ("method", "Point.add", 5, 6),
            ("macro", "sq", 9, 9),
            ("function", "go", 10, 10),
        },
    ),
    "templates, operators and destructors in C++": (
        "a.cpp",
        (
            "template <typename T>\nclass Vec : public Base<T> {\n public:\n"
            "  T& operator[](size_t i) { return d[i]; }\n  operator bool() const { return true; }\n"
            "  bool operator()(int x) { return x; }\n};\n"
            "template <typename T> void Vec<T>::resize(int n) {\n  n_ = n;\n}\nVec::~Vec() {}\n"
        ),
        {
            ("class", "Vec", 1, 7),
            ("method", "Vec.operator[]", 4, 4),
            ("method", "Vec.operator bool", 5, 5),
            ("method", "Vec.operator()", 6, 6),
            ("method", "Vec.resize", 8, 10),
            ("method", "Vec.~Vec", 11, 11),
        },
    ),
    "macros and old parameters in C": (
        "a.c",
        (
            "#define MAX(a, b) \\\n  ((a) > (b) ? (a) : (b))\n\n"
            "static inline int *\nfind(struct list *l, int (*cmp)(int))\n{\n\treturn 0;\n}\n"
        ),
        {("macro", "MAX", 1, 2), ("function", "find", 4, 8)},
    ),
    "a class without a name, fields that are functions in JavaScript": (
        "a.js",
        (
            "export default class extends Base {\n  async *gen() {}\n  handle = async (e) => {\n"
            "    await e;\n  };\n}\nFoo.prototype.bar = function () {};\n"
            "export const f = (a) => a;\n"
        ),
        {
            ("class", "default", 1, 6),
            ("method", "default.gen", 2, 2),
            ("method", "default.handle", 3, 5),
            ("method", "Foo.bar", 7, 7),
            ("function", "f", 8, 8),
        },
    ),
    "decorators and overloads in TypeScript": (
        "a.ts",
        (
            "@Component({})\nexport class A<T extends {}> extends B<T> {\n  foo(a: string): void;\n"
            "  foo(a: any) {}\n}\n"
        ),
        {("class", "A", 1, 5), ("method", "A.foo", 4, 4)},
    ),
    "delegation and extension in Kotlin": (
        "a.kt",
        (
            "data class P<T : Any>(val x: T) : Q(), R by S {\n  override suspend fun go(): Int {\n"
            "    return 1\n  }\n}\nfun <T> List<T>.second(): T = this[1]\n"
        ),
        {("class", "P", 1, 5), ("method", "P.go", 2, 4), ("method", "List.second", 6, 6)},
    ),
    "subscripts, operators and extensions in Swift": (
        "a.swift",
        (
            "final class A: B {\n  init?(x: Int) {}\n  subscript(i: Int) -> Int { get { 1 } }\n"
            "  static func + (a: A, b: A) -> A { a }\n}\nextension A: C { func ext() {} }\n"
        ),
        {
            ("class", "A", 1, 5),
            ("constructor", "A.init", 2, 2),
            ("method", "A.subscript", 3, 3),
            ("method", "A.+", 4, 4),
            ("extension", "A", 6, 6),
            ("method", "A.ext", 6, 6),
        },
    ),
    "functions inside of texts in a shell's script": (
        "a.sh",
        'bar() {\n  local x="$(cat <<EOF\nfunction fake() { }\nEOF\n)"\n}\nfunction foo { :; }\n',
        {("function", "bar", 1, 6), ("function", "foo", 7, 7)},
    ),
}


@pytest.mark.parametrize("what", HARD)
@pytest.mark.parametrize("written", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_what_is_easily_cut_wrong_has_its_names_types_and_lines(what, written):
    path, text, wanted = HARD[what]
    found = cut(path, text.replace("\n", written)).pieces
    definitions = {
        (piece.type, piece.qualified, piece.start, piece.end)
        for piece in found
        if (piece.type, piece.name) != ("module", "a")
    }
    assert definitions == wanted
