"""Streams that stay open, and work that nobody waits for any more."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from recollect.ways.http.streams import ALLOWED, Streams
from recollect.ways.http.wanted import while_wanted

LEFT = {"type": "http.disconnect"}
START = {"type": "http.response.start", "status": 200, "headers": []}
END = {"type": "http.response.body", "body": b""}


async def endless(scope, receive, send):
    """A stream as the SDK serves one: it begins, and goes on until the client is gone."""
    await send(START)
    while await receive() != LEFT:
        pass


async def silent():
    await asyncio.Event().wait()


def held(streams, allowed=None, receive=silent):
    """What a client hears of a stream, once it is over."""

    async def main():
        heard = []

        async def send(message):
            heard.append(message)

        scope = {} if allowed is None else {ALLOWED: allowed}
        async with asyncio.timeout(30), anyio.create_task_group() as tasks:
            made = streams()
            tasks.start_soon(made.hold, endless, scope, receive, send)
            while not heard:
                await anyio.lowlevel.checkpoint()
            if allowed is None and receive is silent:
                made.end()
        return heard

    return asyncio.run(main())


def test_a_stream_ends_in_good_order_when_all_do():
    assert held(Streams) == [START, END]


def test_a_stream_ends_when_its_client_leaves():
    async def left():
        return LEFT

    assert held(Streams, receive=left) == [START, END]


def test_a_stream_ends_when_its_key_does():
    answers = iter([True, True, False])

    async def allowed():
        return next(answers)

    assert held(lambda: Streams(pause=0), allowed) == [START, END]


@pytest.mark.parametrize("before", [[], [{"type": "http.request"}]])
def test_what_nobody_waits_for_is_broken_off(before):
    messages = iter([*before, LEFT])

    async def receive():
        return next(messages)

    async def main():
        async with asyncio.timeout(30):
            return await while_wanted(silent(), receive, patience=0)

    assert asyncio.run(main()) is None


def test_what_somebody_waits_for_is_done():
    async def work():
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        return 7

    assert asyncio.run(while_wanted(work(), silent, patience=0)) == 7
    assert asyncio.run(while_wanted(work(), silent)) == 7
