"""What shells complete, asked of the shells themselves where they are there."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from recollect.ways.cli.commands import MODULES

SHELLS = ("bash", "zsh", "fish")
BASH = shutil.which("bash") or "bash"


@pytest.fixture
def completed(recollect, tmp_path):
    """What bash would offer for a line."""
    script = tmp_path / "completion"
    script.write_text(recollect("completion", "bash").out, "utf-8")

    def run(line):
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        asked = (
            f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _recollect;"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            [BASH, "-c", asked], capture_output=True, text=True, check=True, timeout=30
        )
        assert done.stderr == ""
        return done.stdout.split()

    return run


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("recollect rem", ["remember"]),
        ("recollect recall --exp", ["--explain"]),
        ("recollect serve --tool-names d", ["dotted"]),
        ("recollect --json serve --tool-names ", ["dotted", "underscore"]),
        ("recollect completion z", ["zsh"]),
        ("recollect forget --y", ["--yes"]),
        ("recollect nothing --", []),
    ],
)
def test_bash_offers_what_may_come_next(completed, line, offered):
    assert completed(line) == offered


def test_bash_offers_every_command(completed):
    assert {*completed("recollect ")} == {*MODULES, "--help", "--version"}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_one_that_its_shell_understands(recollect, shell, tmp_path):
    said = recollect("completion", shell)
    assert said.code == 0
    assert all(name in said.out for name in MODULES)
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "script"
    script.write_text(said.out, "utf-8")
    subprocess.run([program, "-n", str(script)], check=True, timeout=30)


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
@pytest.mark.parametrize(
    ("line", "offered"), [("recollect rem", "remember"), ("recollect recall --exp", "--explain")]
)
def test_fish_offers_what_may_come_next(recollect, tmp_path, line, offered):
    script = tmp_path / "completion.fish"
    script.write_text(recollect("completion", "fish").out, "utf-8")
    done = subprocess.run(
        [str(shutil.which("fish")), "-c", f"source {script}; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert offered in done.stdout.split()


def test_a_shell_that_is_not_known_is_refused(recollect):
    assert recollect("completion", "tcsh").code == 2
