"""Reads documents out of the folders that a caller may have read, and out of no others."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from glob import glob, has_magic
from typing import TYPE_CHECKING

from recollect.rules import check
from recollect.rules.split import form_of
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# What a project usually writes down for those who come later.
USUAL = ("session-log", "decisions", "requirements")
_USUAL_FOLDERS = ("docs", "")
_LARGEST = 10 * 1024 * 1024
_MOST_FILES = 5_000
_LONGEST_NAME = 500
_SHOWN = 200

OUTSIDE = "is outside of the folders that may be read"
LEAVES = "is a link that leaves the folders that may be read"
MISSING = "is not there"
BINARY = "is binary"
NO_DOCUMENT = "is no Markdown, text or reStructuredText"
LINKED = "is a link to a folder, which is not followed; name the folder itself"


class Document(Value):
    """A file's text, under the name that it has within its folder, and where that really is."""

    name: str
    text: str
    place: str = ""


class Read(Value):
    """What could be read, and what could not, with the reason."""

    documents: tuple[Document, ...]
    skipped: tuple[str, ...]


class Unread(Exception):
    """A file that is not read. Its text is the reason."""


class _Place(Value):
    """A file to be read: what the caller called it, and where it is."""

    said: str
    path: str
    # Whether the caller named the file itself, and not a folder that it is in.
    named: bool


def is_document(path: str) -> bool:
    """Whether a file is a document, by its name."""
    return form_of(path) is not None


def read(
    sources: Sequence[str],
    roots: Sequence[str],
    wanted: Callable[[str], bool] = is_document,
    largest: int = _LARGEST,
) -> Read:
    """The documents that are meant: files, folders and patterns, or else what is usual.

    Of a folder, those whose names are wanted; what is named itself is read whatever it is called.
    """
    allowed = [os.path.realpath(root) for root in roots]
    documents: dict[str, Document] = {}
    skipped: list[str] = []
    places = _named(sources, roots) if sources else _usual(roots)
    for place in places:
        try:
            real = _within(place.path, allowed)
            if real not in documents:
                _expect(place, real, wanted)
                documents[real] = _document(real, allowed, largest)
        except Unread as reason:
            skipped.append(f"{_shown(place.said)}: {reason}")
        if len(documents) + len(skipped) >= _MOST_FILES:
            skipped.append(f"there are more than {_MOST_FILES} files; name fewer")
            break
    return Read(tuple(documents.values()), tuple(dict.fromkeys(skipped)))


def ref(said: str, most: int = check.LONGEST_NAME) -> str:
    """Where something is from, as a record may hold it: what is too long ends in its hash."""
    if len(said) <= most:
        return said
    return f"{said[: most - 65]}~{hashlib.sha256(said.encode()).hexdigest()}"


def _usual(roots: Sequence[str]) -> Iterator[_Place]:
    """What lies at the usual places of the first folder, in whatever case it is written."""
    for folder in _USUAL_FOLDERS:
        base = os.path.join(roots[0], folder) if roots else ""
        try:
            names = sorted(os.listdir(base))
        except OSError:
            continue
        for name in names:
            if name.lower().startswith(USUAL):
                said = f"{folder}/{name}" if folder else name
                yield from _inside(_Place(said, os.path.join(base, name), named=False), roots)


def _named(sources: Sequence[str], roots: Sequence[str]) -> Iterator[_Place]:
    """What was asked for, one file after the other."""
    for source in sources:
        path = os.path.join(roots[0], source) if roots else source
        if has_magic(source) and not _is_there(path):
            # A pattern is looked up only below a folder that may be read.
            found = sorted(glob(path, recursive=True)) if ".." not in source else []
            for one in found or [path]:
                said = os.path.relpath(one, roots[0]) if roots else one
                yield from _inside(_Place(said, one, named=False), roots)
        else:
            yield from _inside(_Place(source, path, named=True), roots)


def _inside(place: _Place, roots: Sequence[str]) -> Iterator[_Place]:
    """The files of a folder that may be read, in order; anything else as it is."""
    allowed = [os.path.realpath(root) for root in roots]
    try:
        folder = _within(place.path, allowed)
    except Unread:
        yield place
        return
    if not os.path.isdir(folder):
        yield place
        return
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted([*names, *(one for one in folders if os.path.islink(f"{at}/{one}"))]):
            if not name.startswith("."):
                path = os.path.join(at, name)
                said = os.path.join(place.said, os.path.relpath(path, folder))
                yield _Place(said, path, named=False)


def _within(path: str, allowed: Sequence[str]) -> str:
    """Where a path really leads, if that may be read."""
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        raise Unread(MISSING) from None
    if _root_of(real, allowed) is not None:
        return real
    lexical = os.path.abspath(path)
    inside = any(_root_of(one, allowed) for one in (lexical, os.path.dirname(lexical)))
    raise Unread(LEAVES if inside and os.path.lexists(path) else OUTSIDE)


def _root_of(real: str, allowed: Sequence[str]) -> str | None:
    return next((root for root in allowed if os.path.commonpath([root, real]) == root), None)


def _expect(place: _Place, real: str, wanted: Callable[[str], bool]) -> None:
    if not place.named and os.path.isfile(real) and not wanted(real):
        raise Unread(NO_DOCUMENT)


def _document(real: str, allowed: Sequence[str], largest: int) -> Document:
    text, root = _text(real, largest), _root_of(real, allowed) or ""
    name = os.path.relpath(real, root)
    if root != allowed[0]:
        name = os.path.join(os.path.basename(root), name)
    if len(name) > _LONGEST_NAME:
        raise Unread(f"has a path of more than {_LONGEST_NAME} characters")
    return Document(_named_by(name), text, _named_by(ref(real, _LONGEST_NAME)))


def _named_by(path: str) -> str:
    return _shown(path.replace(os.sep, "/"), _LONGEST_NAME)


def _text(real: str, largest: int) -> str:
    """What a file says. It is opened without waiting, for it may be a pipe."""
    try:
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENAMETOOLONG, errno.ENOTDIR}:
            raise Unread(MISSING) from None
        raise Unread("cannot be read; check its permissions") from None
    try:
        state = os.fstat(handle)
        if stat.S_ISDIR(state.st_mode):
            raise Unread(LINKED)
        if not stat.S_ISREG(state.st_mode):
            raise Unread("is no file")
        if state.st_size > largest:
            raise Unread(f"is larger than {largest // 1024 // 1024} MB; split it up")
        with open(handle, "rb", closefd=False) as file:
            content = file.read(largest + 1)
    except OSError:
        raise Unread("cannot be read; check the disk") from None
    finally:
        os.close(handle)
    if b"\0" in content:
        raise Unread(BINARY)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Unread(f"{BINARY}, or not in UTF-8") from None


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _shown(name: str, most: int = _SHOWN) -> str:
    """A name as an answer may hold it: of bounded length, and text throughout."""
    return name[:most].encode(errors="replace").decode()
