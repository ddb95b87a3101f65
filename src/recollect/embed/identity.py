"""How a model is named, so that vectors which do not belong together never mix."""

from __future__ import annotations


def identity(name: str, query_prefix: str, passage_prefix: str) -> str:
    """The model's name, with a mark when prefixes change what its vectors mean.

    >>> identity("bge-m3", "", "")
    'bge-m3'
    >>> identity("bge-m3", "query: ", "")
    'bge-m3+caec375f'
    """
    if not query_prefix and not passage_prefix:
        return name
    from zlib import crc32

    prefixes = f"{query_prefix}\0{passage_prefix}"
    return f"{name}+{crc32(prefixes.encode()):08x}"
