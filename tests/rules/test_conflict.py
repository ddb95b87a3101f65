from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules import conflict
from recollect.rules.conflict import judge

NEAR = 0.92
cosines = st.none() | st.floats(-1, 1)
words = (
    "Anna lives works in Oslo now was may not also 5432 2019 port staging wife ? . : the".split()
)
texts = st.text() | st.lists(st.sampled_from(words), max_size=20).map(" ".join)

CONFLICTS = [
    ("We deploy on AWS.", "We no longer deploy on AWS, but on GCP."),
    ("User lives in Seattle", "User moved to Austin"),
    ("Mira lives in Oslo.", "Mira moved to Bergen in spring."),
    ("The cache listens on port 7001.", "The cache listens on port 7002."),
    ("The jar weighs 82 kg.", "The jar weighs 77 kg."),
    ("The API supports SOAP.", "The API no longer supports SOAP."),
    ("The capital of the game is Arnor.", "The capital of the game is Gondor."),
    ("favourite colour: green", "favourite colour: violet"),
    ("The valve is open.", "The valve is closed."),
    ("open", "closed"),
    ("Location: Oslo", "Location: Bergen"),
    ("Mira: I live in Oslo with two cats.", "Mira: I moved to Bergen with two cats."),
    ("Jobs are run by job_runner.", "Jobs are run by taskLoop."),
    ("Deploys go to the rack in Oslo.", "Deploys go to the rack in Bergen."),
    ("Mira prefers tabs.", "Mira would rather have spaces."),
    ("Mira lives in Oslo.", "A new chapter began. Mira moved to Bergen for good."),
]
NO_CONFLICTS = {
    "another name is denied": ("Anna lives in Austin.", "Anna doesn't live in Seattle."),
    "of another subject": ("The staging queue is full.", "The production queue is empty."),
    "of two of a kind": ("The billing service uses Go 1.", "The mail service uses Go 2."),
    "of two people": ("Anna lives in Oslo.", "Boris lives in Rome."),
    "of a relative": ("User prefers tea.", "User's wife prefers coffee."),
    "of a relative whose name is long": ("Anna's brother lives in Oslo.", "Anna lives in Rome."),
    "on some days": ("The shop closes at 18.", "On Fridays the shop closes at 16."),
    "in some case": ("The log level is INFO.", "The log level is DEBUG in development."),
    "of two numbered things": ("Room 12 seats eight people.", "Room 15 seats twenty people."),
    "in doubt": ("The build uses Make.", "Perhaps the build could use Ninja."),
    "in the past": ("Mira lives in Oslo.", "Mira used to live in Rome."),
    "in another year": ("The team had 9 people in 2019.", "The team had 14 people in 2023."),
    "in addition": ("Mira has a dog.", "Mira also has a second dog."),
    "asked": ("Mira lives in Oslo.", "Has Mira moved to Bergen?"),
    "of something else": ("Mira lives in Oslo.", "The linter is configured in TOML."),
    "once more": ("Mira likes tea.", "Mira likes tea."),
    "of many at a time": ("Mira likes tea a lot.", "Mira likes jam a lot."),
}


# Facts of one project that have a verb, a month or a small word in common, as near as they are.
APART = [
    ("The export broke because of a library.", "The backup failed because a policy changed.", 0.8),
    ("Run tests with pytest, never with unittest.", "New routes need a contract test.", 0.81),
    ("The release is planned for 14 March.", "Code freeze begins on 15 December.", 0.83),
    ("We use GitLab CI.", "User has been using Neovim for all editing.", 0.85),
    ("The migration is scheduled for June 3.", "The contract ends in December.", 0.81),
]


@pytest.mark.parametrize(("old", "new", "cosine"), APART)
def test_facts_that_share_no_more_than_a_word_are_no_conflict(old, new, cosine):
    assert not judge(old, new, cosine).conflict


@pytest.mark.parametrize(("old", "new"), CONFLICTS)
def test_another_value_of_the_same_fact_is_a_conflict(old, new):
    verdict = judge(old, new, NEAR)
    assert (verdict.conflict, verdict.similar, verdict.same) == (True, True, False)


@pytest.mark.parametrize(("old", "new"), CONFLICTS)
def test_conflicts_are_seen_without_vectors_too(old, new):
    assert judge(old, new, None).conflict


@pytest.mark.parametrize(("old", "new"), NO_CONFLICTS.values(), ids=NO_CONFLICTS.keys())
def test_a_value_is_no_conflict(old, new):
    assert not judge(old, new, 0.9).conflict
    assert not judge(old, new, None).conflict


def test_the_same_in_other_words_is_the_same():
    assert judge("Anna runs the payments team.", "The payments team is led by Anna.", 0.97).same
    assert judge("CI runs on Buildbot.", "Buildbot is our CI.", None).same


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The plan has 3 steps.", "The plan has 4 steps."),
        ("The valve is open.", "The valve is closed."),
        ("The staging queue works.", "The production queue works."),
        ("Anna has a cat.", "Boris has a cat."),
        ("The queue is full.", "The queue is not full."),
    ],
)
def test_what_differs_in_a_value_is_never_the_same(old, new):
    assert not judge(old, new, 0.99).same


def test_what_is_alike_in_meaning_is_similar():
    old, new = "Mira bakes bread.", "Mira bought an oven."
    assert judge(old, new, 0.9).similar
    assert not judge(old, new, 0.7).similar


def test_the_similarity_is_the_cosine_or_else_the_share_of_words():
    assert judge("Mira bakes bread.", "Mira eats bread.", 0.75).similarity == 0.75
    assert judge("Mira bakes bread.", "Mira eats bread.", -0.2).similarity == 0
    assert judge("Mira bakes bread.", "Mira eats bread.", None).similarity == 2 / 3


def test_only_the_beginning_of_a_long_text_is_read():
    long = "Mira lives in Oslo. " + "It rains. " * 10_000
    assert judge(long, long + "Mira moved to Bergen.", None).conflict is False


@given(texts, texts, cosines)
def test_every_pair_gets_a_verdict_that_agrees_with_itself(old, new, cosine):
    verdict = judge(old, new, cosine)
    assert 0 <= verdict.similarity <= 1
    assert not (verdict.conflict and verdict.same)
    assert verdict.similar or not (verdict.conflict or verdict.same)
    assert judge(old, new, cosine) == verdict


@given(texts, cosines)
def test_a_text_says_the_same_as_itself(text, cosine):
    verdict = judge(text, text, cosine)
    assert verdict.same
    assert not verdict.conflict


@given(texts, texts, cosines)
def test_what_is_not_read_to_its_end_would_have_told_nothing(old, new, cosine):
    one, two = conflict._read(old), conflict._read(new)
    column, near = (1, conflict.MIDDLE) if cosine is None else (0, cosine)
    told = two.replaced and not one.replaced
    for a in one.lines:
        for b in two.lines:
            signs = conflict._signs(a.clause, b.clause, near, told=told)
            came = sum(conflict._WEIGHTS[sign][column] * signs[sign] for sign in signs)
            assert came <= conflict._most(a, b, near, column, replaced=two.replaced)


def test_a_verdict_is_the_same_in_every_process():
    pair = "The app works offline.", "My landlord put the rent up to 1,350 euros a month."
    program = f"from recollect.rules.conflict import judge; print(judge(*{pair!r}, None))"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in range(1, 5)
    }
    assert len(found) == 1
