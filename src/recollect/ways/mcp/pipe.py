"""The two ends of a client's pipe: lines in, by a thread of their own, and lines out."""

from __future__ import annotations

import fcntl
import os
import select
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeAlias

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    # A line, or the end of all lines.
    Line: TypeAlias = bytes | None

_AT_ONCE = 1 << 16
# Seconds that a client has to take what it is told, once the server was asked to end.
_MOMENT = 0.5


class Mark(Value):
    """Says among the lines that something else has happened."""


class Pipe:
    """Standard input and output, which nothing else in the process can reach meanwhile.

    Lines wait until they are taken with `get`, or until there is somebody to hand them to.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._waiting: SimpleQueue[Line | Mark] = SimpleQueue()
        self._take: Callable[[Line], None] | None = None
        self._lock = Lock()
        self._writing = False
        self._hurried = False
        self._closed = False
        # A daemon, because nothing can wake it: it reads until the client closes its end.
        Thread(target=self._read, name="recollect-stdin", daemon=True).start()

    def get(self) -> Line | Mark:
        """The next line, the end, or what was put among them."""
        return self._waiting.get()

    def put(self, mark: Mark | None) -> None:
        """Put a mark, or the end that was taken, among the lines."""
        self._waiting.put(mark)

    def hand_to(self, take: Callable[[Line], None]) -> None:
        """From now on, and for what waits, call this from the thread that reads."""
        with self._lock:
            while not self._waiting.empty():
                line = self._waiting.get()
                if not isinstance(line, Mark):
                    take(line)
            self._take = take

    def write(self, line: bytes) -> None:
        """Send one line. A client that is gone hears nothing, and is heard of as the end."""
        if self._closed:
            return
        line += b"\n"
        try:
            self._writing = True
            while line:
                line = line[self._written(line) :]
            self._writing = False
        except OSError:
            self._writing = False
            self._closed = True
            self._came(None)

    def hurry(self) -> None:
        """Let no write wait any more. Is called by a handler of signals alone."""
        self._hurried = True
        if self._writing:
            raise BrokenPipeError

    def _written(self, line: bytes) -> int:
        """How much of a line was written."""
        if not self._hurried:
            return os.write(self._sink, line)
        # What can be written at once to a pipe that is ready at all.
        if not select.select([], [self._sink], [], _MOMENT)[1]:
            raise BrokenPipeError
        return os.write(self._sink, line[: select.PIPE_BUF])

    def _read(self) -> None:
        begun: list[bytes] = []
        try:
            while chunk := os.read(self._source, _AT_ONCE):
                head, *lines = chunk.split(b"\n")
                begun.append(head)
                for line in lines:
                    self._came(b"".join(begun))
                    begun = [line]
        except OSError:
            # A terminal that hung up, for one: nothing more will come.
            begun.clear()
        self._came(b"".join(begun))
        self._came(None)

    def _came(self, line: Line) -> None:
        with self._lock:
            (self._take or self._waiting.put)(line)


@contextmanager
def claimed() -> Iterator[Pipe]:
    """Standard input and output for the protocol alone.

    Whatever else the process, or one that it starts, says meanwhile goes to standard error.
    """
    source, sink = (fcntl.fcntl(of, fcntl.F_DUPFD_CLOEXEC, 3) for of in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield Pipe(source, sink)
    finally:
        # Their copies stay open: the reading thread may still hold one.
        os.dup2(source, 0)
        os.dup2(sink, 1)
