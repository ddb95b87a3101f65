"""What a server can say before the SDK is there: who it is, and what it offers.

To import the SDK takes longer than a client needs to start a conversation, and some clients leave
out the tools of a server that is late. tests/ways/mcp/test_early.py holds every answer against the
SDK's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.ways.mcp.offer import TTL_MS

if TYPE_CHECKING:
    from recollect.ways.mcp.offer import Offer

# With a handshake, oldest first, and without one.
SHAKEN = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"
_LASTING = {"ttlMs": TTL_MS, "cacheScope": "public", "resultType": "complete"}


class Early:
    """The beginning of one conversation."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._shaken = False

    def answer(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The result of a request, or None where the SDK has to see to it."""
        method, params = request["method"], request.get("params", {})
        if method == "initialize":
            return self._initialized(params)
        if _enveloped(params):
            return self._modern(method) if params.keys() == {"_meta"} else None
        if not self._shaken or params.keys() - {"_meta"} or "progressToken" in _meta(params):
            return None
        if method == "ping":
            return {}
        listed = self._offer.lists.get(method)
        return None if listed is None else _older(listed)

    def _initialized(self, params: dict[str, Any]) -> dict[str, Any] | None:
        version, who = params.get("protocolVersion"), params.get("clientInfo")
        if not isinstance(who, dict) or self._shaken:
            return None
        said = (version, who.get("name"), who.get("version"))
        if not all(isinstance(one, str) for one in said) or not _plain(params):
            return None
        self._shaken = True
        return {
            "protocolVersion": version if version in SHAKEN else SHAKEN[-1],
            "capabilities": self._offer.capabilities(),
            "serverInfo": self._offer.info,
            "instructions": self._offer.instructions,
        }

    def _modern(self, method: str) -> dict[str, Any] | None:
        who = {"_meta": {f"{_META}serverInfo": self._offer.info}}
        if method == "server/discover":
            return {
                **_LASTING,
                **who,
                "supportedVersions": [MODERN],
                "capabilities": self._offer.capabilities(modern=True),
                "instructions": self._offer.instructions,
            }
        listed = self._offer.lists.get(method)
        return None if listed is None else {**_LASTING, **listed, **who}


def _plain(params: dict[str, Any]) -> bool:
    capable = params.get("capabilities")
    return isinstance(capable, dict) and all(isinstance(one, dict) for one in capable.values())


def _meta(params: dict[str, Any]) -> dict[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _enveloped(params: dict[str, Any]) -> bool:
    meta = _meta(params)
    return meta.get(f"{_META}protocolVersion") == MODERN and isinstance(
        meta.get(f"{_META}clientCapabilities"), dict
    )


def _older(listed: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in listed.items() if name != "resultType"}
