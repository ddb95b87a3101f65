"""JSON with comments and trailing commas: read, and changed in one place of the text.

Every change is proved: the new text is read again, and has to say what was meant and nothing else.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from recollect.rules.edit import Unclear, at, merged, without
from recollect.value import Value

if TYPE_CHECKING:
    from recollect.rules.edit import Path

_blank = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL).match
_string = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL).match
_scalar = re.compile(r"[^\s,\]}/]+").match
_rest = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?:(?!\*/)[^\r\n])*\*/[ \t]*)?(?=\r?\n)").match
_DEEPEST = 100
_MARK = "\ufeff"


class Node(Value):
    """A value, where it stands, and what is in it."""

    start: int
    end: int
    value: object
    # Of an object: by name, where the name begins and the value; the last one of a name counts.
    # Of an array: by number.
    members: dict[str, tuple[int, Node]]
    # Where there are members: whether a comma follows the last one.
    comma: bool = False


def read(text: str) -> object:
    """What a text says; nothing at all is an empty object.

    >>> read('{"a": [1, 2,], /* b */ }')
    {'a': [1, 2]}
    """
    return _root(text).value


def put(text: str, path: Path, value: object) -> str:
    """The text with a value at a path, in the text's own style.

    >>> put('{"a": 1}', ("b",), 2)
    '{"a": 1, "b": 2}'
    """
    root = _root(text)
    meant = merged(root.value, path, value)
    if at(root.value, path) == value and value is not None:
        return text
    if not text.strip(f"{_MARK} \t\r\n"):
        made = f"{json.dumps(meant, indent=2, ensure_ascii=False)}\n"
    else:
        made = _placed(text, root, path, value)
    return _proved(made, meant)


def take(text: str, path: Path) -> str:
    """The text without what is at a path.

    >>> take('{"a": 1, "b": 2}', ("b",))
    '{"a": 1}'
    """
    root = _root(text)
    holder = _within(root, path[:-1])
    if holder is None or path[-1] not in holder.members:
        return text
    start, node = holder.members[path[-1]]
    return _proved(_cut(text, holder, start, node.end), without(root.value, path))


def append(text: str, path: Path, value: object) -> str:
    """The text with one more value at the end of the array at a path, which is made if need be.

    >>> append('{"a": [1]}', ("a",), 2)
    '{"a": [1, 2]}'
    """
    root = _root(text)
    known = at(root.value, path)
    if known is None:
        return put(text, path, [value])
    holder = _within(root, path)
    if holder is None or not isinstance(known, list):
        raise Unclear(f"what should be a list at {path[-1]!r} is none")
    made = _added(text, root, holder, None, value)
    return _proved(made, merged(root.value, path, [*known, value]))


def drop(text: str, path: Path, place: int) -> str:
    """The text without one value of the array at a path.

    >>> drop('{"a": [1, 2]}', ("a",), 0)
    '{"a": [2]}'
    """
    root = _root(text)
    known, holder = at(root.value, path), _within(root, path)
    if holder is None or not isinstance(known, list):
        raise Unclear(f"what should be a list at {path[-1]!r} is none")
    start, node = holder.members[str(place)]
    left = [*known[:place], *known[place + 1 :]]
    return _proved(_cut(text, holder, start, node.end), merged(root.value, path, left))


def _root(text: str) -> Node:
    mark = len(text) - len(text.removeprefix(_MARK))
    start = _skip(text, mark)
    if start == len(text):
        return Node(start, start, {}, {})
    root = _node(text, start, 0)
    if _skip(text, root.end) != len(text):
        raise Unclear(f"something follows the end of the JSON on line {_line(text, root.end)}")
    if not isinstance(root.value, dict):
        raise Unclear("it is JSON, and no object")
    return root


def _node(text: str, start: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise Unclear("it is nested too deeply")
    if text[start : start + 1] == "{":
        return _object(text, start, depth)
    if text[start : start + 1] == "[":
        return _array(text, start, depth)
    found = _string(text, start) if text[start : start + 1] == '"' else _scalar(text, start)
    if found is None:
        raise Unclear(f"a value is missing on line {_line(text, start)}")
    try:
        return Node(start, found.end(), json.loads(found[0], strict=False), {})
    except ValueError:
        raise Unclear(f"{found[0][:40]!r} on line {_line(text, start)} is no value") from None


def _object(text: str, start: int, depth: int) -> Node:
    members: dict[str, tuple[int, Node]] = {}
    comma = False
    here = _skip(text, start + 1)
    while text[here : here + 1] != "}":
        name = _string(text, here)
        if name is None or (members and not comma):
            raise Unclear(f"a name, a comma or a brace is missing on line {_line(text, here)}")
        colon = _skip(text, name.end())
        if text[colon : colon + 1] != ":":
            raise Unclear(f"a colon is missing on line {_line(text, colon)}")
        node = _node(text, _skip(text, colon + 1), depth + 1)
        members[json.loads(name[0], strict=False)] = (here, node)
        here, comma = _after(text, node.end)
    values = {key: node.value for key, (_, node) in members.items()}
    return Node(start, here + 1, values, members, comma)


def _array(text: str, start: int, depth: int) -> Node:
    members: dict[str, tuple[int, Node]] = {}
    comma = False
    here = _skip(text, start + 1)
    while text[here : here + 1] != "]":
        if members and not comma:
            raise Unclear(f"a comma or a bracket is missing on line {_line(text, here)}")
        node = _node(text, here, depth + 1)
        members[str(len(members))] = (here, node)
        here, comma = _after(text, node.end)
    values = [node.value for _, node in members.values()]
    return Node(start, here + 1, values, members, comma)


def _after(text: str, end: int) -> tuple[int, bool]:
    """Where the next thing stands after a value, and whether a comma was passed."""
    here = _skip(text, end)
    if text[here : here + 1] == ",":
        return _skip(text, here + 1), True
    return here, False


def _skip(text: str, start: int) -> int:
    found = _blank(text, start)
    return start if found is None else found.end()


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _within(node: Node, path: Path) -> Node | None:
    for step in path:
        if step not in node.members:
            return None
        node = node.members[step][1]
    return node


def _placed(text: str, root: Node, path: Path, value: object) -> str:
    """The text with the value, in the deepest object that is there already."""
    holder, rest = root, list(path)
    while len(rest) > 1 and rest[0] in holder.members:
        holder = holder.members[rest.pop(0)][1]
    if rest[0] in holder.members and len(rest) == 1:
        start, node = holder.members[rest[0]]
        shown = _shown(text, value, _indent(text, start), _step(text, root))
        return text[: node.start] + shown + text[node.end :]
    for step in reversed(rest[1:]):
        value = {step: value}
    return _added(text, root, holder, rest[0], value)


def _added(text: str, root: Node, holder: Node, name: str | None, value: object) -> str:
    """One more member behind the last one."""
    step = _step(text, root)
    key = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    if holder.members:
        start, last = list(holder.members.values())[-1]
        alone = "\n" in text[holder.start : start]
        indent = _indent(text, start)
        comma = text.index(",", _skip(text, last.end)) + 1 if holder.comma else last.end
        # What is noted behind the last member stays with it.
        noted = _rest(text, comma) if alone else None
        end = noted.end() if noted else comma
        gap = f"{_break(text)}{indent}" if alone else " "
        shown = _shown(text, value, indent, step if alone else "")
        lead, tail = ("", ",") if holder.comma else (",", "")
        return f"{text[:comma]}{lead}{text[comma:end]}{gap}{key}{shown}{tail}{text[end:]}"
    outer = _indent(text, holder.start)
    indent = outer + step
    shown = _shown(text, value, indent, step)
    inside = text[holder.start + 1 : holder.end - 1]
    opened = f"{text[: holder.start + 1]}{inside.rstrip()}"
    # What stands in an object without members is a comment, and stays in front.
    return (
        f"{opened}{_break(text)}{indent}{key}{shown}{_break(text)}{outer}{text[holder.end - 1 :]}"
    )


def _cut(text: str, holder: Node, start: int, end: int) -> str:
    """The text without a member, its comma, and the line that it had to itself."""
    first = min(begin for begin, _ in holder.members.values()) == start
    here = _skip_spaces(text, end)
    followed = text[here : here + 1] == ","
    if followed:
        end = here + 1
    elif not first:
        # The last one: the comma before it goes, unless the file likes it there.
        before = _before(text, holder, start)
        comma = text.index(",", _skip(text, before))
        return text[:comma] + text[comma + 1 : start].rstrip() + text[end:]
    gap = len(text[:start]) - len(text[:start].rstrip(" \t"))
    if "\n" in text[max(start - gap - 1, 0) : start - gap] or start == gap:
        line = re.compile(r"[ \t]*(?:\r?\n)?").match(text, end)
        return text[: start - gap] + text[line.end() if line else end :]
    return text[:start] + text[_skip_spaces(text, end) :]


def _before(text: str, holder: Node, start: int) -> int:
    """Where the member before the one that begins here ends."""
    del text
    return max(node.end for begin, node in holder.members.values() if begin < start)


def _skip_spaces(text: str, start: int) -> int:
    while text[start : start + 1] in {" ", "\t"}:
        start += 1
    return start


def _shown(text: str, value: object, indent: str, step: str) -> str:
    """A value as the text would write it."""
    if not step:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=step).split("\n")
    return f"{_break(text)}{indent}".join(lines)


def _indent(text: str, place: int) -> str:
    """What stands in front of the line of a place."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str, root: Node) -> str:
    """What the text indents by."""
    for start, _ in root.members.values():
        if (indent := _indent(text, start)) and "\n" in text[:start]:
            return indent
    return "  "


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _proved(made: str, meant: object) -> str:
    if read(made) != meant:
        raise Unclear("it cannot be changed without changing something else")
    return made
