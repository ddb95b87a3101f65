"""The one path of a tool call: arguments, op, answer, reply."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from recollect.errors import Fault, RecollectError
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.contracts.contract import Caller, Contract, Tool
    from recollect.engine import Engine

log = logging.getLogger(__name__)


class Reply(Value):
    """What goes back: an object, the same as text, and whether it is a failure."""

    data: Mapping[str, object] | None
    text: str
    failed: bool = False


def call(
    engine: Engine, contract: Contract, tool: Tool, arguments: Mapping[str, object], caller: Caller
) -> Reply:
    """Carry out one call. Never raises: a failure is a reply too."""
    try:
        tool.check(caller)
        params = tool.decode(arguments)
        data = tool.render(engine.run(tool.to_op(params, caller)), params)
        return Reply(data, json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    except RecollectError as error:
        return failed(contract, tool, error)
    except Exception:
        # The only handler of everything in the package: a bug must not take the session down,
        # and what it says stays on this side.
        log.exception("the tool %s of %s failed", tool.name, contract.name)
        return failed(contract, tool, Fault())


def failed(contract: Contract, tool: Tool, error: RecollectError) -> Reply:
    """A failure in the contract's own shape."""
    failure = contract.fail(error, tool.name)
    return Reply(failure.data, failure.text, failed=True)
