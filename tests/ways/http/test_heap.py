"""How the C library keeps what many threads have given back."""

from __future__ import annotations

import platform

from recollect.ways.http.heap import keep_together


def test_it_can_be_said_where_the_library_knows_the_word():
    assert keep_together() is (platform.libc_ver()[0] == "glibc")


def test_elsewhere_nothing_is_said():
    assert keep_together(object()) is False
