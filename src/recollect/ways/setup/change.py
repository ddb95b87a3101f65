"""A change to one settings file: shown first, done whole or not at all, and undone to the byte.

What the file was is kept until the change is undone. Undone, a file that nobody has touched since
is what it was, byte for byte; any other is without the entry, and else as it is.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import contextmanager, suppress
from difflib import unified_diff
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from recollect.engine.whole import write
from recollect.errors import Conflict, InvalidRequest, Unavailable
from recollect.rules.edit import Unclear, at, jsonc, toml
from recollect.value import Value, replace
from recollect.ways.setup.clients import NAME, file
from recollect.ways.setup.hooks import commands, hooked, unhooked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recollect.rules.edit import Path
    from recollect.ways.setup.clients import Client, Start

_LARGEST = 32 << 20


class Change(Value):
    """What a settings file is and what it will be; None for a file that is not there."""

    client: Client
    path: str
    before: bytes | None
    after: bytes | None
    # Whether it is about hooks; else about the server.
    hooks: bool = False

    @property
    def name(self) -> str:
        """What it is kept under until it is undone."""
        return f"{self.client.name}-hooks" if self.hooks else self.client.name

    @property
    def title(self) -> str:
        """What it is about, as people say it."""
        return f"{self.client.title} (hooks)" if self.hooks else self.client.title

    @property
    def needed(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def shown(self) -> Iterator[str]:
        """The change as people read changes."""
        old, new = (
            (one or b"").decode("utf-8", "replace").splitlines()
            for one in (self.before, self.after)
        )
        yield from unified_diff(old, new, self.path, self.path, lineterm="", n=2)


class Kept(Value):
    """What a file was before it was changed, and the digest of what it became."""

    before: bytes | None
    after: str


class Keeper:
    """Keeps what files were before they were changed, in a folder of our own."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "clients")

    def kept(self, change: Change) -> Kept | None:
        """What a file was before such a change; None where nothing was changed."""
        path = self._path(change, "json")
        try:
            with open(path, encoding="utf-8") as notes:
                said = json.load(notes)
            before = _read(self._path(change, "before")) if said["existed"] else None
            return Kept(before, str(said["after"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(
                f"What {path} says of an earlier change cannot be read. Remove it, and look through"
                f" the settings of {change.title} yourself.",
                path=path,
            ) from error

    def keep(self, change: Change) -> str:
        """Keep what a file was before any change of ours. Answers where, if there was one."""
        before = _untouched(change, self.kept(change))
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        copy = self._path(change, "before")
        if before is not None:
            write(copy, before, 0o600)
        notes = {
            "path": change.path,
            "existed": before is not None,
            "after": _digest(change.after),
        }
        write(self._path(change, "json"), json.dumps(notes).encode(), 0o600)
        return copy if before is not None else ""

    def forget(self, change: Change) -> None:
        """Forget it: the change is undone."""
        for kind in ("json", "before"):
            with suppress(FileNotFoundError):
                os.unlink(self._path(change, kind))

    def _path(self, change: Change, kind: str) -> str:
        return os.path.join(self._folder, f"{change.name}.{kind}")


def putting(client: Client, start: Start, home: Mapping[str, str]) -> Change:
    """The change that lets a client start the server."""
    path = file(client, home)
    before = _read(path)
    text = _text(before, path)
    entry = client.entry(start)
    with _explained(client, path, _by_hand(client, entry)):
        document = _form(client).read(text)
        table = _table(client, document)
        made = _form(client).put(text, (*table, NAME), entry)
    return Change(client, path, before, made.encode())


def taking(client: Client, keeper: Keeper, home: Mapping[str, str]) -> Change:
    """The change that takes it out again."""
    path = file(client, home)
    now = _read(path)
    return _taking(Change(client, path, now, now), keeper)


def putting_hooks(client: Client, start: Start, home: Mapping[str, str]) -> Change:
    """The change that lets a client, which has hooks, run ours."""
    path = _hooks_file(client, home)
    before = _read(path)
    with _explained(client, path):
        made = hooked(_text(before, path), shlex.join([start.command, *start.hook]))
    # An empty file is no settings; a file that says what it should stays as it is.
    return Change(client, path, before, made.encode(), hooks=True)


def taking_hooks(client: Client, keeper: Keeper, home: Mapping[str, str]) -> Change:
    """The change that takes them out again."""
    path = _hooks_file(client, home)
    now = _read(path)
    return _taking(Change(client, path, now, now, hooks=True), keeper)


def hooks(client: Client, home: Mapping[str, str]) -> Mapping[str, str]:
    """The commands of ours that a client runs, by what has to happen."""
    path = _hooks_file(client, home)
    now = _read(path)
    with _explained(client, path):
        return commands(_text(now, path))


def _hooks_file(client: Client, home: Mapping[str, str]) -> str:
    if client.hooks is None:
        raise InvalidRequest(f"{client.title} has no hooks that could be set up.")
    return client.hooks.of(home)


def _taking(change: Change, keeper: Keeper) -> Change:
    kept = keeper.kept(change)
    if kept is None:
        # Of what was not noted, only what has our name is known to be ours.
        if change.before is None or NAME.encode() not in change.before:
            return change
        kept = Kept(change.before, "")
    return replace(change, after=_untouched(change, kept))


def entry(client: Client, home: Mapping[str, str]) -> Mapping[str, object] | None:
    """How the client would start the server, as its settings say now."""
    path = file(client, home)
    now = _read(path)
    with _explained(client, path):
        document = _form(client).read(_text(now, path))
    for table in client.tables:
        found = at(document, (*table, NAME))
        if isinstance(found, dict):
            return found
    return None


def do(change: Change) -> None:
    """Change the file, if it still is what it was when the change was worked out."""
    if _read(change.path) != change.before:
        raise Conflict(
            f"{change.path} has changed meanwhile, and was left as it is. Try again.",
            path=change.path,
        )
    try:
        if change.after is None:
            os.unlink(change.path)
        else:
            os.makedirs(os.path.dirname(change.path), exist_ok=True)
            # A link stays a link: what it names is written.
            write(os.path.realpath(change.path), change.after)
    except OSError as error:
        raise Unavailable(
            f"{change.path} cannot be written ({error.strerror}). Nothing was changed; correct its"
            " permissions and try again.",
            path=change.path,
        ) from error


def _untouched(change: Change, kept: Kept | None) -> bytes | None:
    """What a file would be without us: as it was, with what others have changed in it since."""
    if kept is None or change.before is None:
        # What a person has written there by hand is theirs.
        return change.before
    if _digest(change.before) == kept.after:
        return kept.before
    client, text = change.client, _text(change.before, change.path)
    was = _text(kept.before, change.path)
    with _explained(client, change.path):
        without = unhooked(text, was) if change.hooks else _without(client, text, was)
    return without.encode()


def _without(client: Client, text: str, was: str) -> str:
    """The settings without the entry that says how the server is started."""
    form = _form(client)
    for table in client.tables:
        if at(form.read(text), (*table, NAME)) is not None:
            text = form.take(text, (*table, NAME))
            text = _emptied(form, text, table, was)
    return text


def _emptied(form: _Form, text: str, table: Path, was: str) -> str:
    """Without the tables that were made for the entry and hold nothing else."""
    for depth in range(len(table), 0, -1):
        path = table[:depth]
        if at(form.read(text), path) == {} and at(form.read(was), path) is None:
            text = form.take(text, path)
    return text


class _Form(Protocol):
    """A language that settings are written in."""

    def read(self, text: str, /) -> object: ...
    def put(self, text: str, path: Path, value: object, /) -> str: ...
    def take(self, text: str, path: Path, /) -> str: ...


def _form(client: Client) -> _Form:
    return toml if client.toml else jsonc


def _table(client: Client, document: object) -> Path:
    *others, usual = client.tables
    return next((table for table in others if isinstance(at(document, table), dict)), usual)


def _by_hand(client: Client, entry: Mapping[str, object]) -> str:
    """What a person would write, where nothing else may change with it."""
    table = ".".join(client.tables[-1])
    if client.toml:
        said = ", ".join(f"{name} = {json.dumps(value)}" for name, value in entry.items())
        return f"add this to {table} by hand: {NAME} = {{ {said} }}"
    return f"add this to {table} by hand: {json.dumps({NAME: dict(entry)})[1:-1]}"


@contextmanager
def _explained(
    client: Client, path: str, otherwise: str = "change them by hand."
) -> Iterator[None]:
    try:
        yield
    except Unclear as why:
        raise InvalidRequest(
            f"The settings of {client.title} in {path} were left as they are: {why}. Correct that"
            f" there and try again, or {otherwise}",
            path=path,
        ) from None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as settings:
            found = settings.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read ({error.strerror}). Correct its permissions and try again.",
            path=path,
        ) from error
    if len(found) > _LARGEST:
        raise Unavailable(f"{path} is too large for a settings file; look into it.", path=path)
    return found


def _text(content: bytes | None, path: str) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest(
            f"{path} is not text in UTF-8, and was left as it is. Save it as UTF-8 and try again.",
            path=path,
        ) from None


def _digest(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()
