"""A store whose last transaction waits for what is to be written along with it.

Whoever works with it sees no difference: what was written is read, as if it were committed.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from recollect.model import Problem
    from recollect.ops import Backed
    from recollect.store import Reader, Store, Writer


class Held:
    """One store for one thread and one piece of work; its end commits, a failure undoes."""

    def __init__(self, store: Store, first: Callable[[Writer], None]) -> None:
        """`first` is done at the beginning of every transaction, and may refuse it."""
        self._store = store
        self._first = first
        self._stack = ExitStack()
        self._open: Writer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """See `Store`."""
        if self._open is not None:
            yield self._open
            return
        with self._store.reading() as reader:
            yield reader

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """See `Store`. What was written before is committed first."""
        self.__exit__(None, None, None)
        with ExitStack() as stack:
            stack.callback(self._ended)
            tx = stack.enter_context(self._store.writing())
            self._first(tx)
            self._open = tx
            yield tx
            self._stack = stack.pop_all()

    def _ended(self) -> None:
        self._open = None

    def last(self) -> Writer:
        """The transaction that waits, or one that begins now where nothing was written."""
        if self._open is None:
            with self.writing():
                pass
        assert self._open is not None  # noqa: S101 -- else it has raised
        return self._open

    def verify(self) -> list[Problem]:
        """See `Store`."""
        return self._store.verify()

    def backup(self, path: str) -> Backed:
        """See `Store`."""
        return self._store.backup(path)

    def size(self) -> int:
        """See `Store`."""
        return self._store.size()

    def close(self) -> None:
        """Whose store it is closes it."""
