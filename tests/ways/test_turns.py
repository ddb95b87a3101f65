"""Turns at the engine."""

from __future__ import annotations

import asyncio
from threading import Event, Lock

import anyio
import pytest

from recollect.ways.turns import Turns

# Longer than anything here takes, so that a turn is lent only where a test wants it.
NEVER = 3600.0
WAIT = 30.0


class Work:
    """Calls that end when they are told to, and how many of them there were at once."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.at_once = self.most = 0
        self._lock = Lock()
        self._ends = [Event() for _ in range(20)]

    def end(self, *numbers: int) -> None:
        for number in numbers:
            self._ends[number].set()

    def __call__(self, number: int) -> int:
        with self._lock:
            self.begun.append(number)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        assert self._ends[number].wait(WAIT)
        with self._lock:
            self.at_once -= 1
        return number


async def until(holds) -> None:
    with anyio.fail_after(WAIT):
        while not holds():
            await anyio.lowlevel.checkpoint()


def run(what, *, at_once: int = 2, patience: float = NEVER) -> None:
    async def main() -> None:
        await what(Turns(at_once, patience), Work())

    asyncio.run(main())


def test_so_many_go_at_once_and_the_others_in_the_order_in_which_they_came():
    async def what(turns, work):
        calls = []
        for number in range(10):
            calls.append(asyncio.create_task(turns.run(lambda n=number: work(n))))
            await anyio.lowlevel.checkpoint()
        await until(lambda: len(work.begun) == 2)
        assert turns.standing() == {"taken": 2, "waiting": 8}
        # The first goes on for as long as the others take.
        work.end(*range(1, 10))
        assert await asyncio.gather(*calls[1:]) == list(range(1, 10))
        assert sorted(work.begun[:2]) == [0, 1]
        assert work.begun[2:] == list(range(2, 10))
        work.end(0)
        assert await calls[0] == 0
        assert work.most == 2

    run(what)


def test_a_call_that_takes_long_lets_another_go_beside_it():
    async def what(turns, work):
        long = [asyncio.create_task(turns.run(lambda n=n: work(n))) for n in (0, 1)]
        await until(lambda: len(work.begun) == 2)
        work.end(2)
        assert await turns.run(lambda: work(2)) == 2
        work.end(0, 1)
        assert sorted(await asyncio.gather(*long)) == [0, 1]

    run(what, patience=0.0)


def test_a_turn_that_was_lent_is_taken_back():
    async def what(turns, work):
        turns._patience = 0.0
        long = asyncio.create_task(turns.run(lambda: work(0)))
        await until(lambda: turns._turns.total_tokens == 2)
        work.end(0)
        assert await long == 0
        assert turns._turns.total_tokens == 1
        turns._patience = NEVER
        work.end(*range(1, 9))
        await asyncio.gather(*(turns.run(lambda n=n: work(n)) for n in range(1, 9)))
        assert work.most == 1

    run(what, at_once=1)


def test_a_machine_without_time_for_one_call_is_not_given_more(monkeypatch):
    async def what(turns, work):
        turns._patience = 0.0
        first = asyncio.create_task(turns.run(lambda: work(0)))
        monkeypatch.setattr("recollect.ways.turns.LATE", -1.0)
        await until(lambda: work.begun == [0])
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        assert turns._turns.total_tokens == 1
        monkeypatch.setattr("recollect.ways.turns.LATE", NEVER)
        await until(lambda: turns._turns.total_tokens == 2)
        work.end(0)
        assert await first == 0

    run(what, at_once=1)


def test_a_call_that_fails_gives_its_turn_back():
    def fail() -> None:
        raise LookupError

    async def what(turns, work):
        work.end(0)
        for _ in range(3):
            with pytest.raises(LookupError):
                await turns.run(fail)
        assert await turns.run(lambda: work(0)) == 0

    run(what, at_once=1)


def test_who_leaves_before_its_turn_has_nothing_done():
    async def what(turns, work):
        first = asyncio.create_task(turns.run(lambda: work(0)))
        await until(lambda: work.begun == [0])
        second = asyncio.create_task(turns.run(lambda: work(1)))
        await anyio.lowlevel.checkpoint()
        second.cancel()
        await asyncio.wait((second,))
        work.end(0, 2)
        await first
        assert await turns.run(lambda: work(2)) == 2
        assert work.begun == [0, 2]

    run(what, at_once=1)


def test_who_leaves_in_its_turn_has_all_of_it_done():
    async def what(turns, work):
        async with anyio.create_task_group() as leaving:
            leaving.start_soon(turns.run, lambda: work(0))
            await until(lambda: work.begun == [0])
            leaving.cancel_scope.cancel()
            second = asyncio.create_task(turns.run(lambda: work(1)))
            await anyio.lowlevel.cancel_shielded_checkpoint()
            work.end(0, 1)
        assert await second == 1
        assert work.begun == [0, 1]
        assert work.most == 1

    run(what, at_once=1)
