"""What a command works with: the settings, the engine, and the person behind it all."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect.model import Author, AuthorKind

if TYPE_CHECKING:
    from typing import Self

    from recollect.config import Config
    from recollect.engine import Engine
    from recollect.engine.ports import Report
    from recollect.ops import Answer, Op


class Session:
    """One run of one command."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.now = datetime.now(UTC)
        # Who is told how far something is that takes long.
        self.report: Report | None = None
        # Whether to work on though the store cannot be read, and try again with each op.
        self.patient = False
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine, opened when it is first asked for: some commands need none."""
        if self._engine is None:
            from recollect.wiring import open_engine

            self._engine = open_engine(self.config, patient=self.patient)
        return self._engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            self._engine.close()

    def withdraw(self) -> None:
        """Leave no store behind that was not there before and that nothing was kept in."""
        if self._engine is not None:
            from recollect.wiring import withdraw

            withdraw(self._engine)
            self._engine = None

    def run(self, op: Op[Answer]) -> Answer:
        """Ask the engine."""
        return self.engine.run(op, self.report) if self.report else self.engine.run(op)

    def settle(self) -> int:
        """Have the engine embed all that waits, and answer how many records that were."""
        if self.report:
            return self.engine.settle(needed=True, report=self.report)
        return self.engine.settle(needed=True)

    @property
    def author(self) -> Author:
        """The person at the keyboard. The system says who that is; the environment might not."""
        import pwd

        try:
            return Author(AuthorKind.HUMAN, pwd.getpwuid(os.getuid()).pw_name)
        except KeyError:
            return Author(AuthorKind.HUMAN)
