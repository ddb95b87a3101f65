"""Commands of the graph: describe, relate, explore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ops import Describe, Explore, Relate
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import number, time, whole, words
from recollect.ways.cli.shared import ID, KIND, WHOSE, kinds, scope
from recollect.ways.cli.show import arrow, brief

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ops import Explored
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session


def _describe(session: Session, args: Namespace) -> Reply:
    answer = session.run(
        Describe(
            words(args.name),
            scope=scope(session.config),
            author=session.author,
            type=args.type,
            description=args.description,
        )
    )
    said = "is known from now on" if answer.created else "is described"
    return Reply(
        (f"{answer.record.title} {said}, as {answer.record.id}.",), lambda: document(answer)
    )


def _relate(session: Session, args: Namespace) -> Reply:
    answer = session.run(
        Relate(
            args.src,
            args.type,
            args.dst,
            tenant=session.config.tenant,
            author=session.author,
            weight=args.weight,
        )
    )
    return Reply((arrow(answer.edge),), lambda: document(answer))


def _explore(session: Session, args: Namespace) -> Reply:
    answer = session.run(
        Explore(
            args.id,
            tenant=session.config.tenant,
            depth=args.depth,
            direction=args.direction,
            types=tuple(args.type or ()),
            kinds=kinds(args) if args.kind else (),
            as_of=args.as_of,
        )
    )
    return Reply(_explored(session, answer), lambda: document(answer))


def _explored(session: Session, answer: Explored) -> Iterator[Shown]:
    if not answer.records:
        yield "Nothing is linked."
    yield from (brief(record, session.now) for record in answer.records)
    yield from (arrow(edge) for edge in answer.edges)


COMMANDS = (
    Command(
        "describe",
        "name a person, project or thing",
        "Name a person, project or thing, or say more of it. Memories that mention it are linked.",
        (
            'recollect describe "Ada Lovelace" --type person',
            'recollect describe Apollo --description "The new billing system."',
        ),
        (
            Argument(("name",), "its name", "NAME", several="+"),
            Argument(("--type",), "what sort of thing", "TYPE", default=""),
            Argument(("--description",), "what is to be known of it", "TEXT", default=""),
            *WHOSE,
        ),
        _describe,
    ),
    Command(
        "relate",
        "draw a link between two records",
        "Draw a link between two records, of a type that you name. `invalidate` ends it, `forget`\n"
        "deletes it; both take the link's own id.",
        ("recollect relate OLD explains NEW", "recollect relate OLD contradicts NEW --weight 0.5"),
        (
            Argument(("src",), "the id of the record that the link leaves", "SRC"),
            Argument(("type",), "what the link says", "TYPE"),
            Argument(("dst",), "the id of the record that it reaches", "DST"),
            Argument(("--weight",), "how strong, from 0 to 1", "NUMBER", read=number, default=1.0),
        ),
        _relate,
        looks_up=True,
    ),
    Command(
        "explore",
        "show what a record is linked to",
        "Show what a record is linked to, nearest first, and by which links.",
        (
            "recollect explore ID",
            "recollect explore ID --depth 2 --direction both",
            "recollect explore ID --type mentions --json",
        ),
        (
            ID,
            Argument(("--depth",), "how many links away, up to 3", "N", read=whole, default=1),
            Argument(
                ("--direction",),
                "which links to follow",
                "WHICH",
                choices=("outgoing", "incoming", "both"),
                default="outgoing",
            ),
            Argument(("--type",), "only such links; again for more", "TYPE", several="append"),
            KIND,
            Argument(("--as-of",), "the links of that time", "TIME", read=time),
        ),
        _explore,
        looks_up=True,
    ),
)
