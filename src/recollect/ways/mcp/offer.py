"""What a server offers, in the protocol's words: the same for every client, so said once.

Knows neither the SDK nor the engine, so that it can be told before either has been imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect._version import __version__
from recollect.contracts import listing
from recollect.contracts.address import arguments, template

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.contracts.listing import Offered, Selection

# What is offered changes with the program alone, so a client may keep it for an hour.
TTL_MS = 3_600_000
# What every result of the newest revision says; what answers older ones leaves it out.
WHOLE = {"resultType": "complete"}


class Offer:
    """What one server has, by name and as lists."""

    def __init__(self, chosen: Selection) -> None:
        self.info = {"name": chosen.name, "title": "Recollect", "version": __version__}
        self.instructions = listing.instructions(chosen)
        self.protocol_errors = listing.protocol_errors(chosen)
        tools, prompts = listing.offered(chosen), listing.prompts(chosen)
        self.tools, self.prompts = _by_name(tools), _by_name(prompts)
        self._resources = listing.resources(chosen)
        self.lists: dict[str, dict[str, Any]] = {
            "tools/list": {**WHOLE, "tools": _shown(tools)},
            "prompts/list": {**WHOLE, "prompts": _shown(prompts)},
            "resources/list": {**WHOLE, "resources": _shown(self._kind("uri"))},
            "resources/templates/list": {
                **WHOLE,
                "resourceTemplates": _shown(self._kind("uriTemplate")),
            },
        }
        if not prompts:
            del self.lists["prompts/list"]
        if not self._resources:
            del self.lists["resources/list"], self.lists["resources/templates/list"]

    def capabilities(self, *, modern: bool = False) -> dict[str, Any]:
        """What the protocol calls what is offered, as the SDK's server has it.

        In the newest revision whoever can be listened to can be about lists as well.
        """
        listening = {"listChanged": modern and "resources/list" in self.lists}
        found: dict[str, Any] = {"logging": {}, "tools": listening}
        if "prompts/list" in self.lists:
            found["prompts"] = listening
        if "resources/list" in self.lists:
            found["resources"] = {"subscribe": True, **listening}
        if len(self.lists) > 1:
            found["completions"] = {}
        return found

    def at(self, address: str) -> tuple[Offered, dict[str, str]] | None:
        """The resource at an address, and what the address says; a whole path before a pattern."""
        for key in ("uri", "uriTemplate"):
            for one in self._kind(key):
                said = arguments(one.shown[key], address)
                if said is not None:
                    return one, said
        return None

    def templated(self, uri: str) -> Offered | None:
        """The resource of a template, with or without what may follow its `?`."""
        return next(
            (
                one
                for one in self._resources
                if uri in {one.shown.get("uriTemplate"), template(one.shown.get("uriTemplate", ""))}
            ),
            None,
        )

    def _kind(self, key: str) -> list[Offered]:
        return [one for one in self._resources if key in one.shown]


def _by_name(found: Iterable[Offered]) -> dict[str, Offered]:
    """By the name with dots and by the one without: a call may use either."""
    return {name: one for one in found for name in (one.own, one.own.replace(".", "_"))}


def _shown(found: Iterable[Offered]) -> list[dict[str, Any]]:
    return [one.shown for one in found]
