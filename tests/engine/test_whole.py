"""Files that are written whole: never half of one, and for whom they were."""

from __future__ import annotations

import stat

import pytest

from recollect.engine.whole import write


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_for_its_owner_alone_and_another_keeps_its_mode(tmp_path):
    path = tmp_path / "page.md"
    write(str(path), b"one")
    assert (path.read_bytes(), mode(path)) == (b"one", 0o600)
    path.chmod(0o644)
    write(str(path), "zwei ü".encode())
    assert (path.read_text(encoding="utf-8"), mode(path)) == ("zwei ü", 0o644)
    write(str(path), b"three", 0o600)
    assert mode(path) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(tmp_path):
    folder = tmp_path / "page.md"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        write(str(folder), b"one")
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]
    with pytest.raises(FileNotFoundError):
        write(str(tmp_path / "nowhere" / "page.md"), b"one")
