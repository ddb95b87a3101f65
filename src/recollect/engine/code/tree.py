"""The files of a project: what is there, what is left out and why, and what each one says."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from typing import TYPE_CHECKING

from recollect.rules.code import skip
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathspec import GitIgnoreSpec

_IGNORING = (".gitignore", ".recollectignore")
_EXCLUDED = os.path.join(".git", "info", "exclude")
# What begins with a dot is a tool's own business, but for these.
_KEPT = frozenset((".github", ".gitlab-ci.yml", ".circleci"))
_DEEPEST = 64
MOST_FILES = 200_000


class Found(Value):
    """A file as the folder lists it, its path relative to the project's root."""

    path: str
    size: int
    modified: int
    # Why it is not to be read; empty where it is.
    skipped: str = ""


class Content(Value):
    """What a file holds."""

    digest: str
    text: str
    skipped: str = ""


class _Ignored(Value):
    """What one folder says is to be ignored in it and below."""

    base: str
    spec: GitIgnoreSpec


def files(root: str) -> Iterator[Found]:
    """The files of a project that are not ignored, those that are not to be read among them."""
    yield from _below(root, "", (), 0)


def read(root: str, found: Found) -> Content | None:
    """What a file holds, or None where it is gone. It is opened without waiting: it may be a pipe.

    A link is not followed, so nothing outside of the project is read.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(os.path.join(root, found.path), flags)
    except FileNotFoundError:
        return None
    except OSError:
        return Content("", "", skip.UNREADABLE)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        content = file.read(skip.LARGEST + 1)
    digest = blake2b(content, digest_size=16).hexdigest()
    if len(content) > skip.LARGEST:
        return Content(digest, "", skip.HUGE)
    if reason := skip.by_content(content):
        return Content(digest, "", reason)
    text = skip.text_of(content)
    return Content(digest, "", skip.BINARY) if text is None else Content(digest, text)


def ignored(root: str, path: str) -> bool:
    """Whether one path is ignored, itself or with a folder that it is in."""
    parts = path.split("/")
    rules: tuple[_Ignored, ...] = ()
    for depth, name in enumerate(parts):
        base = "/".join(parts[:depth])
        rules += _rules(root, base)
        folder = depth < len(parts) - 1
        if _hidden(name, folder=folder) or _matches(rules, "/".join(parts[: depth + 1]), folder):
            return True
    return False


def _below(root: str, base: str, rules: tuple[_Ignored, ...], depth: int) -> Iterator[Found]:
    rules += _rules(root, base)
    folders: list[str] = []
    try:
        with os.scandir(os.path.join(root, base) if base else root) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        path = f"{base}/{entry.name}" if base else entry.name
        folder = entry.is_dir(follow_symlinks=False)
        if _matches(rules, path, folder):
            continue
        if _hidden(entry.name, folder=folder) and (folder or not skip.secret(path)):
            continue
        if folder:
            folders.append(path)
        elif entry.is_file(follow_symlinks=False):
            yield _found(entry, path)
    if depth < _DEEPEST:
        for path in folders:
            yield from _below(root, path, rules, depth + 1)


def _found(entry: os.DirEntry[str], path: str) -> Found:
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return Found(_text(path), 0, 0, skip.UNREADABLE)
    reason = skip.by_name(path, state.st_size)
    return Found(_text(path), state.st_size, state.st_mtime_ns, reason or _odd(path))


def _odd(path: str) -> str:
    return "" if _text(path) == path else "its name is no text"


def _text(path: str) -> str:
    """A path as text throughout, whatever bytes the file system has."""
    return path.encode(errors="replace").decode()


def _hidden(name: str, *, folder: bool) -> bool:
    if name.startswith("."):
        return name not in _KEPT
    return folder and name in skip.FOLDERS


def _matches(rules: tuple[_Ignored, ...], path: str, folder: bool) -> bool:  # noqa: FBT001 -- of two sorts
    """Whether the nearest rule that says anything of a path says that it is ignored."""
    for one in reversed(rules):
        inside = path[len(one.base) + 1 :] if one.base else path
        said = one.spec.check_file(f"{inside}/" if folder else inside).include
        if said is not None:
            return said
    return False


def _rules(root: str, base: str) -> tuple[_Ignored, ...]:
    names = (*_IGNORING, *((_EXCLUDED,) if not base else ()))
    lines: list[str] = []
    for name in names:
        try:
            with open(os.path.join(root, base, name), encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()
        except OSError:
            continue
    if not lines:
        return ()
    from pathspec import GitIgnoreSpec

    return (_Ignored(base, GitIgnoreSpec.from_lines(lines)),)
