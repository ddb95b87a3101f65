"""The command that serves MCP to one client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recollect.contracts.every import NAMES
from recollect.contracts.listing import DOTTED, UNDERSCORE, selection
from recollect.errors import InvalidRequest
from recollect.ops import ListKeys
from recollect.value import replace
from recollect.ways.cli.command import Argument, Command, Reply

if TYPE_CHECKING:
    from argparse import Namespace

    from recollect.contracts.listing import Selection
    from recollect.ways.cli.session import Session


def _serve(session: Session, args: Namespace) -> Reply:
    chosen = selection(args.contracts, args.tool_names or "", read_only=args.read_only)
    if args.http != "":
        return _over_http(session, chosen, args.http)
    from recollect.ways import identity, log
    from recollect.ways.limits import limits
    from recollect.ways.mcp.stdio import serve

    log.begin(session.config)
    log.kept_where(session.config)
    # A client would only see that its server is gone; so it hears from each tool what is wrong.
    session.patient = True
    config, engine = session.config, session.engine
    without = identity.here(config)
    # A secret that opens nothing is refused here already, not at the first call.
    identity.caller(engine, without, config.key)
    if sys.stdin.isatty():
        print(
            "Recollect speaks MCP here: an agent's client starts this command, and nobody types."
            " Ctrl-D ends it; `recollect serve --help` tells more.",
            file=sys.stderr,
        )
    most = limits(config.limits, usual=False)
    serve(chosen, engine, lambda: identity.caller(engine, without, config.key), most)
    return Reply((), dict)


def _over_http(session: Session, chosen: Selection, where: str | None) -> Reply:
    from recollect.ways import identity, log
    from recollect.ways.http.address import Address, address, listening
    from recollect.ways.http.door import Door
    from recollect.ways.http.serve import serve
    from recollect.ways.http.token import tokens

    log.begin(session.config)
    log.kept_where(session.config)
    config, asked = session.config, Address() if where is None else address(where)
    if not asked.loopback and not config.oauth_issuer and not session.run(ListKeys()).open:
        raise InvalidRequest(
            f"{asked.host} can be reached from other machines, and without a key nobody could be"
            " told from anybody. Make one with `recollect keys create NAME`, or serve on"
            " 127.0.0.1.",
            field="http",
        )
    with listening(asked) as bound:
        at = replace(asked, port=bound.getsockname()[1])
        for line in _how_to_connect(at.url):
            print(line, flush=True)
        without = identity.from_afar(config, loopback=at.loopback)
        door = Door(session.engine, without, loopback=at.loopback, tokens=tokens(config, at.url))
        serve(session.engine, chosen, at, bound, door, config)
    return Reply((), dict)


def _how_to_connect(url: str) -> tuple[str, ...]:
    return (
        f"Recollect serves its memory at {url}/mcp until Ctrl-C ends it.",
        "Connect a client:",
        f"  claude mcp add --transport http memory {url}/mcp",
        f"  codex mcp add memory --url {url}/mcp",
    )


COMMANDS = (
    Command(
        "serve",
        "serve the memory to agents' clients over MCP",
        "Speaks the Model Context Protocol on standard input and output, for the client that\n"
        "starts it, until that closes its end. Any number of these may run at once: they are one\n"
        "memory. Without options all contracts are served together. `recollect setup` tells\n"
        "clients to start it.\n\n"
        "AGENT_MEMORY_SECRET in the environment says who calls; `recollect keys` makes secrets.\n\n"
        "With --http one server is there for many clients, until a signal ends it. On this\n"
        "machine it takes calls of the person who runs it, and once there is a key only with one;\n"
        "it listens to other machines only where there is a key.",
        (
            "recollect serve",
            "recollect serve --contracts memento,codex-memory",
            "recollect serve --read-only",
            "recollect serve --http 8377",
        ),
        (
            Argument(
                ("--contracts",),
                f"which contracts, with commas between them, of {', '.join(NAMES)}",
                "NAMES",
                default="",
            ),
            Argument(
                ("--tool-names",),
                "how names that have a dot are listed; both forms may be called",
                choices=(DOTTED, UNDERSCORE),
            ),
            Argument(
                ("--http",),
                "serve over HTTP instead; without an address, on 127.0.0.1:8377",
                "[HOST:]PORT",
                several="?",
                # Given without an address it is None.
                default="",
            ),
            Argument(("--read-only",), "only the tools that change nothing", flag=True),
        ),
        _serve,
    ),
)
