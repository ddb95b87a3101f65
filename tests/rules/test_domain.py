from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.domain import GENERAL, MODULES, detect

labels = st.lists(st.tuples(st.sampled_from([*MODULES, "design", ""]), st.floats(0, 1)))


@given(st.text(), st.sampled_from([*MODULES, "design"]), labels, st.text())
def test_a_domain_that_is_given_is_the_domain(statement, given_, labelled, reasoning):
    assert detect(statement, given_, labelled, reasoning) == given_


@given(st.text(max_size=80), labels, st.text(max_size=80))
def test_a_domain_is_a_module_or_one_that_others_have_or_general(statement, labelled, reasoning):
    found = detect(statement, "", labelled, reasoning)
    assert found in {*MODULES, GENERAL, *(domain for domain, _ in labelled if domain)}
    assert detect(statement.upper(), "", labelled, reasoning.upper()) == detect(
        statement.lower(), "", labelled, reasoning.lower()
    )


@given(labels)
def test_the_order_of_neighbours_does_not_matter(labelled):
    assert detect("Buy it", "", labelled) == detect("Buy it", "", labelled[::-1])


@pytest.mark.parametrize(
    ("statement", "domain"),
    [
        ("Use PostgreSQL for user database instead of MongoDB", "database"),
        ("Rotate JWT refresh tokens on each login", "auth"),
        ("Version the REST API in the path", "api"),
        ("Write the settings page in React", "frontend"),
        ("Move emails to a background worker queue", "backend"),
        ("Deploy with Terraform to AWS", "infra"),
        ("Hire a designer", GENERAL),
    ],
)
def test_keywords_name_a_domain(statement, domain):
    assert detect(statement) == domain


def test_the_reasoning_decides_where_the_statement_says_nothing():
    assert detect("Take the second option", reasoning="ACID transactions") == "database"


def test_neighbours_decide_where_no_word_does_and_only_near_ones():
    near = [("api", 0.85), ("api", 0.82), ("auth", 0.95)]
    assert detect("Take the second option", labelled=near) == "api"
    assert detect("Take the second option", labelled=[("api", 0.5)]) == GENERAL
    assert detect("Take the second option", labelled=[("api", 0.9), ("auth", 0.9)]) == GENERAL
