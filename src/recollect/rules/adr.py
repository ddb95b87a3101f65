"""Decision records as Markdown, as MADR and as Nygard have them: read, and written.

What was read is kept whole, so writing it again changes nothing but a status that has changed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

MADR, NYGARD = "madr", "nygard"
FORMATS = (MADR, NYGARD)
PROPOSED, ACCEPTED, REJECTED = "proposed", "accepted", "rejected"
DEPRECATED, SUPERSEDED = "deprecated", "superseded"
STATUSES = (PROPOSED, ACCEPTED, REJECTED, DEPRECATED, SUPERSEDED)

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"^(?:ADR[- ]?)?(\d+)[.:)]?[ \t]+|^(?:ADR[- ]?)(\d+)[.:)]?[ \t]*")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FIELD = re.compile(
    r"^[ \t]*[*-]?[ \t]*\**(status|date)\**[ \t]*:[ \t]*\**[ \t]*(.*?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]*(?:[*+-]|\d+[.)])[ \t]+(.*)$")
_BY = re.compile(r"supersed\w*[ \t]+by[ \t]+(.*)", re.IGNORECASE)
_ANY_NUMBER = re.compile(r"(\d+)")
_CHOSEN = re.compile(r"\AChosen option: \"(.*?)\"\.?", re.DOTALL)
_CONTEXT = {"context", "context and problem statement"}
_OUTCOME = {"decision", "decision outcome"}
_OPTIONS = {"considered options", "options considered", "alternatives", "alternatives considered"}
_OF_MADR = {"considered options", "decision outcome", "context and problem statement"}
_FOLLOWS = {"consequences", "positive consequences", "negative consequences"}
_APART = {"status", "date", *_OPTIONS, *_FOLLOWS}


class Adr(Value):
    """A decision record."""

    title: str
    number: int | None = None
    status: str = ACCEPTED
    # The number of the one that took its place, where it says so.
    superseded_by: int | None = None
    date: datetime | None = None
    reasons: str = ""
    options: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    format: str = NYGARD


def parse(text: str, name: str = "") -> Adr | None:
    """A decision record, or None where the text is none."""
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    head = front.group(1) if front else ""
    parts = _parts(text[front.end() :] if front else text)
    if not parts or parts[0][0] != 1:
        return None
    _, heading, preamble = parts[0]
    sections = parts[1:]
    names = {title.casefold() for _, title, _ in sections}
    fields = {k.casefold(): v for k, v in _FIELD.findall(f"{head}\n{preamble}")}
    said = _section(sections, {"status"}) or fields.get("status", "")
    if not said and not names & (_CONTEXT | _OUTCOME):
        return None
    number, title = _numbered(heading, name)
    madr = bool(names & _OF_MADR)
    options = [one for one in _items(_section(sections, _OPTIONS)) if one != title]
    return Adr(
        title,
        number,
        _status(said),
        _superseder(said),
        _date(fields.get("date", "") or _section(sections, {"date"})),
        _reasons(sections, preamble, title),
        tuple(options),
        tuple(one for part in _all(sections, _FOLLOWS) for one in _items(part)),
        MADR if madr else NYGARD,
    )


def render(one: Adr) -> str:
    """A decision record as its format has it."""
    return _as_madr(one) if one.format == MADR else _as_nygard(one)


def restated(text: str, status: str, superseded_by: int | None = None) -> str:
    """A record's own text with another status, and nothing else changed."""
    known = parse(text)
    if known is None or (known.status, known.superseded_by) == (status, superseded_by):
        return text
    said = status.capitalize()
    if superseded_by is not None:
        said = f"Superseded by {superseded_by:04d}"
    line_end = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    for match in _HEADING.finditer(plain):
        if match.group(2).casefold() == "status":
            body = re.compile(r"\n*([^\n]+)").match(plain, match.end())
            if body is not None:
                plain = f"{plain[: body.start(1)]}{said}{plain[body.end(1) :]}"
                return plain.replace("\n", line_end)
    for match in _FIELD.finditer(plain):
        if match.group(1).casefold() == "status":
            plain = f"{plain[: match.start(2)]}{said.lower()}{plain[match.end(2) :]}"
            break
    return plain.replace("\n", line_end)


def file_name(one: Adr, number: int) -> str:
    """What a record's file is called.

    >>> file_name(Adr("Use one pool!"), 7)
    '0007-use-one-pool.md'
    """
    words = re.sub("[^a-z0-9]+", "-", one.title.casefold()).strip("-")[:60].strip("-")
    return f"{number:04d}-{words or 'decision'}.md"


