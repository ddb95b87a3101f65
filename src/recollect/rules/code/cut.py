"""A source file into pieces: whole functions, methods and classes, and what is between them.

Long ones are split at their statements. What no grammar reads is cut by headings, or at blank
lines.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.rules.code.grammar import (
    ASSIGNMENTS,
    NAMESPACES,
    Sort,
    assigned,
    body_of,
    name_of,
    owner_of,
    said_by_call,
    sort_of,
    word_of,
)
from recollect.rules.code.languages import PLAIN, Form, Language, language_of
from recollect.rules.code.names import called, imported
from recollect.rules.code.pieces import Cut, Piece
from recollect.rules.split import Form as Markup
from recollect.rules.split import split
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

# A longer piece says too many things to be found by one of them.
LONGEST = 120
LONGEST_TEXT = 6_000
# What is shown of a class: all, up to so many lines; else its outline.
_SMALL = 30
_PART = 80
_WINDOW = 40
_DEEPEST = 40
_MOST_HEADER = 6
_LONGEST_DOC = 1_200
_MOST_PIECES = 4_000
_FUNCTION_SORT = Sort("function")
_METHOD_SORT = Sort("method")

_comment = re.compile(
    r"\s*(?://|#(?!\[|include|define|if|el|endif|pragma|!)|\*|/\*|--|;;|%|\"\"\")"
).match
_attribute = re.compile(r"\s*#!?\[").match
_mark = re.compile(r"^\s*(?:/\*+|\*+/|\*|//[/!]*|#+|--+|;;+|%+|\"\"\")|\*+/\s*$|\"\"\"\s*$")
_says = re.compile(r"\w").search
# What stands around definitions and says nothing without them.
_frame = re.compile(
    r"\s*(?:#\s*(?:if|ifdef|ifndef|else|elif|endif)\b|(?:inline )?namespace\b|<\?php)"
).match


class _Definition(Value):
    """A definition as it stands in the file; lines from zero, the end not included."""

    type: str
    name: str
    qualified: str
    start: int
    end: int
    # Where its body's statements begin, for cutting between them.
    cuts: tuple[int, ...]
    inner: tuple[_Definition, ...]
    holds: bool


def cut(path: str, text: str) -> Cut:
    """The pieces of a file, in order, whatever is in it.

    >>> [(piece.type, piece.name, piece.end) for piece in cut("a.py", "def f(): pass").pieces]
    [('function', 'f', 1)]
    """
    first = text[:200].partition("\n")[0]
    language = language_of(path, first) or PLAIN
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines and not lines[-1]:
        del lines[-1]
    stem = path.rpartition("/")[2]
    if language.form is Form.PROSE:
        return Cut(language.name, tuple(_sections(stem, lines, language)))
    unparsed = False
    found: tuple[_Definition, ...] = ()
    if language.grammar:
        try:
            found = _parsed(language, "\n".join(lines))
        except ImportError:
            # Without grammars much is found all the same, and whoever asks is told what is missing.
            unparsed = True
    if not found:
        type_ = "block" if language.form is Form.CONFIG else "module"
        windows = _windows(type_, stem, lines, 0, len(lines))
        return Cut(language.name, tuple(windows), _imports(language, lines), unparsed)
    pieces = _Cutter(lines, _module(path)).pieces(found)
    return Cut(language.name, tuple(pieces[:_MOST_PIECES]), _imports(language, lines))


def parses() -> bool:
    """Whether there are grammars here."""
    return find_spec("tree_sitter_language_pack") is not None


def _imports(language: Language, lines: Sequence[str]) -> tuple[str, ...]:
    return imported(language.name, lines) if language.form is Form.CODE else ()


def _module(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    return folder.rpartition("/")[2] if stem in {"__init__", "index", "mod"} and folder else stem


def _parsed(language: Language, text: str) -> tuple[_Definition, ...]:
    from tree_sitter_language_pack import get_parser

    try:
        parser = get_parser(language.grammar)  # type: ignore[arg-type]
    except LookupError:
        return ()
    tree = parser.parse(text.encode(errors="replace"))
    return tuple(_definitions(tree.root_node, None, "", 0, within=False))


def _definitions(
    node: Node, around: Node | None, owner: str, depth: int, *, within: bool
) -> Iterator[_Definition]:
    """The definitions below a node. `around` is what begins before them and is theirs too."""
    for child in node.named_children:
        begun = around if around is not None else child
        sort, name = sort_of(child.type), ""
        if sort is not None:
            name = name_of(child)
        elif child.type in ASSIGNMENTS and (name := assigned(child)):
            sort = _METHOD_SORT if "field" in child.type else _FUNCTION_SORT
        elif (said := said_by_call(child)) is not None:
            sort, name = said
        if sort is not None and name and _whole(child, sort, within=within):
            yield from _defined(child, begun, sort, name, owner, within=within, depth=depth)
        elif depth < _DEEPEST and child.named_child_count:
            further = begun if _wraps(child) else None
            yield from _definitions(child, further, owner, depth + 1, within=within)


def _whole(node: Node, sort: Sort, *, within: bool) -> bool:
    """Whether a definition says what it does, and does not only announce it."""
    announced = sort.bodied or (within and sort.type == "function")
    return not announced or node.type in UNBODIED or body_of(node) is not None


def _wraps(node: Node) -> bool:
    """Whether a node only stands around a definition: `export`, decorators, a template."""
    return node.type in _WRAPPERS


# Definitions whose body is no child of theirs by that name.
UNBODIED = ASSIGNMENTS | {"call", "Decl"}
_WRAPPERS = frozenset(
    """
    decorated_definition export_statement template_declaration lexical_declaration
    variable_declaration type_declaration expression_statement assignment_expression
    export_declaration ambient_declaration declare_statement local_declaration_statement
    """.split()
)


def _defined(  # noqa: PLR0913 -- what is around a definition decides what it is
    node: Node, around: Node, sort: Sort, name: str, owner: str, *, within: bool, depth: int
) -> Iterator[_Definition]:
    whose = owner_of(node) or owner
    qualified = f"{whose}.{name}" if whose else name
    body = body_of(node)
    inner: tuple[_Definition, ...] = ()
    start, end = around.start_point[0], _end(around)
    # Some grammars lose a body to what is before it, as Kotlin's does to `by`.
    inside = node if body is None and sort.holds else body
    if inside is not None and (sort.holds or end - start > LONGEST) and depth < _DEEPEST:
        holds = sort.holds and node.type not in NAMESPACES
        inner = tuple(_definitions(inside, None, qualified, depth + 1, within=holds))
    if not sort.shown:
        yield from inner
        return
    type_ = word_of(node, sort)
    if type_ == "function" and (within or (whose and whose != owner) or "." in name):
        type_ = "method"
    elif node.type == "method" and not whose:
        type_ = "function"
    simple = name.rpartition(".")[2] if not name.startswith("operator") else name
    cuts = tuple(_cuts(body)) if body is not None and end - start > _PART else ()
    yield _Definition(type_, simple, qualified, start, end, cuts, inner, sort.holds)


def _end(node: Node) -> int:
    """The line behind a node; one that ends with a line's end is not on the next one."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def _cuts(body: Node, deep: int = 3) -> Iterator[int]:
    """The lines on which statements begin, and where one is long, those inside of it."""
    for child in body.named_children:
        yield child.start_point[0]
        if deep and child.end_point[0] - child.start_point[0] > _WINDOW:
            yield from _cuts(child, deep - 1)


