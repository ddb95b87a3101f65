from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.beta import Beta
from recollect.rules.calibrate import Scored, calibration
from recollect.rules.warn import (
    Earlier,
    Pattern,
    Warned,
    antipattern,
    contradiction,
    firewall,
    overconfidence,
    repeat,
    verdict,
)

UNIFORM = Beta(1.0, 1.0)
unit = st.floats(0.0, 1.0)
warned = st.builds(
    lambda severity, risk: Warned("x", severity, "m", "e", "r", risk),
    st.sampled_from(["high", "medium", "low"]),
    unit,
)
earlier = st.builds(
    lambda author, score, similarity: Earlier("dec_1", "Use it", author, score, "", similarity),
    st.sampled_from(["human", "agent"]),
    unit,
    unit,
)


@given(st.lists(warned, max_size=8), warned)
def test_a_further_warning_never_lowers_the_risk(warnings, further):
    before, after = verdict(warnings), verdict([*warnings, further])
    assert 0 <= before.risk <= after.risk + 1e-6 <= 1 + 1e-6
    assert len(after.warnings) == len(warnings) + 1


@given(st.lists(warned, max_size=8))
def test_the_order_of_warnings_does_not_matter_and_the_gravest_comes_first(warnings):
    one, other = verdict(warnings), verdict(warnings[::-1])
    assert one.risk == pytest.approx(other.risk, abs=2e-6)
    grades = ["high medium low".split().index(each.severity) for each in one.warnings]
    assert grades == sorted(grades)


def test_nothing_that_speaks_against_it_is_a_clear_way():
    assert verdict([]) == verdict(())
    assert (verdict([]).risk, verdict([]).firewall) == (0.0, "clear")


@pytest.mark.parametrize(
    ("risk", "word"),
    [(0, "clear"), (0.3999, "clear"), (0.4, "caution"), (0.7999, "caution"), (0.8, "block")],
)
def test_the_firewall_has_its_two_bounds(risk, word):
    assert firewall(risk) == word


@given(unit, st.integers(3, 100), unit)
def test_an_antipattern_weighs_as_it_fails_and_fits(rate, outcomes, match):
    found = antipattern(Pattern("anti_1", "Poll", "Push", rate, outcomes, match))
    assert found.risk == pytest.approx((1 - rate) * match, abs=1e-6)
    assert found.ids == ("anti_1",)


def known(stated, score, count):
    return calibration("auth", [Scored(stated, score, n) for n in range(count)], UNIFORM)


def test_overconfidence_is_told_only_where_there_is_evidence():
    assert overconfidence(None, known(0.5, 0.5, 20)) is None
    assert overconfidence(0.9, known(0.5, 0.5, 2)) is None
    assert overconfidence(0.52, known(0.5, 0.5, 20)) is None
    found = overconfidence(0.9, known(0.5, 0.7, 20))
    assert found is not None
    assert found.severity == "medium"
    assert "0.90" in found.message
    assert "auth" in found.message


@given(st.lists(unit, min_size=3, max_size=20), unit)
def test_a_confidence_is_never_talked_below_what_was_seen(scores, confidence):
    domain = calibration("auth", [Scored(0.5, s, n) for n, s in enumerate(scores)], UNIFORM)
    found = overconfidence(confidence, domain)
    if found is not None:
        assert confidence > domain.posterior.mean
        assert 0 <= found.risk <= 1
        advised = float(found.recommendation.split()[1].rstrip(","))
        assert advised <= confidence + 0.005


@given(earlier)
def test_a_persons_decision_weighs_more_than_an_agents(standing):
    from recollect.value import replace

    human = contradiction(replace(standing, author="human"))
    agent = contradiction(replace(standing, author="agent"))
    assert human.risk >= agent.risk
    assert (human.severity, agent.severity) == ("high", "medium")


@given(earlier)
def test_a_repeated_failure_is_worth_less_than_a_certainty(failed):
    found = repeat(failed)
    assert 0 <= found.risk <= 0.6
    assert failed.id in found.evidence
    assert found.recommendation
