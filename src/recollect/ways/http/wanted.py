"""Work that ends when the one who asked for it has left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from recollect.ways.http.asgi import Receive

T = TypeVar("T")

# Seconds after which somebody looks whether the client is still there. Hardly any call takes so
# long, and to look from the start would cost each of them a task.
PATIENCE = 1.0


async def while_wanted(
    work: Awaitable[T], receive: Receive, patience: float = PATIENCE
) -> T | None:
    """What the work comes to; None where the client left before it was done."""
    loop = asyncio.get_running_loop()
    watching: list[asyncio.Task[None]] = []

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    with anyio.CancelScope() as scope:
        later = loop.call_later(patience, lambda: watching.append(loop.create_task(watch())))
        try:
            return await work
        finally:
            later.cancel()
            for one in watching:
                one.cancel()
    return None