class _Cutter:
    """One file's definitions, and what is between them, as pieces."""

    def __init__(self, lines: Sequence[str], module: str) -> None:
        self._lines = lines
        self._module = module

    def pieces(self, found: Sequence[_Definition]) -> list[Piece]:
        """All pieces of the file, in order."""
        ordered = sorted(found, key=lambda one: (one.start, -one.end))
        made: list[Piece] = []
        at = 0
        for one in ordered:
            if one.start < at and one.end <= at:
                # On the lines of what came before it, such as a second function of one line.
                made += self._of(one)
                continue
            start = self._start(one.start, at)
            made += self._between(at, start)
            made += self._of(one)
            at = max(at, one.end)
        made += self._between(at, len(self._lines))
        return sorted(made, key=lambda piece: (piece.start, -piece.end))

    def _of(self, one: _Definition) -> Iterator[Piece]:
        doc, first = self._above(one.start)
        start = min(one.start, first)
        code = self._lines[start : one.end]
        held = {inner.name for inner in one.inner}
        calls = tuple(name for name in called(code, one.name) if name not in held)
        whole = (one.type, one.name, one.qualified, start + 1, one.end)
        if one.inner and (not one.holds or len(code) > _SMALL):
            yield from self._outlined(one, start, doc)
        elif self._fits(code):
            yield Piece(*whole, "\n".join(code), doc, calls)
        else:
            yield from self._parts(one, start, doc)
        for inner in one.inner:
            yield from self._of(inner)

    def _outlined(self, one: _Definition, start: int, doc: str) -> Iterator[Piece]:
        """A class without the bodies of what has pieces of its own."""
        shown: list[str] = []
        own: list[str] = []
        at = start
        for inner in sorted(one.inner, key=lambda each: each.start):
            if inner.start < at:
                continue
            own += self._lines[at : inner.start]
            shown += self._lines[at : inner.start]
            shown += self._header(inner)
            at = inner.end
        own += self._lines[at : one.end]
        shown += self._lines[at : one.end]
        yield Piece(
            one.type,
            one.name,
            one.qualified,
            start + 1,
            one.end,
            _trimmed(shown),
            doc,
            called(own, one.name),
        )

    def _header(self, one: _Definition) -> list[str]:
        header = list(self._lines[one.start : min(one.end, one.start + _MOST_HEADER)])
        for at, line in enumerate(header):
            if line.rstrip().endswith(("{", ":", ";", "do", "=")):
                header = header[: at + 1]
                break
        indent = header[-1][: len(header[-1]) - len(header[-1].lstrip())] if header else ""
        return header if len(header) >= one.end - one.start else [*header, f"{indent}    …"]

    def _parts(self, one: _Definition, start: int, doc: str) -> Iterator[Piece]:
        header = self._header(one)
        for number, (low, high) in enumerate(self._ranges(start, one.end, one.cuts), start=1):
            code = self._lines[low:high]
            text = "\n".join(code if number == 1 else [*header, *code])
            calls = called(code, one.name)
            yield Piece(one.type, one.name, one.qualified, low + 1, high, text, doc, calls, number)

    def _ranges(self, start: int, end: int, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Lines in parts of bounded size, cut where statements begin wherever that is possible."""
        allowed = sorted({at for at in cuts if start < at < end})
        low = start
        while low < end:
            high = self._reach(low, end)
            if high < end:
                fitting = [at for at in allowed if low + _PART // 4 < at <= high]
                high = fitting[-1] if fitting else high
            yield low, high
            low = high

    def _reach(self, low: int, end: int) -> int:
        """How far a part may go: so many lines, and so many characters."""
        size = 0
        for at in range(low, min(end, low + _PART)):
            size += len(self._lines[at]) + 1
            if size > LONGEST_TEXT and at > low:
                return at
        return min(end, low + _PART)

    def _fits(self, code: Sequence[str]) -> bool:
        return len(code) <= LONGEST and sum(map(len, code)) + len(code) <= LONGEST_TEXT

    def _start(self, start: int, at: int) -> int:
        """Where the comment and the attributes over a definition begin, behind what was before."""
        low = start
        while low > at and (_comment(self._lines[low - 1]) or _attribute(self._lines[low - 1])):
            low -= 1
        return low

    def _above(self, start: int) -> tuple[str, int]:
        """The comment over a definition, and where it begins with its attributes."""
        low, first = start, start
        comments: list[str] = []
        while low > 0:
            line = self._lines[low - 1]
            if _attribute(line):
                first = low - 1
            elif _comment(line):
                comments.append(line)
            else:
                break
            low -= 1
        said = (_mark.sub("", line).strip() for line in reversed(comments))
        return "\n".join(line for line in said if line)[:_LONGEST_DOC], first

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        """What is outside of all definitions: imports, constants, a script's statements."""
        while start < end and _empty(self._lines[start]):
            start += 1
        while end > start and _empty(self._lines[end - 1]):
            end -= 1
        if start < end:
            yield from _windows("module", self._module, self._lines, start, end, _PART)


def _empty(line: str) -> bool:
    return not _says(line) or _frame(line) is not None


def _windows(  # noqa: PLR0913, PLR0917 -- which lines, and what they are called
    type_: str, name: str, lines: Sequence[str], start: int, end: int, size: int = _WINDOW
) -> Iterator[Piece]:
    """Lines in parts of bounded size, cut at blank lines or else at those that are not indented."""
    low, parts = start, []
    while low < end:
        high = _reach(lines, low, end, size)
        if high < end:
            high = _pause(lines, low, high)
        if any(map(_says, lines[low:high])):
            parts.append((low, high))
        low = high
    for number, (low, high) in enumerate(parts, start=1):
        code = lines[low:high]
        yield Piece(
            type_,
            name,
            name,
            low + 1,
            high,
            _trimmed(code),
            calls=called(code, ""),
            part=number if len(parts) > 1 else 0,
        )


def _reach(lines: Sequence[str], low: int, end: int, size: int) -> int:
    taken = 0
    for at in range(low, min(end, low + size)):
        taken += len(lines[at]) + 1
        if taken > LONGEST_TEXT and at > low:
            return at
    return min(end, low + size)


def _pause(lines: Sequence[str], low: int, high: int) -> int:
    least = low + max(1, (high - low) // 3)
    for at in range(high, least, -1):
        if not lines[at - 1].strip():
            return at
    for at in range(high, least, -1):
        if lines[at : at + 1] and lines[at][:1].strip():
            return at
    return high


def _sections(name: str, lines: Sequence[str], language: Language) -> Iterator[Piece]:
    """The sections of a document."""
    markup = Markup.RST if language.name == "rst" else Markup.MARKDOWN
    for section in split("\n".join(lines), markup, LONGEST_TEXT // 2):
        said = section.text.rstrip()
        if said.strip():
            trail = " > ".join(section.trail)
            end = section.line + said.count("\n")
            yield Piece("section", section.heading or name, trail or name, section.line, end, said)


def _trimmed(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= 2 * LONGEST_TEXT else text[: 2 * LONGEST_TEXT] + "\n…"
