"""Changes to settings files of others: one place in the text, everything else as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

Path: TypeAlias = "Sequence[str]"


class Unclear(ValueError):
    """The text is not what it should be, or cannot be changed in one place. Says why."""


def merged(document: object, path: Path, value: object) -> object:
    """The document with a value at a path; tables that are missing are made.

    >>> merged({"a": 1}, ("b", "c"), 2)
    {'a': 1, 'b': {'c': 2}}
    """
    if not path:
        return value
    if not isinstance(document, dict):
        raise Unclear(f"what should be a table with {path[0]!r} in it is none")
    first, *rest = path
    return {**document, first: merged(document.get(first, {}), rest, value)}


def without(document: object, path: Path) -> object:
    """The document without what is at a path, if it is there.

    >>> without({"a": {"b": 1, "c": 2}}, ("a", "b"))
    {'a': {'c': 2}}
    """
    if not isinstance(document, dict) or path[0] not in document:
        return document
    first, *rest = path
    if rest:
        return {**document, first: without(document[first], rest)}
    return {key: value for key, value in document.items() if key != first}


def at(document: object, path: Path) -> object:
    """What is at a path, or None.

    >>> at({"a": {"b": 1}}, ("a", "b")), at({"a": 1}, ("a", "b"))
    (1, None)
    """
    for step in path:
        if not isinstance(document, dict):
            return None
        document = document.get(step)
    return document
