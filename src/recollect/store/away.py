"""A store on a server that this program has no way to: whatever is asked, it says so.

Who captures a decision meanwhile has it wait beside the store, as while any store is away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import Away

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from recollect.model import Problem
    from recollect.ops import Backed
    from recollect.store import Reader, Writer


class AwayStore:
    """Nothing of it can be had."""

    def reading(self) -> AbstractContextManager[Reader]:
        """No snapshot."""
        raise Away

    def writing(self) -> AbstractContextManager[Writer]:
        """No transaction."""
        raise Away

    def verify(self) -> list[Problem]:
        """Nothing to check."""
        raise Away

    def backup(self, path: str) -> Backed:
        """Nothing to copy."""
        del path
        raise Away

    def size(self) -> int:
        """Not known."""
        raise Away

    def close(self) -> None:
        """Nothing was opened."""
