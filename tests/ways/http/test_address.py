"""Where a server listens, and by which names it may be called."""

from __future__ import annotations

import socket

import pytest

from recollect.errors import InvalidRequest, Unavailable
from recollect.ways.http.address import Address, address, allowed_names, listening, name_in
from recollect.ways.http.peer import same_user


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("8377", "127.0.0.1", 8377),
        ("0", "127.0.0.1", 0),
        (":9090", "127.0.0.1", 9090),
        ("localhost:1", "localhost", 1),
        ("0.0.0.0:65535", "0.0.0.0", 65535),
        ("[::1]:80", "::1", 80),
    ],
)
def test_an_address_is_a_port_or_a_host_and_a_port(text, host, port):
    assert address(text) == Address(host, port)


@pytest.mark.parametrize("text", ["", "x", "1:", "localhost", "65536", "-1", "１", "1.5"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(InvalidRequest, match="is no address; write a port"):
        address(text)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("LOCALHOST", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("example.com", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_only_what_stays_on_this_machine_is_loopback(host, loopback):
    assert Address(host).loopback is loopback


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8377", "localhost"),
        ("[::1]", "::1"),
        ("[::1]:8377", "::1"),
        ("127.0.0.1:8377@evil.example", None),
        ("evil.example#localhost", None),
        ("localhost:", "localhost"),
        ("localhost:8x", None),
        ("[::1", None),
        ("[::1]x", None),
        ("", None),
        ("a/b", None),
        ("lоcalhost", None),
    ],
)
def test_a_name_is_what_stands_before_the_port(authority, name):
    assert name_in(authority) == name


def test_a_server_goes_by_its_address_and_by_what_was_configured():
    assert allowed_names(Address("127.0.0.1"), ()) == {"localhost", "127.0.0.1", "::1"}
    assert "memory.example" in allowed_names(Address("0.0.0.0"), ["Memory.example"])
    assert socket.gethostname().lower() in allowed_names(Address("0.0.0.0"), [])


def test_a_port_that_is_taken_is_said_to_be():
    with listening(Address(port=0)) as one:
        taken = one.getsockname()[1]
        with pytest.raises(Unavailable, match=f"Nothing can listen on 127.0.0.1:{taken}"):
            listening(Address(port=taken))
    with pytest.raises(Unavailable, match="Nothing can listen on no-such-host"):
        listening(Address("no-such-host.invalid", 1))


def test_what_is_heard_is_known_to_be_tcp():
    with listening(Address(port=0)) as server:
        # Only then does the event loop send without delay.
        assert server.proto == socket.IPPROTO_TCP


def test_the_one_at_the_other_end_is_told_from_others():
    with listening(Address(port=0)) as server:
        here = server.getsockname()
        with socket.create_connection(here) as client:
            peer = client.getsockname()
            assert same_user(peer, here)
            assert not same_user(peer, (here[0], here[1] ^ 1))
            assert not same_user((peer[0], peer[1] ^ 1), here)
        assert not same_user(("::1", 1), ("::1", 2))
