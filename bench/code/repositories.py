"""Repositories in many languages, from the registries that this machine knows, and questions.

`RECOLLECT_BENCH_CODE` names the folder that they are in, or are fetched to: sources and packages of
Debian with `apt-get`, others with `npm` and `pip`. `site:` are packages installed beside Recollect.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.code.corpus import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = Path(__file__).parents[1] / "data" / "code" / "questions.tsv"
PLACE = "RECOLLECT_BENCH_CODE"


class Question(NamedTuple):
    """What somebody might ask of a repository, and how the paths of the files end that answer."""

    repository: str
    query: str
    files: tuple[str, ...]


def questions() -> list[Question]:
    """All of them, by repository."""
    rows = (line.split("\t") for line in ASKED.read_text("utf-8").splitlines())
    return [Question(name, query, tuple(files.split(","))) for name, query, files in rows]


def names() -> list[str]:
    return list(dict.fromkeys(one.repository for one in questions()))


def place(name: str) -> Path | None:
    """Where a repository is; None where it is not here."""
    kind, _, what = name.partition(":")
    base = os.environ.get(PLACE)
    if kind == "site":
        folder = SITE / what
    elif base:
        folder = Path(base) / re.sub(r"[^\w.-]+", "-", name)
    else:
        return None
    return folder if folder.is_dir() else None


def fetch() -> Iterator[str]:
    """Fetch what is missing. Answers what could not be had."""
    base = Path(os.environ[PLACE])
    for name in names():
        if place(name) is not None:
            continue
        kind, _, what = name.partition(":")
        target = base / re.sub(r"[^\w.-]+", "-", name)
        with tempfile.TemporaryDirectory() as folder:
            called = subprocess.run(
                _command(kind, what), cwd=folder, check=False, capture_output=True
            )
            found = [one for one in Path(folder).iterdir() if _holds(one.name)]
            if called.returncode or not found:
                yield name
                continue
            target.mkdir(parents=True)
            for one in found:
                _unpack(one, target)


def _command(kind: str, what: str) -> list[str]:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    return {
        "source": ["apt-get", "source", "--download-only", what],
        "package": ["apt-get", "download", what],
        "npm": ["npm", "pack", "--silent", what],
        "sdist": [*pip, "--no-build-isolation", what],
    }[kind]


def _holds(name: str) -> bool:
    return (
        name.endswith((".deb", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")) and ".debian." not in name
    )


def _unpack(archive: Path, target: Path) -> None:
    if archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)  # noqa: S607 -- Debian's own
        return
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            _, _, inside = member.name.removeprefix("./").partition("/")
            if inside and member.isfile():
                member.name = inside
                tar.extract(member, target, filter="data")
