"""The one path of a call: arguments, op, answer, reply."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recollect.contracts.contract import Tool, decode
from recollect.engine.ports import silent
from recollect.errors import Fault, RecollectError
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recollect.contracts.contract import Caller, Contract, Row
    from recollect.engine import Engine
    from recollect.engine.ports import Report

log = logging.getLogger(__name__)


class Reply(Value):
    """What goes back: an object, the same as text, and why, if it is a failure.

    The text of a prompt comes without an object.
    """

    data: Mapping[str, object] | None
    text: str
    cause: RecollectError | None = None

    @property
    def failed(self) -> bool:
        """Whether it is a failure."""
        return self.cause is not None


def call(  # noqa: PLR0913, PLR0917 -- who asks whom for what, and who is told how far it is
    engine: Engine,
    contract: Contract,
    row: Row,
    arguments: Mapping[str, object],
    caller: Caller,
    report: Report = silent,
) -> Reply:
    """Carry out one call. Never raises: a failure is a reply too."""
    try:
        with contained(f"{row.name} of {contract.name}"):
            if isinstance(row, Tool):
                row.check(caller)
            params = decode(row, arguments)
            answer = row.render(engine.run(row.to_op(params, caller), report), params)
            if isinstance(answer, str):
                return Reply(None, answer)
            return Reply(answer, json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
    except RecollectError as error:
        return failed(contract, row, error)


def failed(contract: Contract, row: Row, error: RecollectError) -> Reply:
    """A failure in the contract's own shape."""
    failure = contract.fail(error, row.name)
    return Reply(failure.data, failure.text, error)


@contextmanager
def contained(what: str, *known: type[Exception]) -> Iterator[None]:
    """Turns whatever the program did not expect into a `Fault`, and what it was into its log."""
    passing: tuple[type[Exception], ...] = (RecollectError, *known)
    try:
        yield
    except passing:
        raise
    except Exception:
        # The only handler of everything in the package: a bug must not take the session down,
        # and what it says stays on this side.
        log.exception("%s failed", what)
        raise Fault from None
