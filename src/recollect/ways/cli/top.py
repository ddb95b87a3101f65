"""The command that watches a memory at work: what is in it, who calls, and how sure they are."""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime
from itertools import islice
from time import sleep
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from recollect.decisions.measured import CalibrateAll
from recollect.model import Where
from recollect.ops import Changes, Status
from recollect.value import Value
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import number, whole
from recollect.ways.cli.say import fitting
from recollect.ways.cli.show import change, counted, size
from recollect.ways.measures import CALLS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

# Seconds in which a server on this machine answers, if there is one.
_PATIENCE = 0.5
_LATEST = 5
# Who has no key, or one that may not.
_SHUT = {401, 403}
_line = re.compile(rf"{CALLS}_(bucket|count)\{{(.*)\}} (\d+)").fullmatch
_label = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"').findall
_CLEAR = "\x1b[H\x1b[2J"


class Calls(Value):
    """How often a tool was called, and within how many seconds half of the calls were done."""

    tool: str
    count: int
    half: float


def _top(session: Session, args: Namespace) -> Reply:
    if args.once or args.json or not sys.stdout.isatty():
        return Reply(_view(session, args), lambda: _told(session, args))
    try:
        while True:
            # What does not fit would push the beginning out of sight.
            lines = list(islice(fitting(_view(session, args), sys.stdout), _rows() - 1))
            sys.stdout.write(_CLEAR + "\n".join(lines) + "\n")
            sys.stdout.flush()
            sleep(args.every)
    except KeyboardInterrupt:
        return Reply((), dict)


def _rows() -> int:
    """How many lines the terminal shows; of one that does not say, as many as there may be."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines or sys.maxsize
    except OSError:
        return sys.maxsize


def _told(session: Session, args: Namespace) -> dict[str, object]:
    tenant = session.config.tenant
    return {
        "status": document(session.run(Status(tenant))),
        "calls": [document(one) for one in _calls(session, args.server)[0]],
        "calibration": document(session.run(CalibrateAll(Where(tenant), 1))),
    }


def _view(session: Session, args: Namespace) -> Iterator[Shown]:
    tenant = session.config.tenant
    health = session.run(Status(tenant))
    counts = health.counts
    waiting = health.vectors.waiting
    yield (
        f"{counted(counts.memories, 'memory', 'memories')},"
        f" {counted(counts.decisions, 'decision')},"
        f" {counted(counts.entities, 'entity', 'entities')},"
        f" {counted(counts.code_chunks, 'piece')} of code; {size(health.bytes)}"
        + (f"; {waiting} wait for a vector" if waiting else "")
    )
    yield ""
    calls, why = _calls(session, args.server)
    if calls:
        yield f"{'calls':<34} {'how often':>9}  half of them within"
        for one in calls[: args.limit]:
            yield f"  {one.tool:<32} {one.count:>9}  {one.half * 1000:g} ms"
    else:
        yield why or "Nobody has called a tool of this server since it was started."
    yield ""
    rates = session.run(CalibrateAll(Where(tenant), 1)).rates
    if rates:
        yield f"{'decisions':<34} {'outcomes':>9}  succeed, and what was said of them"
        for rate in rates[: args.limit]:
            yield (
                f"  {rate.domain:<32} {rate.sample_size:>9}  {rate.mean:.0%},"
                f" {rate.gap:+.0%} ({rate.status})"
            )
        yield ""
    yield "latest changes"
    events = session.run(Changes(max(0, health.ledger - _LATEST), _LATEST)).events
    now = datetime.now(UTC)
    yield from ("  " + change(event, now) for event in reversed(events))


def _calls(session: Session, server: str) -> tuple[list[Calls], str]:
    """What a running server says of its calls, or why it says nothing."""
    asked = Request(f"{server.rstrip('/')}/metrics")  # noqa: S310 -- an address that a person gave
    if session.config.key is not None:
        asked.add_header("Authorization", f"Bearer {session.config.key}")
    try:
        with urlopen(asked, timeout=_PATIENCE) as answer:  # noqa: S310 -- as above
            return _read(answer.read().decode()), ""
    except HTTPError as error:
        error.close()
        if error.code in _SHUT:
            key = "another" if session.config.key is not None else "a"
            return [], (
                f"The server at {server} wants {key} key: put it into AGENT_MEMORY_SECRET."
                " `recollect keys create NAME` makes one."
            )
        return (
            [],
            f"What answers at {server} is no server of ours, or tells nothing ({error.code}).",
        )
    except (URLError, OSError, ValueError):
        return [], f"No server answers at {server}; `recollect serve --http` starts one."


def _read(text: str) -> list[Calls]:
    """The calls of tools, the most frequent first."""
    counts: dict[str, int] = {}
    steps: dict[str, list[tuple[float, int]]] = {}
    for line in text.splitlines():
        found = _line(line)
        labels = dict(_label(found[2])) if found else {}
        tool = labels.get("gen_ai_tool_name")
        if found is None or not tool:
            continue
        if found[1] == "count":
            counts[tool] = counts.get(tool, 0) + int(found[3])
        else:
            steps.setdefault(tool, []).append((float(labels["le"]), int(found[3])))
    calls = [Calls(tool, count, _half(steps[tool], count)) for tool, count in counts.items()]
    return sorted(calls, key=lambda one: (-one.count, one.tool))


def _half(steps: list[tuple[float, int]], count: int) -> float:
    """The least bound within which half of the calls were done."""
    totals: dict[float, int] = {}
    for most, within in steps:
        totals[most] = totals.get(most, 0) + within
    return min((most for most, within in totals.items() if 2 * within >= count), default=0.0)


COMMANDS = (
    Command(
        "top",
        "watch the memory at work",
        "Show what is in the memory, what the server on this machine is asked and how fast it\n"
        "answers, how sure people were of their decisions against how they went, and the latest\n"
        "changes; anew every second until Ctrl-C. Where nobody looks at a terminal, once.",
        ("recollect top --once",),
        (
            Argument(("--once",), "show it once", flag=True),
            Argument(("--every",), "seconds between two views", "N", read=number, default=1.0),
            Argument(
                ("--limit",), "at most so many tools and domains", "N", read=whole, default=12
            ),
            Argument(("--server",), "where the server is", "URL", default="http://127.0.0.1:8377"),
        ),
        _top,
    ),
)