def _as_nygard(one: Adr) -> str:
    number = f"{one.number}. " if one.number is not None else ""
    date = f"Date: {one.date.date().isoformat()}\n\n" if one.date else ""
    said = "\n".join(f"- {item}" for item in one.consequences)
    options = "".join(f"- {item}\n" for item in one.options if item != one.title)
    context = f"## Context\n\n{one.reasons}\n\n" if one.reasons else ""
    considered = f"## Alternatives\n\n{options}\n" if options else ""
    return (
        f"# {number}{one.title}\n\n{date}## Status\n\n{_said(one)}\n\n"
        f"{context}{considered}## Decision\n\n{one.title}\n\n## Consequences\n\n{said}\n"
    )


def _as_madr(one: Adr) -> str:
    number = f"{one.number}. " if one.number is not None else ""
    date = f"date: {one.date.date().isoformat()}\n" if one.date else ""
    options = "".join(f"* {item}\n" for item in dict.fromkeys((*one.options, one.title)))
    said = "".join(f"* {item}\n" for item in one.consequences)
    context = f"## Context and Problem Statement\n\n{one.reasons}\n\n" if one.reasons else ""
    follows = f"\n### Consequences\n\n{said}" if said else ""
    return (
        f"---\nstatus: {_said(one).lower()}\n{date}---\n\n# {number}{one.title}\n\n"
        f"{context}## Considered Options\n\n{options}\n"
        f'## Decision Outcome\n\nChosen option: "{one.title}"\n{follows}'
    )


def _said(one: Adr) -> str:
    if one.superseded_by is not None:
        return f"Superseded by {one.superseded_by:04d}"
    return one.status.capitalize()


def _parts(text: str) -> list[tuple[int, str, str]]:
    """Headings with their level and what follows each, code aside."""
    fenced = [
        match.span() for match in re.finditer(r"^(```|~~~).*?^\1", text, re.MULTILINE | re.DOTALL)
    ]
    heads = [
        match
        for match in _HEADING.finditer(text)
        if not any(start <= match.start() < end for start, end in fenced)
    ]
    ends = [*(match.start() for match in heads[1:]), len(text)][: len(heads)]
    return [
        (len(match.group(1)), match.group(2), text[match.end() : end].strip("\n"))
        for match, end in zip(heads, ends, strict=True)
    ]


def _numbered(heading: str, name: str) -> tuple[int | None, str]:
    match = _NUMBER.match(heading)
    if match is not None:
        return int(match.group(1) or match.group(2)), heading[match.end() :].strip() or heading
    found = _ANY_NUMBER.match(name.rpartition("/")[2])
    return (int(found.group(1)) if found else None), heading.strip()


def _section(sections: Iterable[tuple[int, str, str]], names: set[str]) -> str:
    return next(iter(_all(sections, names)), "")


def _all(sections: Iterable[tuple[int, str, str]], names: set[str]) -> list[str]:
    return [body.strip() for _, title, body in sections if title.casefold() in names]


def _items(text: str) -> list[str]:
    """The items of a list, each with its further lines; paragraphs where there is no list."""
    found: list[str] = []
    listed = any(_ITEM.match(line) for line in text.split("\n"))
    for block in text.split("\n") if listed else text.split("\n\n"):
        match = _ITEM.match(block) if listed else None
        if match is not None:
            found.append(match.group(1).strip())
        elif listed and found and block.strip():
            found[-1] = f"{found[-1]} {block.strip()}"
        elif not listed and block.strip():
            found.append(" ".join(block.split()))
    return found


def _reasons(sections: list[tuple[int, str, str]], preamble: str, title: str) -> str:
    """Context and decision, and whatever other sections say, each under its own name."""
    plain = _FIELD.sub("", preamble).strip()
    said = [plain] if plain else []
    for _, name, body in sections:
        folded, text = name.casefold(), body.strip()
        if folded in _APART or not text:
            continue
        if folded in _OUTCOME:
            text = _without_choice(text, title)
        if text:
            said.append(text if folded in _CONTEXT | _OUTCOME else f"{name}: {text}")
    return "\n\n".join(said)


def _without_choice(text: str, title: str) -> str:
    match = _CHOSEN.match(text)
    if match is not None and match.group(1) == title:
        text = text[match.end() :].strip()
    return "" if text == title else text


def _status(said: str) -> str:
    folded = said.casefold()
    for status in (SUPERSEDED, DEPRECATED, REJECTED, PROPOSED):
        if status in folded:
            return status
    return PROPOSED if "draft" in folded else ACCEPTED


def _superseder(said: str) -> int | None:
    match = _BY.search(said)
    number = _ANY_NUMBER.search(match.group(1)) if match else None
    return int(number.group(1)) if number else None


def _date(said: str) -> datetime | None:
    match = re.search(r"\d{4}-\d{2}-\d{2}", said)
    if match is None:
        return None
    try:
        return datetime.fromisoformat(match.group()).replace(tzinfo=UTC)
    except ValueError:
        return None
