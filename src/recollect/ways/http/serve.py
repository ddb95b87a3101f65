"""Runs the server until it is asked to end, and ends it in good order.

What was asked is answered first, for five seconds at most; streams that would never end are ended
at once.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
from typing import TYPE_CHECKING

import uvicorn
from sse_starlette.sse import AppStatus

from recollect.ways.http.app import App
from recollect.ways.http.guard import Guard
from recollect.ways.http.heap import keep_together
from recollect.ways.http.protocol import Patient
from recollect.ways.http.streams import Streams
from recollect.ways.limits import limits

if TYPE_CHECKING:
    import socket

    from recollect.config import Config
    from recollect.contracts.listing import Selection
    from recollect.engine import Engine
    from recollect.ways.http.address import Address
    from recollect.ways.http.door import Door

# Seconds that calls have to finish once the server was asked to end, and until it is gone.
PATIENCE, LAST = 4.5, 5.0
_CONNECTIONS = 1000
_IDLE = 75


def serve(  # noqa: PLR0913, PLR0917 -- what is served, where, and to whom
    engine: Engine,
    chosen: Selection,
    at: Address,
    bound: socket.socket,
    door: Door,
    config: Config,
) -> None:
    """Serve an engine until a signal asks to end."""
    streams = Streams()
    engine.reflects_for = config.tenant
    app = App(engine, chosen, door, streams, limits(config.limits, usual=True))
    run(Guard(app, at, config.http_hosts), bound, streams)


def run(guard: Guard, bound: socket.socket, streams: Streams) -> None:
    """Serve what is behind a guard until a signal asks to end."""
    # The library would end every stream at once, the answers of calls that run among them.
    AppStatus.enable_automatic_graceful_drain = False
    keep_together()
    # What it warns of is what strangers send, and which of its extras there might be.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    settings = uvicorn.Config(
        guard,
        http=Patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=PATIENCE,  # type: ignore[arg-type]
    )
    # The server raises the signal once more when it is done; by then there is nothing to end.
    before = {one: signal.signal(one, _ignored) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        asyncio.run(_Server(settings, streams).serve(sockets=[bound]))
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self._streams = streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and look for garbage only among what comes from now on.

        Among everything it takes some 60 ms, for which all clients would wait.
        """
        await super().startup(sockets)
        gc.freeze()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in time, even where a call never ends: what it wrote is whole or not there."""
        last = threading.Timer(LAST, os._exit, (0,))
        last.daemon = True
        last.start()
        self._streams.end()
        await super().shutdown(sockets)


def _ignored(*_: object) -> None:
    """What was asked is being done already."""
