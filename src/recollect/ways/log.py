"""The log of a server: lines for people, or JSON for programs. It never holds a memory's text."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.config import Config

TEXT, JSON = "text", "json"
FACTS = "facts"
# A call that takes longer is named.
SLOW = 1.0
_MOST = 20

log = logging.getLogger("recollect.calls")


class Lines(logging.Formatter):
    """One JSON document a line."""

    def format(self, record: logging.LogRecord) -> str:
        """One entry, with the facts that came with it."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, FACTS, {}),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)


def begin(config: Config) -> None:
    """Write the log to standard error, as the settings say."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        Lines()
        if config.log_format == JSON
        else logging.Formatter("recollect: %(levelname)s: %(message)s")
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("recollect").setLevel(config.log_level.upper())


def kept_where(config: Config) -> None:
    """Say where memory is kept, if that is not where the settings would have it."""
    if config.elsewhere:
        log.warning(
            "MEMBRIA_GRAPH_URL names a database server, and this version can only use a file."
            " Captured decisions wait in %s, and all else fails; unset it to use %s.",
            config.aside,
            config.store,
        )
    elif config.database is not None:
        log.warning(
            "MEMBRIA_GRAPH_URL is no postgresql:// URL, and is not used. Memory is kept in %s.",
            config.store,
        )


def called(facts: Mapping[str, str], arguments: object, seconds: float) -> None:
    """Note a call: what it was, how it ended, and of its arguments no more than their shape."""
    level = logging.WARNING if seconds > SLOW else logging.INFO
    if not log.isEnabledFor(level):
        return
    what = " ".join(one for one in (facts.get("method"), facts.get("tool")) if one)
    known = {**facts, "seconds": round(seconds, 4), "arguments": shape(arguments)}
    how = "slow: " if level == logging.WARNING else ""
    log.log(level, "%s%s took %.3f s", how, what, seconds, extra={FACTS: known})


def shape(value: object) -> object:
    """What arguments are like, without what they say.

    >>> shape({"query": "who is ada", "limit": 5, "tags": ["a", "b"], "strict": True})
    {'query': 'text of 10', 'limit': 'number', 'tags': 'list of 2', 'strict': 'yes or no'}
    """
    match value:
        case dict():
            # A name may be anything that a caller made up, so a long one is no name.
            return {str(name)[:40]: _kind(one) for name, one in list(value.items())[:_MOST]}
        case _:
            return _kind(value)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "yes or no"
        case str():
            return f"text of {len(value)}"
        case int() | float():
            return "number"
        case list():
            return f"list of {len(value)}"
        case dict():
            return f"object of {len(value)}"
    return "nothing"
