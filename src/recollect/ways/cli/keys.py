"""The command for keys: who may call from elsewhere, as what, and until when."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Role
from recollect.ops import CreateKey, Identify, ListKeys, RevokeKey, RotateKey
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, NAME, line
from recollect.ways.cli.read import standard_input, whole
from recollect.ways.cli.show import moment

if TYPE_CHECKING:
    from argparse import Namespace
    from datetime import datetime

    from recollect.model import Key
    from recollect.ops import Keyed
    from recollect.ways.cli.line import Line
    from recollect.ways.cli.session import Session

_DAYS = 90


def _keys(session: Session, args: Namespace) -> Reply:
    return _DOES[args.what](session, args)


def _create(session: Session, args: Namespace) -> Reply:
    config = session.config
    answer = session.run(
        CreateKey(
            _named(args, "a name for the key"),
            Role(args.role),
            config.tenant,
            config.user,
            _until(session, _DAYS if args.days is None else args.days),
            session.author,
        )
    )
    return _shown_once(session, answer)


def _list(session: Session, args: Namespace) -> Reply:
    del args
    answer = session.run(ListKeys(session.config.tenant))
    lines = [_line(key, session.now) for key in answer.keys]
    return Reply(lines or ("There are no keys.",), lambda: document(answer))


def _revoke(session: Session, args: Namespace) -> Reply:
    answer = session.run(RevokeKey(_named(args, "the key's id"), session.author))
    said = f"{answer.key.name!r} opens nothing any more."
    return Reply((said,), lambda: document(answer))


def _rotate(session: Session, args: Namespace) -> Reply:
    if args.days == 0:
        raise InvalidRequest(
            "A key that ends cannot be made one for ever; make a new one for that."
        )
    until = None if args.days is None else _until(session, args.days)
    return _shown_once(
        session, session.run(RotateKey(_named(args, "the key's id"), until, session.author))
    )


def _check(session: Session, args: Namespace) -> Reply:
    del args
    answer = session.run(Identify(standard_input().strip()))
    return Reply((_line(answer.key, session.now),), lambda: document(answer))


def _named(args: Namespace, what: str) -> str:
    if not args.which:
        raise InvalidRequest(f"`recollect keys {args.what}` needs {what}: give it at the end.")
    return str(args.which)


def _until(session: Session, days: int) -> datetime | None:
    try:
        return session.now + timedelta(days=days) if days else None
    except OverflowError:
        raise InvalidRequest(
            f"--days is {days}, which is beyond all calendars; give fewer, or 0 for a key that"
            " never expires."
        ) from None


def _shown_once(session: Session, answer: Keyed) -> Reply:
    return Reply(
        (_line(answer.key, session.now), answer.secret),
        lambda: document(answer),
        notes=("this secret is shown once and kept nowhere; store it safely now",),
    )


def _line(key: Key, now: datetime) -> Line:
    whose = f"{key.tenant}/{key.user}" if key.user else key.tenant
    if key.revoked_at:
        until = f"revoked {moment(key.revoked_at, now)}"
    elif key.expires_at:
        ends = "until" if key.expires_at > now else "expired"
        until = f"{ends} {moment(key.expires_at, now)}"
    else:
        until = "never expires"
    return line((key.id, FAINT), f"  {key.role}  {whose}  ", (key.name, NAME), f"  {until}", hang=4)


_DOES = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
    "rotate": _rotate,
    "check": _check,
}
COMMANDS = (
    Command(
        "keys",
        "make, list, end and renew keys for clients",
        "Keys let clients in: over HTTP, and as admin on stdio (AGENT_MEMORY_SECRET).\n"
        "`create NAME` shows a new key's secret, once; `list` shows the keys of the tenant;\n"
        "`revoke ID` ends one at once; `rotate ID` gives it a new secret, and the old one ends at\n"
        "once; `check` says what the secret on standard input opens.\n\n"
        "A viewer reads, an agent writes too, an admin may do everything. A key sees its own\n"
        "tenant alone; --user says whose memories are meant where a call does not.",
        (
            'recollect keys create "my editor"',
            'recollect keys create "the team\'s server" --role viewer --tenant team --days 30',
            "recollect keys list",
        ),
        (
            Argument(("what",), ", ".join(_DOES), choices=tuple(_DOES)),
            Argument(("which",), "the name of a new key, or the id of one", "NAME|ID", several="?"),
            Argument(
                ("--role",),
                ", ".join(Role),
                choices=tuple(role.value for role in Role),
                default=Role.AGENT.value,
            ),
            Argument(
                ("--days",),
                f"for how long it is good; 0 for ever. A new key without it: {_DAYS}",
                "N",
                read=whole,
            ),
            Argument(("--user",), "whose memories are meant by default", "NAME"),
        ),
        _keys,
    ),
)
