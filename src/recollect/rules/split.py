"""A document into the sections that its headings make, so that each can be found by itself."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import count, zip_longest
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Longer sections are cut between paragraphs: what is found should fit before a reader's eyes.
LONGEST = 8_000


class Form(StrEnum):
    """How a document marks its headings."""

    # `# Heading`, or a line underlined with = or -. Plain text is read the same way.
    MARKDOWN = "markdown"
    # A line underlined, and perhaps overlined, with any punctuation.
    RST = "rst"


class Section(Value):
    """A part of a document, with the headings that it stands under."""

    # Its own heading; empty for what stands before the first one.
    heading: str
    # All headings over it, outermost first, its own the last.
    trail: tuple[str, ...]
    # Its own heading's line and what follows, up to the next heading.
    text: str
    # Where it begins, from one.
    line: int
    # What tells it from the document's other sections whatever it says: the trail, and which of
    # several it is.
    key: str


class _Heading(Value):
    title: str
    level: int
    # The lines that it takes, from zero.
    first: int
    last: int


_SUFFIXES = {
    "": Form.MARKDOWN,
    ".md": Form.MARKDOWN,
    ".mdown": Form.MARKDOWN,
    ".markdown": Form.MARKDOWN,
    ".txt": Form.MARKDOWN,
    ".text": Form.MARKDOWN,
    ".rst": Form.RST,
    ".rest": Form.RST,
}
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
# What begins a line that is no paragraph, and so no heading either when a line is under it.
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)| {0,3}[>|]| {4}|\t")
_UNDERLINE = re.compile(r"([!-/:-@[-`{-~])\1*[ \t]*")
_SHORTEST_UNDERLINE = 4
_JOINT = " > "


def form_of(name: str) -> Form | None:
    """The form of a document by the name of its file, None for what is no document.

    >>> form_of("docs/Decisions.MD"), form_of("session-log"), form_of("logo.png")
    (<Form.MARKDOWN: 'markdown'>, <Form.MARKDOWN: 'markdown'>, None)
    """
    suffix = "".join(name.rpartition("/")[2].rpartition(".")[1:])
    return _SUFFIXES.get(suffix.lower() if "." in suffix else "")


def split(text: str, form: Form = Form.MARKDOWN, longest: int = LONGEST) -> tuple[Section, ...]:
    r"""The sections of a document, in order.

    Each line that says something is in exactly one of them, except that of a heading which has
    nothing of its own under it: that is in the trails of those below.

    >>> for section in split("# Decisions\n## Store\nSQLite.\n## Wire\nMCP."):
    ...     print(section.line, section.key)
    2 Decisions > Store
    4 Decisions > Wire
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    headings = list(_underlined(lines) if form is Form.RST else _markdown(lines))
    seen: set[str] = set()
    return tuple(
        Section(
            trail[-1] if trail else "",
            trail,
            "\n".join(lines[first:end]),
            first + 1,
            _numbered(_JOINT.join(trail), seen),
        )
        for trail, start, stop in _ranges(lines, headings)
        for first, end in _pieces(lines, start, stop, longest)
    )


def _markdown(lines: Sequence[str]) -> Iterator[_Heading]:
    number, fence = _front_matter(lines), ""
    while number < len(lines):
        line = lines[number]
        mark = _FENCE.fullmatch(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif found := _ATX.fullmatch(line):
            yield _Heading(_unclosed((found[2] or "").strip()), len(found[1]), number, number)
        elif heading := _setext(lines, number):
            yield heading
            number += 1
        number += 1


def _unclosed(title: str) -> str:
    """A heading without the marks that may close it.

    >>> _unclosed("Store ##"), _unclosed("Learning C#"), _unclosed("##")
    ('Store', 'Learning C#', '')
    """
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def _setext(lines: Sequence[str], number: int) -> _Heading | None:
    """The heading that begins on this line and is underlined on the next."""
    line = lines[number]
    under = _SETEXT.fullmatch(lines[number + 1]) if number + 1 < len(lines) else None
    above = lines[number - 1].strip() if number else ""
    # A paragraph of several lines over a rule is text, whatever CommonMark makes of it.
    if not under or above or not line.strip() or _NO_PARAGRAPH.match(line):
        return None
    return _Heading(line.strip(), 1 if under[1][0] == "=" else 2, number, number + 1)


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines the settings take that stand before a document between two rules."""
    if lines[0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 2) if line.rstrip() in {"---", "..."})
    return next(ends, 0)


def _underlined(lines: Sequence[str]) -> Iterator[_Heading]:
    styles: list[tuple[str, bool]] = []
    number = 0
    while number < len(lines):
        found = _adorned(lines, number)
        if found is None:
            number += 1
            continue
        title, style, last = found
        if style not in styles:
            styles.append(style)
        yield _Heading(title, styles.index(style) + 1, number, last)
        number = last + 1


def _adorned(lines: Sequence[str], number: int) -> tuple[str, tuple[str, bool], int] | None:
    """The heading that begins on this line: its text, how it is marked, and its last line."""
    if number and lines[number - 1].strip():
        return None
    over = _UNDERLINE.fullmatch(lines[number])
    at = number + 1 if over else number
    title, following = ([line.strip() for line in lines[at : at + 2]] + ["", ""])[:2]
    under = _UNDERLINE.fullmatch(following)
    if not title or not under or _UNDERLINE.fullmatch(lines[at]):
        return None
    drawn = lines[at + 1].rstrip()
    if lines[number].rstrip() != drawn if over else lines[at][:1].isspace():
        return None
    if len(drawn) < min(len(title), _SHORTEST_UNDERLINE):
        return None
    return title, (under[1], bool(over)), at + 1


def _ranges(
    lines: Sequence[str], headings: Sequence[_Heading]
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """The trail of each section with its lines: from, up to but without."""
    first = headings[0].first if headings else len(lines)
    if _says(lines, 0, first):
        yield (), 0, first
    open_: list[_Heading] = []
    for heading, following in zip_longest(headings, headings[1:]):
        open_ = [*(one for one in open_ if one.level < heading.level), heading]
        end = following.first if following else len(lines)
        below = following is not None and following.level > heading.level
        if _says(lines, heading.last + 1, end) or (heading.title and not below):
            yield tuple(one.title for one in open_ if one.title), heading.first, end


def _pieces(lines: Sequence[str], start: int, stop: int, longest: int) -> Iterator[tuple[int, int]]:
    """The lines of a section without blank edges, cut, best at a blank line, where it is long."""
    first, size, blank = start, 0, start
    for number in range(start, stop):
        size += len(lines[number]) + 1
        if not lines[number].strip():
            blank = number
        elif size > longest and _says(lines, first, number):
            cut = blank if _says(lines, first, blank) else number
            yield _trimmed(lines, first, cut)
            first = blank = cut
            size = sum(len(lines[at]) + 1 for at in range(cut, number + 1))
    yield _trimmed(lines, first, stop)


def _trimmed(lines: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    while not lines[start].strip():
        start += 1
    while not lines[stop - 1].strip():
        stop -= 1
    return start, stop


def _says(lines: Sequence[str], start: int, stop: int) -> bool:
    return any(line.strip() for line in lines[start:stop])


def _numbered(key: str, seen: set[str]) -> str:
    numbers = (f"{key} ({number})" for number in count(2))
    free = key if key not in seen else next(one for one in numbers if one not in seen)
    seen.add(free)
    return free
