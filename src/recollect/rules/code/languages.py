"""Which language a file is in, by its name and its first line, and how it is to be read."""

from __future__ import annotations

import re
from enum import StrEnum

from recollect.value import Value


class Form(StrEnum):
    """How a file is cut."""

    CODE = "code"
    PROSE = "prose"
    CONFIG = "config"


class Language(Value):
    """A language as callers name it, and the grammar that reads it; empty where none does."""

    name: str
    grammar: str = ""
    form: Form = Form.CODE


PLAIN = Language("text", form=Form.PROSE)

# By language: its grammar where that has another name, and the endings of its files.
_CODE = """
python - py pyi pyw | rust - rs | go - go | javascript - js mjs cjs jsx | typescript - ts mts cts
tsx tsx tsx | java - java | c - c h | cpp - cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh
ruby - rb rake gemspec ru | php - php phtml | csharp - cs csx | kotlin - kt kts | swift - swift
bash - sh bash zsh ksh bats | scala - scala sc | lua - lua | luau - luau | elixir - ex exs
erlang - erl hrl | haskell - hs | ocaml - ml | ocaml_interface - mli | dart - dart | zig - zig
perl - pl pm | r - r | julia - jl | objc - m mm | clojure - clj cljs cljc edn | fsharp - fs fsx
elm - elm | gleam - gleam | nim - nim | d - d | groovy - groovy gradle | powershell - ps1 psm1
sql - sql | solidity - sol | v - vv | verilog - v sv svh | vhdl - vhd vhdl | fortran - f90 f95 f03
pascal - pas pp | ada - adb ads | commonlisp - lisp lsp cl | scheme - scm ss | racket - rkt
fish - fish | vue - vue | svelte - svelte | astro - astro | graphql - graphql gql
proto - proto | thrift - thrift | prisma - prisma | hcl - hcl tf tfvars | cmake - cmake
starlark - bzl star | nix - nix | glsl - glsl vert frag | hlsl - hlsl | wgsl - wgsl
cairo - cairo | odin - odin | hare - ha | haxe - hx | janet - janet | fennel - fnl | tcl - tcl
vim - vim | apex - cls trigger | actionscript - as | purescript - purs | agda - agda
squirrel - nut | gdscript - gd | matlab - mat | cobol - cob cbl | asm - asm s | llvm - ll
"""
_CONFIG = """
json - json jsonc json5 | yaml - yaml yml | toml - toml | ini - ini cfg conf properties
xml - xml xsd xsl plist csproj | html - html htm | css - css | scss - scss sass less
dockerfile - dockerfile | make - mk | kdl - kdl | ron - ron | env - env
"""
_PROSE = {"md": "markdown", "markdown": "markdown", "mdx": "markdown", "rst": "rst", "txt": "text"}
_PROSE |= {"adoc": "asciidoc", "org": "org", "rest": "rst", "text": "text", "typ": "typst"}
# Names without an ending, in lower case.
_NAMED = {
    "dockerfile": Language("dockerfile", form=Form.CONFIG),
    "makefile": Language("make", form=Form.CONFIG),
    "gnumakefile": Language("make", form=Form.CONFIG),
    "cmakelists.txt": Language("cmake", "cmake"),
    "rakefile": Language("ruby", "ruby"),
    "gemfile": Language("ruby", "ruby"),
    "vagrantfile": Language("ruby", "ruby"),
    "jenkinsfile": Language("groovy", "groovy"),
    "build": Language("starlark", "starlark"),
    "readme": PLAIN,
    "changelog": PLAIN,
    "license": PLAIN,
    "copying": PLAIN,
}
_INTERPRETERS = {
    "python": "python",
    "bash": "bash",
    "sh": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "dash": "bash",
    "node": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "fish": "fish",
    "Rscript": "r",
}
_shebang = re.compile(r"#!.*?([A-Za-z]+)[\d.]*(?:\s|$)").match
_env = re.compile(r"#!\S*/env\s+(?:-S\s+)?([A-Za-z]+)").match


def _table(said: str, form: Form) -> dict[str, Language]:
    found: dict[str, Language] = {}
    for row in said.replace("\n", " | ").split("|"):
        if row.strip():
            name, grammar, *endings = row.split()
            grammar = name if grammar == "-" else grammar
            # What is written for one place only is still the language that people call it by.
            called = "typescript" if name == "tsx" else name
            read_by = grammar if form is Form.CODE else ""
            found |= dict.fromkeys(endings, Language(called, read_by, form))
    return found


_ENDINGS = _table(_CODE, Form.CODE) | _table(_CONFIG, Form.CONFIG)
_ENDINGS |= {end: Language(name, form=Form.PROSE) for end, name in _PROSE.items()}


def language_of(path: str, first_line: str = "") -> Language | None:
    """The language of a file, or None where neither name nor first line tells.

    >>> language_of("src/app.py").name, language_of("Makefile").form
    ('python', <Form.CONFIG: 'config'>)
    >>> language_of("bin/deploy", "#!/usr/bin/env python3").name
    'python'
    """
    name = path.rpartition("/")[2].lower()
    if name in _NAMED:
        return _NAMED[name]
    if name.startswith("dockerfile."):
        return _NAMED["dockerfile"]
    ending = name.rpartition(".")[2] if "." in name[1:] else ""
    if ending:
        return _ENDINGS.get(ending)
    found = _env(first_line) or _shebang(first_line)
    known = _INTERPRETERS.get(found[1]) if found else None
    return Language(known, known) if known else None
