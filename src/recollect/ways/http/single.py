"""One request of the protocol, answered with one result: no session, no stream, no handshake.

For whoever has nothing but HTTP and JSON, and for the requests of an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from pydantic import ValidationError
from starlette.requests import Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.shared.dispatcher import CallOptions

    from recollect.ways.http.asgi import Scope


async def answered(
    server: Server[Any], scope: Scope, message: Mapping[str, Any], version: str
) -> dict[str, Any]:
    """The JSON-RPC answer to a request that came with that head."""
    said = {"jsonrpc": "2.0", "id": message["id"]}
    exchange = _Exchange(message["id"], scope)
    connection = Connection.from_envelope(version, None, None)
    try:
        result = await serve_one(
            server,
            exchange,
            message["method"],
            message.get("params"),
            connection=connection,
            lifespan_state={},
        )
    except (MCPError, ValidationError) as error:
        wrong = modern_error_data(error)
        return {**said, "error": wrong.model_dump(by_alias=True, exclude_none=True)}
    return {**said, "result": result}


class _Exchange:
    """What the SDK's server is told of a request. It has no other way to speak to the client."""

    can_send_request = False

    def __init__(self, id_: types.RequestId, scope: Scope) -> None:
        self.request_id = id_
        self.transport = TransportContext(kind="streamable-http", can_send_request=False)
        self.message_metadata = ServerMessageMetadata(request_context=Request(scope))
        self.cancel_requested = anyio.Event()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse, as the SDK names it."""
        del params, opts
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop, as the SDK names it."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop, as the SDK names it."""
