"""One long-term memory for AI agents and the people who work with them."""

from __future__ import annotations

from recollect._version import __version__

__all__ = ["__version__"]
