"""The files of a project: what is there, what is left out and why, and what each one says."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from time import time_ns
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


# The time of a file that may change without its time doing so; it is read again the next time.
UNSETTLED = -1


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


class Ignoring:
    """What is ignored in a project at one moment, for many paths."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._rules: dict[str, tuple[_Ignored, ...]] = {}
        self._folders: dict[str, bool] = {"": False}

    def __call__(self, path: str) -> bool:
        """Whether one path is ignored, itself or with a folder that it is in."""
        base, _, name = path.rpartition("/")
        return self._within(base) or self._here(base, name, folder=False)

    def _within(self, folder: str) -> bool:
        known = self._folders.get(folder)
        if known is None:
            base, _, name = folder.rpartition("/")
            known = self._within(base) or self._here(base, name, folder=True)
            self._folders[folder] = known
        return known

    def _here(self, base: str, name: str, *, folder: bool) -> bool:
        path = f"{base}/{name}" if base else name
        return _hidden(name, folder=folder) or _matches(self._all(base), path, folder)

    def _all(self, base: str) -> tuple[_Ignored, ...]:
        """The rules of a folder and of those above it."""
        if base not in self._rules:
            above = self._all(base.rpartition("/")[0]) if base else ()
            self._rules[base] = above + _rules(self._root, base)
        return self._rules[base]


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


# A file that was written this many nanoseconds ago may be written once more without its time being
# another, since clocks of file systems are coarse.
_COARSE = 20_000_000


def _found(entry: os.DirEntry[str], path: str) -> Found:
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return Found(_text(path), 0, 0, skip.UNREADABLE)
    reason = skip.by_name(path, state.st_size)
    settled = abs(time_ns() - state.st_mtime_ns) > _COARSE
    modified = state.st_mtime_ns if settled else UNSETTLED
    return Found(_text(path), state.st_size, modified, reason or _odd(path))


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
