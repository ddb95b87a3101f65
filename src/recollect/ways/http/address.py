"""Where a server listens, and by which names it may be called there."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest, Unavailable
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST, PORT = "127.0.0.1", 8377
_NAMES = ("localhost", "127.0.0.1", "::1")


class Address(Value):
    """A host and a port."""

    host: str = HOST
    port: int = PORT

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return _loopback(self.host)

    @property
    def url(self) -> str:
        """How a client on this machine calls it."""
        host = HOST if self.host in {"0.0.0.0", "::"} else self.host  # noqa: S104 -- not bound here
        return f"http://{_bracketed(host)}:{self.port}"


def address(text: str) -> Address:
    """An address as a person writes it: `[HOST:]PORT`.

    >>> address("9090"), address("[::1]:80"), address(":8377").host
    (Address(host='127.0.0.1', port=9090), Address(host='::1', port=80), '127.0.0.1')
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or HOST
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InvalidRequest(
            f"{text!r} is no address; write a port, or a host and a port: 8377, 127.0.0.1:8377,"
            " [::1]:8377.",
            field="http",
        )
    return Address(host, int(port))


def listening(at: Address) -> socket.socket:
    """A socket that listens there.

    Raises:
        Unavailable: another program does, or there is no such address here.
    """
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            at.host, at.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Where the protocol is not named, the event loop does not know that it is TCP, and every
        # answer waits 40 ms for the client's leave to send its second half.
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _refused(at, error) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(where)
        made.listen(1024)
    except OSError as error:
        made.close()
        raise _refused(at, error) from None
    return made


def peer_is_local(peer: str | None) -> bool:
    """Whether who calls is on this machine."""
    return peer is not None and _loopback(peer)


def allowed_names(at: Address, further: Iterable[str]) -> frozenset[str]:
    """The names that a `Host` header may say, in lower case and without a port.

    A page of another name, which a browser was told lives at this address, is none of them.
    """
    own = {*_NAMES, at.host.lower(), *(name.lower() for name in further)}
    return frozenset(own if at.loopback else {*own, socket.gethostname().lower()})


def name_in(authority: str) -> str | None:
    """The host of `HOST[:PORT]`, in lower case; None where that is no host.

    >>> name_in("LOCALHOST:80"), name_in("[::1]:80"), name_in("::1"), name_in("a b"), name_in("a:b")
    ('localhost', '::1', None, None, None)
    """
    host, port = authority, ""
    if authority.startswith("["):
        host, closed, rest = authority[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            return None
        port = rest[1:]
    elif ":" in authority:
        host, port = authority.split(":", 1)
    if port and not (port.isascii() and port.isdigit()):
        return None
    plain = host.replace("-", "").replace(".", "").replace(":", "").replace("_", "")
    return host.lower() if plain.isascii() and plain.isalnum() else None


def is_literal(host: str) -> bool:
    """Whether a host is a number, which no one can point elsewhere."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _refused(at: Address, error: OSError) -> Unavailable:
    return Unavailable(
        f"Nothing can listen on {_bracketed(at.host)}:{at.port} ({error.strerror}). End what does,"
        " or name another port with --http.",
        host=at.host,
        port=at.port,
    )
