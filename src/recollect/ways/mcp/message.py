"""JSON-RPC messages as bytes: what came, or what is wrong with it. Knows no SDK, no transport."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


class Malformed(ValueError):
    """What came is no message. Knows the answer to it."""

    def __init__(self, code: int, message: str, id_: str | int | None = None) -> None:
        super().__init__(message)
        self.answer = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}


def decoded(text: bytes, do: str = "Send one JSON-RPC message a line.") -> object:
    """The JSON document that the bytes hold.

    Raises:
        Malformed: they hold none.
    """
    try:
        document: object = json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        # A decoder's own words speak of bytes and columns, never of us.
        why = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise Malformed(PARSE_ERROR, f"This is not JSON in UTF-8 ({why}). {do}") from None
    return document


def checked(document: object) -> dict[str, Any]:
    """The document as a message that may be passed on.

    Raises:
        Malformed: it is none.
    """
    if not isinstance(document, dict):
        raise Malformed(INVALID_REQUEST, "A JSON-RPC message is an object, or an array of them.")
    id_ = document.get("id")
    known = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
    if document.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'A message says "jsonrpc": "2.0".', known)
    if "id" in document and known is None:
        raise Malformed(INVALID_REQUEST, "An id is a string or a whole number.")
    if "method" not in document and not (document.keys() & {"result", "error"}):
        raise Malformed(INVALID_REQUEST, "A request says which method it calls.", known)
    if not isinstance(document.get("method", ""), str):
        raise Malformed(INVALID_REQUEST, "A method is named by a string.", known)
    if not isinstance(document.get("params", {}), dict):
        raise Malformed(INVALID_REQUEST, "The params of MCP are an object.", known)
    return document


def tolerated(message: dict[str, Any]) -> dict[str, Any]:
    """The message as its sender meant it: some older clients say true or false of a capability."""
    if message.get("method") != "initialize":
        return message
    params = message.get("params", {})
    said = params.get("capabilities")
    if not isinstance(said, dict):
        return message
    meant = {
        name: {} if has is True else has
        for name, has in said.items()
        if has is not False and has is not None
    }
    return {**message, "params": {**params, "capabilities": meant}}


def encoded(message: Mapping[str, Any]) -> bytes:
    """One message on one line."""
    # Half of a character that JSON spells as an escape is spelled so again.
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
