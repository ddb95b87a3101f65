"""The command for decision records as files: `adr import` and `adr export`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from recollect.decisions import Decide, Stand
from recollect.decisions.measured import ListDecisions
from recollect.errors import InvalidRequest, NotAllowed, SecretFound, Unavailable
from recollect.model import Scope, Where
from recollect.ops import Invalidate
from recollect.rules import adr, redact
from recollect.value import replace
from recollect.ways.cli.command import DONE, NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.show import counted
from recollect.ways.place import project

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from recollect.decisions import Decision
    from recollect.errors import RecollectError
    from recollect.rules.adr import Adr
    from recollect.ways.cli.session import Session

_MOST = 1_000
_ENDED = {adr.REJECTED, adr.DEPRECATED, adr.SUPERSEDED}
_SAID = {
    Stand.DRAFT: adr.PROPOSED,
    Stand.ACTIVE: adr.ACCEPTED,
    Stand.SUPERSEDED: adr.SUPERSEDED,
    Stand.DEPRECATED: adr.DEPRECATED,
}


def _adr(session: Session, args: Namespace) -> Reply:
    return _import(session, args) if args.what == "import" else _export(session, args)


def _import(session: Session, args: Namespace) -> Reply:
    found, skipped = _read(args.path)
    into = _Into(session, found)
    # What took the place of others comes after them.
    for name, text, one in _in_order(found):
        into.take(name, text, one)
    made, known, left = len(into.made), len(into.known), len(into.left)
    records = counted(len(found), "decision record")
    told = f"Read {records}: {made} imported, {known} as before, {left} left out."
    data = {"imported": made, "known": known, "left_out": into.left, "ids": into.ids}
    return Reply(
        (*into.lines, told) if found else ("There is no decision record there.",),
        lambda: dict(data),
        # The rest went in, but that is not all of what was asked for.
        NOT_DONE if left else DONE,
        (
            *(f"left out {name}: {why}" for name, why in into.left.items()),
            *(f"left out {name}: it is no decision record" for name in skipped),
        ),
    )


class _Into:
    """The store, as decision records go into it one by one; one that may not holds up none."""

    def __init__(self, session: Session, found: list[tuple[str, str, Adr]]) -> None:
        self._session = session
        self._found = [(name, one) for name, _, one in found]
        decisions = _decisions(session)
        self._before = {one.record.source_ref: one for one in decisions}
        # Only one of these can be superseded.
        self._active = {one.record.id for one in decisions if one.record.status == Stand.ACTIVE}
        self.ids: dict[int | str, str] = {}
        self.made: list[str] = []
        self.known: list[str] = []
        # Each with the reason.
        self.left: dict[str, str] = {}
        self.lines: list[str] = []

    def take(self, name: str, text: str, one: Adr) -> None:
        """Record a decision, unless it is known or may not be kept."""
        before = self._before.get(name)
        if before is not None and _kept(before).get("text") == text:
            self._have(name, one, before.record.id)
            self.known.append(name)
            self.lines.append(f"known already  {name}")
            return
        replaced = [self.ids[_key(n, o)] for n, o in self._found if self._is_replaced(one, n, o)]
        olds = [*replaced, *([before.record.id] if before else ())]
        olds = [id_ for id_ in dict.fromkeys(olds) if id_ in self._active]
        try:
            id_ = _decided(self._session, name, text, one, tuple(olds))
        except (InvalidRequest, NotAllowed) as error:
            self.left[name] = _reason(error, text)
            # They are over by their own word, whatever became of what took their place.
            for old in self._active.intersection(replaced):
                _end(self._session, old, adr.SUPERSEDED)
                self._active.discard(old)
            return
        self._active -= set(olds)
        if one.status == adr.ACCEPTED or one.superseded_by is not None:
            self._active.add(id_)
        self._have(name, one, id_)
        self.made.append(name)
        self.lines.append(f"{id_}  {name}")

    def _have(self, name: str, one: Adr, id_: str) -> None:
        self.ids[_key(name, one)] = id_

    def _is_replaced(self, one: Adr, name: str, other: Adr) -> bool:
        return _replaces(one, other) and _key(name, other) in self.ids


def _key(name: str, one: Adr) -> int | str:
    return name if one.number is None else one.number


def _reason(error: RecollectError, text: str) -> str:
    """Why a file was left out. Where a secret is in it, and not in what was made of it."""
    if not isinstance(error, SecretFound):
        return str(error)
    found = redact.find(text)
    where = f" on line {found[0].line}" if found else ""
    kind = error.facts["kind"] if not found else found[0].kind
    return (
        f"it holds what looks like a live secret: {kind}{where}."
        " Take it out, or set RECOLLECT_SECRETS=redact"
    )


def _decided(session: Session, name: str, text: str, one: Adr, olds: tuple[str, ...]) -> str:
    config = session.config
    number = f"adr-{one.number:04d}" if one.number is not None else name.removesuffix(".md")
    answer = session.run(
        Decide(
            one.title,
            one.reasons or one.title,
            number,
            one.consequences,
            one.options,
            scope=Scope(config.tenant, config.user, project(config)),
            author=session.author,
            supersedes=olds,
            event_time=one.date,
            source_ref=name,
            metadata=json.dumps({"adr": {"name": name, "text": text}}, ensure_ascii=False),
            draft=one.status == adr.PROPOSED,
        )
    )
    id_ = answer.decision.record.id
    if one.status in _ENDED and one.superseded_by is None:
        _end(session, id_, one.status)
    return id_


def _end(session: Session, id_: str, why: str) -> None:
    session.run(Invalidate(id_, session.config.tenant, session.author, reason=why))


def _export(session: Session, args: Namespace) -> Reply:
    decisions = sorted(_decisions(session), key=lambda one: one.record.seq)
    if not args.all:
        decisions = [one for one in decisions if one.target]
    numbers = _numbers(decisions)
    try:
        os.makedirs(args.path, exist_ok=True)
        lines = [_written(one, numbers, args.path, args.format) for one in decisions]
    except OSError as error:
        raise Unavailable(
            f"{args.path} cannot be written ({error.strerror}). Name another folder."
        ) from error
    return Reply(lines or ("There is nothing to export.",), lambda: {"files": lines})


def _written(one: Decision, numbers: dict[str, int], folder: str, format_: str) -> str:
    record, kept = one.record, _kept(one)
    by = numbers.get(record.superseded_by)
    status = _SAID[Stand(record.status)]
    name = kept.get("name")
    if name is not None:
        text = kept["text"]
        said = adr.parse(text, name)
        # What was said of a decision that has ended since stays as it was said.
        if said is None or not (said.status in _ENDED and status in _ENDED):
            text = adr.restated(text, status, by)
    else:
        whole = adr.Adr(
            one.statement,
            numbers[record.id],
            status,
            by,
            record.event_time,
            one.reasoning,
            one.alternatives,
            one.consequences,
            format_,
        )
        name, text = adr.file_name(whole, numbers[record.id]), adr.render(whole)
    path = os.path.join(folder, os.path.basename(name))
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def _numbers(decisions: Iterable[Decision]) -> dict[str, int]:
    """A number for each decision: its own, or the next one that is free."""
    found: dict[str, int] = {}
    later = []
    for one in decisions:
        kept = _kept(one)
        said = adr.parse(kept["text"], kept["name"]) if kept else None
        if said is not None and said.number is not None:
            found[one.record.id] = said.number
        else:
            later.append(one.record.id)
    free = max(found.values(), default=0) + 1
    return found | {id_: free + place for place, id_ in enumerate(later)}


def _decisions(session: Session) -> list[Decision]:
    config = session.config
    where = Where(config.tenant, config.user or None, config.project or None)
    return [one.decision for one in session.run(ListDecisions(where, limit=_MOST)).decisions]


def _kept(one: Decision) -> dict[str, str]:
    found: dict[str, str] = json.loads(one.record.metadata).get("adr", {})
    return found


def _replaces(one: Adr, other: Adr) -> bool:
    return other.superseded_by is not None and other.superseded_by == one.number


def _in_order(found: list[tuple[str, str, Adr]]) -> list[tuple[str, str, Adr]]:
    """By number, but each behind those whose place it took."""
    numbers = {one.number for _, _, one in found}
    ordered = sorted(found, key=lambda one: (one[2].number or 0, one[0]))
    # One whose successor is not among them is over, and that is all that is known.
    ordered = [
        (name, text, one if one.superseded_by in numbers else replace(one, superseded_by=None))
        for name, text, one in ordered
    ]
    done: list[tuple[str, str, Adr]] = []
    while ordered:
        ready = [
            entry
            for entry in ordered
            if not any(_replaces(entry[2], other) for _, _, other in ordered if other != entry[2])
        ]
        # In a circle nothing is first; what they say of each other then counts for nothing.
        ready = ready or [(n, t, replace(one, superseded_by=None)) for n, t, one in ordered]
        names = {name for name, _, _ in ready}
        done += ready
        ordered = [entry for entry in ordered if entry[0] not in names]
    return done


def _read(path: str) -> tuple[list[tuple[str, str, Adr]], list[str]]:
    found, skipped = [], []
    for name in _files(path):
        whole = name if os.path.isfile(name) else os.path.join(path, name)
        try:
            with open(whole, encoding="utf-8", newline="") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            skipped.append(name)
            continue
        one = adr.parse(text, os.path.basename(name))
        if one is None:
            skipped.append(name)
        else:
            found.append((os.path.basename(name), text, one))
    return found, skipped


def _files(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    try:
        return sorted(name for name in os.listdir(path) if name.endswith(".md"))
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read ({error.strerror}). Name a folder of decision records."
        ) from None


COMMANDS = (
    Command(
        "adr",
        "import and export decision records",
        "Decision records as MADR and Nygard have them, in Markdown files. What was imported is\n"
        "exported again as it was, with its status as it is now. Importing twice changes nothing.\n"
        "A record that may not be kept is left out, with the reason, and the others go in.",
        ("recollect adr import .", "recollect adr export adr --format madr"),
        (
            Argument(("what",), "which way", choices=("import", "export")),
            Argument(("path",), "the folder, or for import a file", "PATH"),
            Argument(
                ("--format",),
                "how decisions that were not imported are written",
                choices=adr.FORMATS,
                default=adr.MADR,
            ),
            Argument(("--all",), "export decisions without a target, too", flag=True),
        ),
        _adr,
    ),
)
