"""Asks a running server, which has the model at hand, if it answers quickly; else says nothing.

Spoken by hand over a socket: to import an HTTP client takes longer than the answer.
"""

from __future__ import annotations

import json
import socket
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from recollect.model import Author, AuthorKind, Hit, Kind, Parts, Record, Scope, Why

if TYPE_CHECKING:
    from collections.abc import Sequence

# Seconds from the first byte to the last. Who is slower is done without.
_PATIENCE = 0.1
_LARGEST = 1024 * 1024
_MOST_HITS = 24
_PLAIN = "http://"
_PATH = "/api/v1/recall"
_KINDS = [Kind.MEMORY, Kind.DECISION, Kind.ANTIPATTERN, Kind.SKILL]


def recall(address: str, query: str, scope: Scope, key: str | None) -> Sequence[Hit] | None:
    """What the server finds for the project and for none; None where it is not there in time."""
    asked: dict[str, object] = {
        "query": query,
        "limit": _MOST_HITS,
        "explain": True,
        "kinds": _KINDS,
    }
    if scope.user:
        asked["user"] = scope.user
    try:
        answer = _posted(address, json.dumps(asked).encode(), key)
        hits = [_hit(said) for said in json.loads(answer)["hits"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return [hit for hit in hits if hit.record.scope.project in {scope.project, ""}]


def _posted(address: str, body: bytes, key: str | None) -> bytes:
    """The body of a good answer. Raises `OSError` or `ValueError` for any other."""
    host, _, port = address.removeprefix(_PLAIN).partition("/")[0].rpartition(":")
    if not address.startswith(_PLAIN) or not host:
        raise ValueError("not an address of this sort")
    letter = f"Authorization: Bearer {key}\r\n" if key else ""
    head = (
        f"POST {_PATH} HTTP/1.0\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n{letter}\r\n"
    )
    until = monotonic() + _PATIENCE
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE) as line:
        line.sendall(head.encode() + body)
        got = b""
        while (part := line.recv(64 * 1024)) and len(got) < _LARGEST:
            got += part
            line.settimeout(max(until - monotonic(), 0.001))
    said, _, answer = got.partition(b"\r\n\r\n")
    if said.split(b" ", 2)[1:2] != [b"200"]:
        raise ValueError("no answer to the question")
    return answer


def _hit(said: dict[str, Any]) -> Hit:
    one, why = said["record"], said["why"]
    at = datetime.fromisoformat(one["event_time"])
    record = Record(
        str(one["id"]),
        Kind(one["kind"]),
        Scope(*(str(one["scope"][name]) for name in ("tenant", "user", "project"))),
        Author(AuthorKind(one["author"]["kind"]), str(one["author"]["name"])),
        str(one["text"]),
        created_at=at,
        updated_at=at,
        event_time=at,
        valid_from=at,
        type=str(one["type"]),
        title=str(one["title"]),
        status=str(one["status"]),
    )
    terms = tuple(map(str, why["terms"]))
    reasons = Why(None, None, None, why["cosine"], float(why["bm25"]), terms)
    return Hit(record, float(said["score"]), Parts(), reasons)
