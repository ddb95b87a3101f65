"""Markdown and other documents: sections by heading, with what stands before them between rules."""

from __future__ import annotations

import re

from recollect.rules import check
from recollect.rules.foreign import Cargo, Fact, short
from recollect.rules.foreign.when import when
from recollect.rules.split import Form, form_of, split

# As of documents that are ingested, so that the same page is not kept by both.
SOURCE = "document"
TYPE = "ingestion"
_PAIR = re.compile(r"([A-Za-z_][\w -]*):(?:\s+(.*))?$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_DATES = ("date", "created", "created_at", "updated", "updated_at", "modified")


def read(name: str, text: str) -> Cargo:
    r"""Each section as a fact; what the page says of itself holds for all of them.

    >>> cargo = read("a.md", "---\ntitle: Tea\ndate: 2026-02-12\ntags: [x, y]\n---\nGreen.\n")
    >>> fact = cargo.facts[0]
    >>> fact.title, fact.text, fact.at.isoformat()
    ('Tea', 'Green.', '2026-02-12T00:00:00+00:00')
    >>> fact.metadata
    '{"title":"Tea","date":"2026-02-12","tags":["x","y"],"path":"a.md","line":6}'
    """
    settings, body, before = front_matter(text)
    at = next((t for t in (when(settings.get(name)) for name in _DATES) if t), None)
    titled = settings.get("title")
    title = titled if isinstance(titled, str) else name.rpartition("/")[2]
    return Cargo(
        tuple(
            Fact(
                section.text,
                ref=f"{name}#{section.key}" if section.key else name,
                place=f"{name}, line {section.line + before}",
                source=SOURCE,
                title=(section.heading or title)[: check.LONGEST_NAME],
                type=TYPE,
                at=at,
                metadata=short(
                    {
                        **settings,
                        "path": name,
                        "headings": list(section.trail),
                        "line": section.line + before,
                    }
                ),
                replaces=True,
            )
            for section in split(body, form_of(name) or Form.MARKDOWN)
        )
    )


def front_matter(text: str) -> tuple[dict[str, str | list[str]], str, int]:
    """What stands between two rules at the top, the text below it, and how many lines those were.

    Pairs, lists and quotes, as pages have them; what is deeper is left alone.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}, text, 0
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), 0)
    if not end:
        return {}, text, 0
    found: dict[str, str | list[str]] = {}
    last = ""
    for line in lines[1:end]:
        if pair := _PAIR.match(line):
            last = pair[1].strip()
            found[last] = _value(pair[2] or "")
        elif (item := _ITEM.match(line)) and last and (not found[last] or _listed(found[last])):
            found[last] = [*_listed(found[last]), _plain(item[1])]
    return found, "\n".join(lines[end + 1 :]), end + 1


def _value(said: str) -> str | list[str]:
    said = said.strip()
    if said.startswith("[") and said.endswith("]"):
        return [_plain(one) for one in said[1:-1].split(",") if one.strip()]
    return _plain(said)


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else []


def _plain(said: str) -> str:
    said = said.strip()
    quoted = len(said) > 1 and said[0] == said[-1] and said[0] in "\"'"
    return said[1:-1] if quoted else said
