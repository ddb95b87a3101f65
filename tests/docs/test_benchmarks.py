from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = sorted((ROOT / "bench" / "results" / "micro").glob("*.json"))
FOUND = sorted((ROOT / "bench" / "results" / "recall").glob("*.json"))


def _script(name):
    path = ROOT / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def benchmarks():
    return _script("benchmarks")


def test_the_page_shows_the_newest_results(benchmarks):
    page = PAGE.read_text(encoding="utf-8")
    assert f"{benchmarks.setting()}\n\n{benchmarks.tables()}\n" in page


def test_the_page_shows_what_was_found_in_the_newest_run():
    finding = _script("finding")
    page = PAGE.read_text(encoding="utf-8")
    assert f"{finding.setting()}\n\n{finding.tables()}\n" in page
    assert f"{finding.lost()}\n\n### What others reach\n\n{finding.peers()}\n" in page


def test_every_benchmark_that_can_be_run_has_a_place_on_the_page(benchmarks):
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    listed = done.stdout.partition("any of ")[2].partition(";")[0]
    assert {name.strip() for name in listed.split(",")} == set(benchmarks.BENCHMARKS)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_each_figure_says_how_busy_the_machine_was(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    assert "configuration" in run
    assert all("load" in figure for figure in run["figures"])


@pytest.mark.parametrize("path", RESULTS + FOUND, ids=lambda path: path.stem)
def test_results_name_commit_and_load_but_no_place(path):
    text = path.read_text(encoding="utf-8")
    run = json.loads(text)
    assert {"at", "commit", "machine", "versions", "model", "load"} <= set(run)
    assert "/home/" not in text
    assert "/root/" not in text
    assert str(ROOT) not in text


def test_what_readme_compares_is_what_the_comparison_has():
    rows = [
        line
        for line in (ROOT / "README.md").read_text("utf-8").splitlines()
        if line.startswith("| ") and line.count("|") > 6
    ]
    assert len(rows) > 3
    assert {*rows} <= {*(ROOT / "docs" / "comparison.md").read_text("utf-8").splitlines()}
