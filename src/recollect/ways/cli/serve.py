"""The command that serves MCP to one client."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from recollect.contracts.every import NAMES
from recollect.contracts.listing import DOTTED, UNDERSCORE, selection
from recollect.ways.cli.command import Argument, Command, Reply

if TYPE_CHECKING:
    from argparse import Namespace

    from recollect.ways.cli.session import Session


def _serve(session: Session, args: Namespace) -> Reply:
    chosen = selection(args.contracts, args.tool_names or "", read_only=args.read_only)
    from recollect.ways import identity
    from recollect.ways.mcp.stdio import serve

    logging.basicConfig(format="recollect: %(levelname)s: %(message)s")
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
    serve(chosen, engine, lambda: identity.caller(engine, without, config.key))
    return Reply((), dict)


COMMANDS = (
    Command(
        "serve",
        "serve the memory to an agent's client over MCP",
        "Speaks the Model Context Protocol on standard input and output, for the client that\n"
        "starts it, until that closes its end. Any number of these may run at once: they are one\n"
        "memory. Without options all contracts are served together.\n\n"
        "AGENT_MEMORY_SECRET in the environment says who calls; `recollect keys` makes secrets.",
        (
            "recollect serve",
            "recollect serve --contracts memento",
            "claude mcp add memory -- recollect serve",
            "codex mcp add memory -- recollect serve",
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
            Argument(("--read-only",), "only the tools that change nothing", flag=True),
        ),
        _serve,
    ),
)
