"""The command for decision records as files: `adr import` and `adr export`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from recollect.decisions import Decide, Stand
from recollect.decisions.measured import ListDecisions
from recollect.errors import InvalidRequest, Unavailable
from recollect.model import Scope, Where
from recollect.ops import Invalidate
from recollect.rules import adr
from recollect.value import replace
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.place import project

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from recollect.decisions import Decision
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
    known = {one.record.source_ref: one for one in _decisions(session)}
    made: dict[int | str, str] = {}
    lines: list[str] = []
    # What took the place of others comes after them.
    for name, text, one in _in_order(found):
        before = known.get(name)
        if before is not None and _kept(before).get("text") == text:
            made[name if one.number is None else one.number] = before.record.id
            lines.append(f"known already  {name}")
            continue
        olds = [made[o.number] for _, _, o in found if _replaces(one, o) and o.number in made]
        if before is not None and before.record.status == Stand.ACTIVE:
            olds.append(before.record.id)
        id_ = _decided(session, name, text, one, tuple(dict.fromkeys(olds)))
        made[name if one.number is None else one.number] = id_
        lines.append(f"{id_}  {name}")
    data = {"imported": len([line for line in lines if line.startswith("dec_")]), "ids": made}
    return Reply(
        lines or ("There is no decision record there.",),
        lambda: {str(key): value for key, value in data.items()},
        notes=tuple(f"left out {name}: it is no decision record" for name in skipped),
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
        session.run(Invalidate(id_, config.tenant, session.author, reason=one.status))
    return id_


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
        "exported again as it was, with its status as it is now. Importing twice changes nothing.",
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
