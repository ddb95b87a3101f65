"""Carries out at most once what comes with a key, and remembers beside it what was answered.

The memory of it is written in the transaction of the work itself, so that both are there or
neither is, whoever asks again: this process, one that was started anew, or another one.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import DoneBefore, KeyUsed
from recollect.model import Done, micros
from recollect.ops import IndexProject
from recollect.store.held import Held
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.engine.ports import Ports
    from recollect.ops import Op
    from recollect.store import Reader

Answer = TypeVar("Answer")

# For so long, and so many.
KEPT = timedelta(days=1)
MOST = 10_000
# Longer answers are not kept twice over.
LARGEST = 256 * 1024
# It commits as it goes and goes on behind the call, so nothing is held for it. Done twice, it comes
# to the same.
_BY_ITSELF = IndexProject


class Mark(Value):
    """What tells a request from every other."""

    # A digest of who sends it and of the key that came with it.
    key: str
    # A digest of what it asks for.
    print: str
    tenant: str


class _Seen(Exception):
    """No failure: it was carried out before, or somebody else was faster."""

    def __init__(self, done: Done) -> None:
        super().__init__()
        self.done = done


def once(
    ports: Ports,
    op: Op[Answer],
    mark: Mark,
    work: Callable[[Ports], Answer],
    shown: Callable[[Answer], str],
) -> Answer | str:
    """The answer where it was carried out now; as text, as it was shown, where it was before.

    Raises:
        DoneBefore: it was carried out, and how it was shown is not kept.
        KeyUsed: it is another request that came with this key.
    """

    def unseen(reader: Reader) -> None:
        done = reader.done(mark.key)
        if done is not None and done.at > ports.clock() - KEPT:
            raise _Seen(done)

    def kept(answer: Answer) -> Done:
        text = shown(answer)
        now = ports.clock()
        return Done(mark.key, mark.print, mark.tenant, now, text if len(text) <= LARGEST else "")

    try:
        with ports.store.reading() as reader:
            unseen(reader)
        with Held(ports.store, unseen) as held:
            by_itself = isinstance(op, _BY_ITSELF)
            answer = work(ports if by_itself else replace(ports, store=held))
            done = kept(answer)
            held.last().keep_done(done, micros(done.at - KEPT), MOST)
    except _Seen as seen:
        return _again(seen.done, mark)
    return answer


def _again(done: Done, mark: Mark) -> str:
    if done.print != mark.print:
        raise KeyUsed
    if not done.answer:
        raise DoneBefore
    return done.answer
