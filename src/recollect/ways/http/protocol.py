"""One connection: how long its client may take to say what it wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

# Seconds from the first byte of a request, or from the connection, to the end of its head.
PATIENCE = 10.0


class Patient(H11Protocol):
    """A connection that is closed when a request's head does not come."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        # What was found out about the one at the other end holds for all requests that it makes.
        self.app_state = {**self.app_state, "connection": {}}
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on, unless a request has begun."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._come()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._come()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(PATIENCE, self.transport.close)

    def _come(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
