"""The commands that bring decisions in from files and from a history, and out again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.rules.test_adr import MADR, NYGARD


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "decisions"
    made.mkdir()
    (made / "0003-use-postgresql.md").write_text(NYGARD, "utf-8")
    (made / "0004-users.md").write_text(MADR.replace("# Use PostgreSQL", "# 4. Users"), "utf-8")
    (made / "README.md").write_text("# Decisions\n\nHere they are.\n", "utf-8")
    return made


def test_records_are_imported_once_and_exported_as_they_were(recollect, folder, tmp_path):
    said = recollect("adr", "import", str(folder))
    assert said.code == 0, said
    assert said.out.count("dec_") == 2
    assert "README.md" in said.err
    assert recollect("adr", "import", str(folder)).out.count("known already") == 2
    out = tmp_path / "out"
    assert recollect("adr", "export", str(out)).code == 0
    for name in ("0003-use-postgresql.md", "0004-users.md"):
        assert (out / name).read_bytes() == (folder / name).read_bytes()


def test_what_took_the_place_of_another_says_so_on_both_sides(recollect, folder, tmp_path):
    old = folder / "0003-use-postgresql.md"
    old.write_text(NYGARD.replace("Accepted", "Superseded by 0004"), "utf-8")
    assert recollect("adr", "import", str(folder)).code == 0
    found = recollect("decisions", "--all", "--json").json["decisions"]
    status = {one["decision"]["statement"]: one["decision"]["record"]["status"] for one in found}
    assert status == {"Use PostgreSQL": "superseded", "Users": "active"}
    out = tmp_path / "out"
    recollect("adr", "export", str(out))
    assert (out / old.name).read_text("utf-8") == old.read_text("utf-8")


@pytest.mark.parametrize("format_", ["madr", "nygard"])
def test_own_decisions_are_exported_and_come_back_alike(recollect, tmp_path, format_):
    recollect(
        *("decide", "Use one pool", "--target", "pools", "--why", "It is enough."),
        *("--instead-of", "A pool each", "--consequence", "Less memory"),
    )
    out = tmp_path / "out"
    assert recollect("adr", "export", str(out), "--format", format_).code == 0
    other = str(tmp_path / "other.db")
    assert recollect("adr", "import", str(out), "--store", other).code == 0
    (one,) = recollect("decisions", "--json", "--store", other).json["decisions"]
    decision = one["decision"]
    assert decision["statement"] == "Use one pool"
    assert decision["reasoning"] == "It is enough."
    assert decision["alternatives"] == ["A pool each"]
    assert decision["consequences"] == ["Less memory"]


def test_a_folder_that_is_not_there_is_said(recollect, tmp_path):
    said = recollect("adr", "import", str(tmp_path / "none"))
    assert said.code == 2
    assert "cannot be read" in said.err


def git(folder, *args, date="2020-01-01T00:00:00Z"):
    environment = {
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
        "HOME": str(folder),
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    names = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, "-C", str(folder), *args],  # noqa: S607 -- the git that is there
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    made = tmp_path / "repository"
    made.mkdir()
    git(made, "init", "-q")
    return made


def committed(repository, name):
    (repository / name).write_text(name, "utf-8")
    git(repository, "add", name)
    git(repository, "commit", "-q", "-m", f"Add {name}")
    return git(repository, "rev-parse", "HEAD")


def test_a_history_proposes_outcomes_and_a_person_confirms(recollect, repository):
    good, bad = committed(repository, "good"), committed(repository, "bad")
    git(repository, "revert", "--no-edit", bad)
    for name, sha in (("good", good), ("bad", bad)):
        recollect("decide", f"Do the {name} thing", "--commit", sha)
    said = recollect("outcome", "from-git", "--repo", str(repository))
    assert said.code == 0, said
    assert "success" in said.out
    assert "failure" in said.out
    assert "2 to confirm" in said.err
    assert recollect("calibration", "--json").json["sample_size"] == 0
    done = recollect("outcome", "from-git", "--repo", str(repository), "--yes", "--json").json
    assert {one["status"] for one in done["proposed"]} == {"success", "failure"}
    assert len(done["recorded"]) == 2
    assert recollect("calibration", "--json").json["sample_size"] == 2
    again = recollect("outcome", "from-git", "--repo", str(repository), "--yes", "--json").json
    assert again["proposed"] == []


def test_a_folder_without_a_history_is_said(recollect, tmp_path):
    recollect("decide", "Do it", "--commit", "a" * 40)
    said = recollect("outcome", "from-git", "--repo", str(tmp_path))
    assert said.code == 2
    assert "cannot be read" in said.err


SECRET = "password: " + "hunter" + "22"


@pytest.fixture
def with_a_secret(folder):
    (folder / "0002-log-in.md").write_text(
        NYGARD.replace("# 3. Use PostgreSQL", "# 2. Log in").replace(
            "And we know it.", f"Staging has the {SECRET}"
        ),
        "utf-8",
    )
    return folder


def test_a_record_with_a_secret_is_named_and_left_out_and_the_others_go_in(
    recollect, with_a_secret
):
    said = recollect("adr", "import", str(with_a_secret))
    assert said.code == 1, said
    assert "Read 3 decision records: 2 imported, 0 as before, 1 left out." in said.out
    assert said.out.count("dec_") == 2
    assert "left out 0002-log-in.md: it holds what looks like a live secret: password on line" in (
        said.err
    )
    assert SECRET not in said.err
    assert "Nothing was stored" not in said.err
    again = recollect("adr", "import", str(with_a_secret), "--json")
    assert again.code == 1
    assert (again.json["imported"], again.json["known"]) == (0, 2)
    assert [*again.json["left_out"]] == ["0002-log-in.md"]
    assert len(recollect("decisions", "--all", "--json").json["decisions"]) == 2


def test_what_a_record_that_is_left_out_replaced_does_not_stand(recollect, with_a_secret):
    old = with_a_secret / "0003-use-postgresql.md"
    old.write_text(NYGARD.replace("Accepted", "Superseded by 0002"), "utf-8")
    recollect("adr", "import", str(with_a_secret))
    (one,) = recollect("decisions", "--json").json["decisions"]
    assert one["decision"]["statement"] == "Users"
    new = with_a_secret / "0002-log-in.md"
    new.write_text(new.read_text("utf-8").replace(SECRET, "password that we know"), "utf-8")
    said = recollect("adr", "import", str(with_a_secret))
    assert said.code == 0, said
    assert "1 imported, 2 as before, 0 left out" in said.out


def test_a_record_that_took_the_place_of_another_may_be_edited_later(recollect, folder):
    old, new = folder / "0003-use-postgresql.md", folder / "0004-users.md"
    old.write_text(NYGARD.replace("Accepted", "Superseded by 0004"), "utf-8")
    recollect("adr", "import", str(folder))
    new.write_text(new.read_text("utf-8") + "\nAnd more.\n", "utf-8")
    said = recollect("adr", "import", str(folder))
    assert said.code == 0, said
    assert "1 imported, 1 as before, 0 left out" in said.out


def test_the_decision_records_of_this_project_hold_no_secret(recollect):
    records = Path(__file__).parents[2] / "docs" / "adr"
    said = recollect("adr", "import", str(records))
    assert said.code == 0, said
    assert "0 left out" in said.out


def test_a_score_that_speaks_against_the_status_is_kept_and_said(recollect):
    id_ = decided(recollect, "Do it")
    said = recollect("outcome", id_, "failure", "--score", "0.9")
    assert said.code == 0, said
    assert f"without --score: recollect outcome {id_} failure" in said.err
    for status, score in (("failure", "0.2"), ("success", "0.8"), ("partial", "0.9")):
        assert recollect("outcome", id_, status, "--score", score).err == ""


def test_progress_with_nothing_to_say_changes_nothing(recollect):
    id_ = decided(recollect, "Do it")
    before = recollect("history", id_).out
    said = recollect("progress", id_)
    assert said.code == 2
    assert "nothing to change" in said.err
    assert recollect("history", id_).out == before
    assert recollect("progress", id_, "--confidence", "0").code == 0


def test_a_signal_and_a_stage_are_said_each_by_itself(recollect):
    id_ = decided(recollect, "Do it")
    before = recollect("history", id_).out
    said = recollect("progress", id_, "--stage", "executed", "--signal", "ci_passed")
    assert said.code == 2
    assert "nothing was changed" in said.err
    assert recollect("history", id_).out == before
    assert recollect("list", "--kind", "signal").out == ""


def test_nothing_learned_is_said(recollect):
    said = recollect("skills", "database")
    assert said.code == 0
    assert said.out.startswith("Nothing was learned in database yet.")
    assert recollect("skills", "database", "--at-least", "0.9").out.startswith(
        "Nothing that is sure to 0.9 was learned in database yet."
    )


def test_a_decision_on_a_target_that_has_one_says_which_stands_and_how_to_replace_it(recollect):
    old = decided(recollect, "Use PostgreSQL", "--target", "database")
    said = recollect("decide", "Use MySQL", "--target", "database").out
    new = said.removeprefix("Recorded as ").partition(";")[0]
    assert f"{old} stands for database, too: Use PostgreSQL" in said
    call = f"supersede {old} {new}"
    assert f"recollect {call}" in said
    assert recollect(*call.split()).code == 0
    assert [one.split()[0] for one in recollect("decisions").out.splitlines()] == [new]
    again = recollect("decide", "Use SQLite", "--target", "database", "--supersedes", new).out
    assert "stands for database, too" not in again


def test_a_decision_is_shown_with_all_that_was_said_of_it(recollect):
    id_ = decided(
        *(recollect, "Use one pool", "--target", "pools", "--why", "It is enough."),
        *("--instead-of", "A pool each", "--instead-of", "None", "--assuming", "One host"),
        *("--consequence", "Less memory", "--risk", "low", "--pr", "https://example.org/7"),
    )
    recollect("progress", id_, "--stage", "executed", "--note", "Under way.")
    lines = recollect("get", id_).out.splitlines()
    for line in (
        "target      pools",
        "instead of  A pool each; None",
        "assuming    One host",
        "follows     Less memory",
        "risk        low",
        "said stage  executed",
        "note        Under way.",
        "pr          https://example.org/7",
    ):
        assert line in lines
    assert lines[-2:] == ["because", "It is enough."]
    history = recollect("history", id_).out.splitlines()
    assert "  said stage: nothing -> executed" in history
    assert "  note: nothing -> Under way." in history


def test_a_decision_without_reasons_is_shown_without_a_place_for_them(recollect, tmp_path):
    id_ = decided(recollect, "Use MySQL", "--target", "database")
    assert "Use MySQL  (" in recollect("decisions").out
    assert recollect("list", "--kind", "decision").out.rstrip().endswith("Use MySQL")
    assert "because" not in recollect("get", id_).out
    assert "  Use MySQL\n" in recollect("history", id_).out
    recollect("adr", "export", str(tmp_path / "out"))
    (file,) = (tmp_path / "out").iterdir()
    assert "Context" not in file.read_text("utf-8")


def decided(recollect, *said):
    return recollect("decide", *said, "--json").json["decision"]["record"]["id"]


def test_what_was_decided_is_recalled_beside_what_was_remembered(recollect, remember):
    kept = remember("The database is backed up at night.")
    decided = recollect("decide", "Use SQLite as the database", "--json").json["decision"]["record"]
    found = recollect("recall", "which database?", "--json").json["hits"]
    assert {hit["record"]["id"] for hit in found} == {kept, decided["id"]}
    found = recollect("recall", "which database?", "--kind", "memory", "--json").json["hits"]
    assert [hit["record"]["id"] for hit in found] == [kept]
