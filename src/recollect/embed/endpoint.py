"""Embeddings from an OpenAI-compatible server, by the standard library's HTTP client.

Texts leave the machine here, and only here; a person has to have named the address.
"""

from __future__ import annotations

import json
import random
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Lock
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from recollect.embed import Model
from recollect.embed.identity import identity
from recollect.errors import InvalidRequest, Unavailable
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.embed import Vectors

# Most servers take more, some take no more than this.
BATCH = 128
TIMEOUT = 30.0
RETRIES = 3
# The first pause; each one after it is twice as long.
PAUSE = 0.5
# Who asks for a longer pause is told so, instead of being kept waiting.
LONGEST_PAUSE = 20.0
_UNREACHED = 0
# Not worth another try: who waits for an answer has waited long enough.
_TOO_SLOW = -1
_WORTH_ANOTHER_TRY = frozenset({_UNREACHED, 408, 409, 429, 500, 502, 503, 504})
_SHOWN = 300


class Endpoint:
    """A model behind `POST <url>/embeddings`."""

    def __init__(  # noqa: PLR0913  # as many as the server leaves open
        self,
        url: str,
        name: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        timeout: float = TIMEOUT,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = _Server(url, api_key, timeout)
        self._name = name
        self._dimensions = dimensions
        self._known = dimensions
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._pause = pause
        self._lock = Lock()

    @property
    def model(self) -> Model:
        """The model. Asks the server, once, when the number of dimensions is not configured."""
        self.load()
        return Model(identity(self._name, self._query_prefix, self._passage_prefix), self._width())

    def load(self) -> None:
        """Learn how many dimensions the model has, unless that is configured."""
        with self._lock:
            if self._known is None:
                self._known = self._ask(["dimensions"]).shape[1]

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row for each text to be found."""
        import numpy as np

        self.load()
        rows = np.empty((len(texts), self._width()), np.float32)
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            rows[start : start + BATCH] = self._ask([self._passage_prefix + t for t in batch])
        return rows

    def query(self, text: str) -> Vectors:
        """The vector of a text to search with."""
        self.load()
        row: Vectors = self._ask([self._query_prefix + text])[0]
        return row

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._server.close()

    def _width(self) -> int:
        return cast("int", self._known)

    def _ask(self, texts: list[str]) -> Vectors:
        body: dict[str, object] = {
            "model": self._name,
            "input": [_clean(text) for text in texts],
            "encoding_format": "float",
        }
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        answer = self._answer(json.dumps(body).encode())
        return _unit(_rows(answer, len(texts), self._server.address), self._known)

    def _answer(self, body: bytes) -> bytes:
        """The server's answer to one request, tried again while that may help."""
        for attempt in range(RETRIES + 1):
            reply = self._server.post(body)
            if reply.status == 200:  # noqa: PLR2004  # 200 is its own name
                return reply.body
            wait = _wait(reply, attempt)
            if reply.status not in _WORTH_ANOTHER_TRY or wait > LONGEST_PAUSE:
                break
            if attempt < RETRIES:
                self._pause(wait)
        raise _refused(reply, self._server)


class _Reply(Value):
    """What came of one request: the server's status, or one of our own for its absence."""

    status: int
    body: bytes
    retry_after: str | None = None


class _Server:
    """The address, and the connections to it that are free."""

    def __init__(self, url: str, api_key: str | None, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidRequest(
                f"{url!r} is no address of an embedding server."
                " Give one such as https://api.openai.com/v1."
            )
        path = parts.path.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self.address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"
        self._target = path + (f"?{parts.query}" if parts.query else "")
        self._parts = parts
        self._key = api_key
        self._timeout = timeout
        self._free: list[HTTPConnection] = []

    def post(self, body: bytes) -> _Reply:
        """Send one request on a free connection."""
        kept = bool(self._free)
        try:
            return self._exchange(body)
        except TimeoutError:
            return _Reply(_TOO_SLOW, f"no answer within {self._timeout:g} seconds".encode())
        except (OSError, HTTPException) as error:
            # The server may have closed a connection while it lay idle. A new one will tell.
            if kept:
                self.close()
                return self.post(body)
            return _Reply(_UNREACHED, (str(error) or type(error).__name__).encode())

    def hide(self, text: str) -> str:
        """The text without the key, which some servers repeat in their errors."""
        return text.replace(self._key, "***") if self._key else text

    def close(self) -> None:
        """Close the connections that are free."""
        while self._free:
            self._free.pop().close()

    def _exchange(self, body: bytes) -> _Reply:
        connection = self._connection()
        reply: _Reply | None = None
        try:
            connection.request("POST", self._target, body, self._headers())
            response = connection.getresponse()
            reply = _Reply(response.status, response.read(), response.getheader("Retry-After"))
            return reply
        finally:
            if reply is None:
                connection.close()
            else:
                self._free.append(connection)

    def _connection(self) -> HTTPConnection:
        try:
            # Taking from a list is atomic, so two threads never get the same one.
            return self._free.pop()
        except IndexError:
            kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
            return kind(str(self._parts.hostname), self._parts.port, timeout=self._timeout)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return headers | {"Authorization": f"Bearer {self._key}"} if self._key else headers


def _clean(text: str) -> str:
    # Halves of surrogate pairs are not text, and some servers refuse an empty one.
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _rows(answer: bytes, expected: int, address: str) -> Vectors:
    """The vectors of an answer, in the order in which their texts were sent."""
    import numpy as np

    try:
        data = sorted(json.loads(answer)["data"], key=lambda item: item["index"])
        rows = np.array([item["embedding"] for item in data], np.float32)
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable(
            f"{address} answered, but not as an OpenAI-compatible embedding server does:"
            f" {answer[:_SHOWN]!r}. Check the configured address."
        ) from error
    if rows.ndim != 2 or len(rows) != expected:  # noqa: PLR2004  # a matrix
        raise Unavailable(
            f"{address} was sent {expected} texts and answered with an array of shape"
            f" {rows.shape}. Check the configured address and model."
        )
    return rows


def _unit(rows: Vectors, expected: int | None) -> Vectors:
    import numpy as np

    if expected is not None and rows.shape[1] != expected:
        raise Unavailable(
            f"The embedding server's vectors have {rows.shape[1]} dimensions, not the {expected}"
            " expected. Correct the configured number, or leave it out to have it asked for."
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise Unavailable(
            "The embedding server answered with a vector that has no direction."
            " Check its log, and the configured model."
        )
    unit: Vectors = rows / lengths
    return unit


def _wait(reply: _Reply, attempt: int) -> float:
    """How long to pause: what the server asks for, or a growing and slightly random time."""
    asked = reply.retry_after or ""
    with suppress(ValueError):
        return max(0.0, float(asked))
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except ValueError:
        pause: float = PAUSE * 2**attempt
        return pause * random.uniform(0.8, 1.2)  # noqa: S311  # no secret


def _refused(reply: _Reply, server: _Server) -> Unavailable:
    said = server.hide(_message(reply.body))
    what = f"said {reply.status}" if reply.status > 0 else "could not be reached"
    advice = {
        _UNREACHED: "Check the configured address and that the server runs.",
        400: "Check the configured model and its number of dimensions.",
        401: "Check the configured API key.",
        403: "Check the configured API key and what it permits.",
        404: "Check the configured address and model.",
        429: "It limits how much may be asked; try again later.",
    }.get(reply.status, "Try again later.")
    return Unavailable(
        f"The embedding server at {server.address} {what}: {said} {advice}",
        status=reply.status,
        retry_after=reply.retry_after,
    )


def _message(body: bytes) -> str:
    """The sentence in an error's body, or the beginning of the body."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, KeyError, TypeError):
        text = str(json.loads(text)["error"]["message"])
    text = " ".join(text.split())[:_SHOWN]
    return text if text.endswith((".", "!", "?")) else f"{text}."
