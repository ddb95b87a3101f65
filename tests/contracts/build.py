"""What the tests of the contracts are made of: callers, calls, and what the documents ask for."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.contracts.contract import Caller
from recollect.contracts.every import MODULES, contract, tool
from recollect.model import Author, AuthorKind
from recollect.value import Value
from recollect.ways.call import call
from tests.engine.build import unchanged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.contracts.contract import Tool
    from recollect.engine import Engine
    from recollect.ways.call import Reply

DOCUMENTS = Path(__file__).parents[3] / "shared" / "contracts"
SHAPES: dict[str, Any] = (
    json.loads((DOCUMENTS / "contracts.json").read_text("utf-8")) if DOCUMENTS.exists() else {}
)
# Every tool there is, by contract; those that two contracts share are of a table of their own.
TOOLS = [(name, one) for name in MODULES for one in contract(name).tools]
AGENT = Author(AuthorKind.AGENT, "tests")


def named(pair: object) -> str:
    """A tool as the report of a test names it."""
    return pair if isinstance(pair, str) else getattr(pair, "name", "")


class Client(Value):
    """Somebody who calls the tools of one engine."""

    engine: Engine
    caller: Caller = Caller(author=AGENT)

    def reply(self, of: str, name: str, arguments: dict[str, Any]) -> Reply:
        """The whole reply to a call."""
        return call(self.engine, *tool(name, of), arguments, self.caller)

    def ask(self, of: str, name: str, /, **arguments: Any) -> Any:
        """What a call answers."""
        reply = self.reply(of, name, arguments)
        assert not reply.failed, reply.text
        assert reply.data is not None
        assert json.loads(reply.text) == reply.data
        return reply.data

    def refused(self, of: str, name: str, /, **arguments: Any) -> Any:
        """How a call fails: the error's object, or its sentence. Nothing is changed by it."""
        with unchanged(self.engine):
            reply = self.reply(of, name, arguments)
        assert reply.failed, reply.text
        if reply.data is None:
            return reply.text
        return reply.data["error"] if "error" in reply.data else reply.data["message"]


@contextmanager
def as_caller(client: Client, **changes: Any) -> Iterator[Client]:
    """The same engine, called by somebody else."""
    from recollect.value import replace

    yield replace(client, caller=replace(client.caller, **changes))


def offered(name: str) -> dict[str, Tool]:
    """The tools of one contract by name."""
    return {one.name: one for one in contract(name).tools}
