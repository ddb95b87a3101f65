"""What a command works with: the settings, the engine, and the person behind it all."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recollect.model import Author, AuthorKind

if TYPE_CHECKING:
    from recollect.config import Config
    from recollect.engine import Engine
    from recollect.ops import Answer, Op


class Session:
    """One run of one command."""

    def __init__(self, config: Config, engine: Engine) -> None:
        self.config = config
        self.engine = engine
        self.now = datetime.now(UTC)

    def run(self, op: Op[Answer]) -> Answer:
        """Ask the engine."""
        return self.engine.run(op)

    @property
    def author(self) -> Author:
        """The person at the keyboard. The system says who that is; the environment might not."""
        import pwd

        try:
            return Author(AuthorKind.HUMAN, pwd.getpwuid(os.getuid()).pw_name)
        except KeyError:
            return Author(AuthorKind.HUMAN)
