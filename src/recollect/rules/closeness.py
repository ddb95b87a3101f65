"""How close texts come to each other word by word, by the codes of their words.

Each word looks for the one that comes nearest to it in what it means there. A question and its
answer share few words, yet most words of the one have a near one in the other, or in what was
said around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import float32, uint8
    from numpy.typing import NDArray

    from recollect.model import Sense, Vector
# A query has seldom more telling words, and those at its end tell little.
MOST_ASKED = 48


def around(
    asked: bytes, said: Mapping[int, bytes], windows: Mapping[int, Sequence[int]], size: int
) -> dict[int, float]:
    """By record: how near it and what is beside it come to what was asked, over all of its words.

    1 is the same, 0 no nearer than chance. Codes are of `size` bytes each; what has none is left
    out. A window names the record and those beside it.
    """
    import numpy as np

    texts = {seq: codes for seq, codes in said.items() if codes}
    known = [seq for seq in windows if seq in texts]
    if not known or len(asked) < size:
        return {}
    starts = np.cumsum([0, *(len(codes) // size for codes in texts.values())])[:-1]
    away = _distances(_rows(b"".join(texts.values()), size), _rows(asked, size)[:MOST_ASKED])
    closest = np.minimum.reduceat(away, starts)
    place = {seq: at for at, seq in enumerate(texts)}
    beside = [[place[other] for other in windows[seq] if other in place] for seq in known]
    edges = np.cumsum([0, *map(len, beside)])[:-1]
    together = np.minimum.reduceat(closest[[at for some in beside for at in some]], edges)
    return dict(zip(known, (1 - together.mean(1) / (4 * size)).tolist(), strict=True))


def cosines(query: Vector, senses: Mapping[int, Sense]) -> dict[int, float]:
    """By record: how near its vector comes, or of a long text the nearest of its passages."""
    import numpy as np

    if not senses:
        return {}
    dims = len(query)
    cut = [
        np.frombuffer(one.parts, np.float16).reshape(-1, dims) if one.parts else one.vector[None]
        for one in senses.values()
    ]
    rows = np.concatenate(cut).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1)
    near = rows @ query / np.where(lengths > 0, lengths, 1)
    starts = np.cumsum([0, *map(len, cut)])[:-1]
    return dict(zip(senses, np.maximum.reduceat(near, starts).tolist(), strict=True))


def nearness(query: Vector, parts: bytes) -> dict[int, float]:
    """By passage of a long text, in order: how near its vector comes."""
    import numpy as np

    rows = np.frombuffer(parts, np.float16).reshape(-1, len(query)).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1)
    near = rows @ query / np.where(lengths > 0, lengths, 1)
    return dict(enumerate(near.tolist()))


def alike(one: bytes, other: bytes, size: int) -> float:
    r"""How much two texts say the same, in [-1, 1]: each word of either looks for its like.

    >>> alike(bytes(48), bytes(48), 48), alike(bytes(48), b"\xff" * 48, 48)
    (1.0, -1.0)
    """
    away = _distances(_rows(one, size), _rows(other, size))
    return float(1 - (away.min(0).mean() + away.min(1).mean()) / (8 * size))


def _rows(codes: bytes, size: int) -> NDArray[uint8]:
    import numpy as np

    return np.frombuffer(codes, np.uint8).reshape(-1, size)


def _distances(some: NDArray[uint8], others: NDArray[uint8]) -> NDArray[float32]:
    """In how many bits they differ."""
    import numpy as np
    import simsimd

    return np.asarray(simsimd.cdist(some, others, "hamming", dtype="bin8"), np.float32)
