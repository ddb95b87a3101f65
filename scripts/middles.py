"""Prints where the middle of each dimension of the model's states lies, for embed/codes.py.

The texts are the paragraphs of the standard library's own documentation: prose that lies on every
machine, and that no benchmark is made of.
"""

from __future__ import annotations

import importlib
import inspect
import random
from base64 import b85encode

import numpy as np

from recollect.embed.bundled import WEIGHTS, Bundled

MODULES = (
    "argparse asyncio collections datetime decimal difflib email functools heapq http.client"
    " itertools json logging os pathlib pickle random re shutil socket sqlite3 statistics string"
    " subprocess tempfile textwrap threading typing unittest urllib.request uuid zipfile turtle"
    " doctest optparse getpass calendar locale gettext imaplib smtplib ftplib bisect fractions csv"
    " configparser"
).split()
SHORTEST, LONGEST, MANY = 60, 600, 700


def paragraphs() -> list[str]:
    """Some of the paragraphs, always the same ones."""
    found: set[str] = set()
    for name in MODULES:
        module = importlib.import_module(name)
        for one in (module, *(getattr(module, part) for part in dir(module))):
            found |= {" ".join(text.split()) for text in (inspect.getdoc(one) or "").split("\n\n")}
    fitting = sorted(text for text in found if SHORTEST < len(text) < LONGEST)
    random.Random(1).shuffle(fitting)  # noqa: S311 -- a sample, no secret
    return fitting[:MANY]


def main() -> None:
    """Print the line."""
    encoder = Bundled(WEIGHTS)._ready()  # noqa: SLF001 -- states go nowhere else
    states = np.concatenate([encoder.states(text)[1] for text in paragraphs()])
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    middles = np.clip(np.round(np.median(states, axis=0) * 1_000), -127, 127).astype(np.int8)
    print(b85encode(middles.tobytes()).decode())


if __name__ == "__main__":
    main()
