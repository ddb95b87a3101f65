"""Serves one client over standard input and output, from its first line to its last.

What the client asks first is answered while the SDK is still being imported; the SDK is told of the
handshake afterwards, and what it answers to that is dropped. docs/adr/0012 has the figures.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from recollect.ways.mcp.conversation import Conversation
from recollect.ways.mcp.early import Early
from recollect.ways.mcp.message import encoded
from recollect.ways.mcp.offer import Offer
from recollect.ways.mcp.pipe import Mark, claimed

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.contracts.contract import Caller
    from recollect.contracts.listing import Selection
    from recollect.engine import Engine
    from recollect.ways.limits import Limits
    from recollect.ways.mcp.pipe import Pipe

    Message: TypeAlias = dict[str, Any]

# What is imported while the conversation has begun already.
_REST = "recollect.ways.mcp.rest"


def serve(
    chosen: Selection,
    engine: Engine,
    caller: Callable[[], Caller],
    limits: Limits | None = None,
) -> None:
    """Hold one conversation. `caller` is asked at every request who is behind it."""
    with claimed() as pipe:
        talk = Conversation(pipe.write)
        kept = _begun(pipe, talk, Early(Offer(chosen)))
        if kept is not None:
            converse: Callable[..., None] = import_module(_REST).converse
            converse(pipe, talk, kept, chosen, engine, caller, limits)


def _begun(pipe: Pipe, talk: Conversation, early: Early) -> list[Message] | None:
    """Answer what can be answered until the SDK is there.

    Answers what the SDK has to be told, or None where the client left and waits for nothing.
    """
    Thread(target=_load, args=(pipe,), name="recollect-import", daemon=True).start()
    kept: list[Message] = []
    over = False
    while not isinstance(line := pipe.get(), Mark):
        if line is not None:
            kept += [one for one in talk.take(line) if not _answered(one, talk, early)]
        elif talk.waiting:
            over = True
        else:
            return None
    if over:
        pipe.put(None)
    return kept


def _answered(message: Message, talk: Conversation, early: Early) -> bool:
    """Whether a message was answered, and the SDK need not hear of it."""
    result = early.answer(message) if "id" in message and "method" in message else None
    if result is None:
        return False
    id_ = message["id"]
    whole = encoded({"jsonrpc": "2.0", "id": id_, "result": result})
    if message["method"] == "initialize":
        talk.answer_ahead(id_, whole)
        return False
    talk.answer(id_, whole)
    return True


def _load(pipe: Pipe) -> None:
    try:
        import_module(_REST)
    finally:
        # Where it failed, it fails again where the conversation goes on, and is reported there.
        pipe.put(Mark())
