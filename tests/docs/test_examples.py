"""What the pages show is what the program says: every example is run, and its answer compared."""

from __future__ import annotations

import re
import shlex
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.ways.conftest import environment, recollect

__all__ = ("environment", "recollect")

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/tutorial.md")
_blocks = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL).findall
_id = re.compile(r"\b(?:[a-z]+_)?[a-z0-9]{20}\b").findall
# How sure and how old: this is about what is said, and benchmarks are about the rest.
_number = re.compile(
    r"\b\d\.\d\d\b|\b\d+ (?:second|minute)s? ago\b|just now|\b20\d\d-\d\d-\d\d[T ]\S+Z|human \w+"
).sub


def examples(page):
    """Each command of a page with the lines that it answers."""
    found: list[tuple[str, list[str]]] = []
    for block in _blocks((ROOT / page).read_text("utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
    return found


def alike(shown, said, known):
    """Whether a line says what the page shows. An id of the page stands for one of this run."""
    open_end = shown.endswith("...")
    for page, here in zip(_id(shown), _id(said), strict=False):
        known.setdefault(page, here)
    expected = _number("N", " ".join(known.get(word, word) for word in shown.split()))
    for page, here in known.items():
        expected = expected.replace(page, here)
    got = _number("N", " ".join(said.split()))
    return got.startswith(expected.removesuffix("...").rstrip()) if open_end else got == expected


@pytest.mark.parametrize("page", PAGES)
def test_every_example_says_what_the_page_shows(page, recollect, monkeypatch, tmp_path):
    monkeypatch.setenv("RECOLLECT_EMBEDDING", "bundled")
    monkeypatch.chdir(tmp_path)
    known: dict[str, str] = {}
    for command, shown in examples(page):
        program, *args = [known.get(word, word) for word in shlex.split(command)]
        assert program == "recollect", command
        answer = recollect(*args)
        said = (answer.out + answer.err).splitlines()
        for expected, got in zip_longest(shown, said):
            if expected == "...":
                break
            assert expected is not None, (command, got)
            assert got is not None, (command, expected)
            assert alike(expected, got, known), (command, expected, got)


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_examples(page):
    assert len(examples(page)) > 4
