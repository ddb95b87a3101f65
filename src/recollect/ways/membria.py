"""The command `membria`, by which clients that were written for that contract start a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recollect.ways import cli

if TYPE_CHECKING:
    from collections.abc import Sequence

_PORT = "9090"
_USAGE = """membria mcp serve               serve on standard input and output
membria mcp start [--port N]    serve over HTTP, on port 9090 unless another is named

Both are `recollect serve --contracts membria`; `recollect --help` tells the rest.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    match given:
        case ["mcp", "serve", *rest]:
            return cli.main(["serve", "--contracts", "membria", *rest])
        case ["mcp", "start", "--port", port, *rest]:
            return cli.main(["serve", "--contracts", "membria", "--http", port, *rest])
        case ["mcp", "start", *rest]:
            return cli.main(["serve", "--contracts", "membria", "--http", _PORT, *rest])
        case _:
            asked = bool({"-h", "--help", "help"} & {*given})
            (sys.stdout if asked else sys.stderr).write(_USAGE)
            return 0 if asked else 2
