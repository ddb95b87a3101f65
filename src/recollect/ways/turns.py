"""Turns at the engine: first come, first served, and what takes long keeps nobody waiting.

Calls that go side by side take the interpreter from each other, so each of many takes as long as
all of them together. A few at a time are through sooner, and the last is through no later.
"""

from __future__ import annotations

import os
from asyncio import get_running_loop
from typing import TYPE_CHECKING, TypeVar

from anyio import CapacityLimiter, to_thread

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

# One more than there are processors, for whoever waits for the disk; beyond four it is the
# interpreter that they wait for.
AT_ONCE = min(os.cpu_count() or 1, 3) + 1
# Seconds after which a call counts as long, and another gets its turn beside it.
PATIENCE = 0.25
# Where the loop is told so many seconds late that a call takes long, all of them do: more at once
# would only take the processor from each other.
LATE = 0.1
# However many are long; each may hold a connection to the store.
MOST = 32


class Turns:
    """Gives turns to calls, each in a thread of its own, to all ways into one engine alike."""

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._turns = CapacityLimiter(at_once)
        self._threads = CapacityLimiter(MOST)
        self._patience = patience

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work when it is its turn.

        Waits for the thread even when nobody wants the answer any more: a write is finished.
        """
        async with self._turns:
            turn = _Turn(self._turns, self._patience)
            try:
                return await to_thread.run_sync(work, limiter=self._threads)
            finally:
                turn.end()

    def standing(self) -> dict[str, int]:
        """How many calls have a turn, and how many wait for one."""
        found = self._turns.statistics()
        return {"taken": found.borrowed_tokens, "waiting": found.tasks_waiting}


class _Turn:
    """One turn, which is lent to somebody else while its own call takes long."""

    def __init__(self, turns: CapacityLimiter, patience: float) -> None:
        self._turns = turns
        self._patience = patience
        self._loop = get_running_loop()
        self._lent = 0
        self._wait()

    def _wait(self) -> None:
        self._later = self._loop.call_later(self._patience, self._lend)

    def _lend(self) -> None:
        """Let one more call have a turn, unless it is the machine that has no time for any."""
        if self._loop.time() - self._later.when() > LATE:
            self._wait()
            return
        self._lent = 1
        self._turns.total_tokens += 1

    def end(self) -> None:
        """Let no further call have one in its place."""
        self._later.cancel()
        self._turns.total_tokens -= self._lent
