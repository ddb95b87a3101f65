from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.anomaly import (
    Affairs,
    Known,
    Seen,
    anomalies,
    dropped,
    incidents,
    overdue,
    too_sure,
)
from recollect.rules.beta import Beta
from recollect.rules.calibrate import Scored, calibration

UNIFORM = Beta(1.0, 1.0)
DAY = 86_400_000_000
unit = st.floats(0.0, 1.0)
seen = st.lists(
    st.builds(Seen, st.sampled_from(["dec_a", "dec_b", "dec_c"]), st.integers(0, 90 * DAY)),
    max_size=20,
)


def known(*scores):
    return [Known(f"dec_{n}", score, n) for n, score in enumerate(scores)]


def test_a_sudden_drop_names_the_outcomes_it_was_seen_in():
    found = dropped("api", known(*[1.0] * 10, *[0.0] * 5), UNIFORM)
    assert found is not None
    assert (found.type, found.severity, found.domain) == ("success_drop", "high", "api")
    assert found.evidence == tuple(f"dec_{n}" for n in range(10, 15))


def test_what_is_steady_small_or_short_is_no_drop():
    assert dropped("api", known(*[0.5] * 20), UNIFORM) is None
    assert dropped("api", known(*[1.0] * 4, *[0.0] * 5), UNIFORM) is None
    assert dropped("api", known(*[0.0] * 10, *[1.0] * 5), UNIFORM) is None
    assert dropped("api", known(*[0.9] * 10, *[0.8] * 5), UNIFORM) is None


@given(st.lists(unit, max_size=20))
def test_a_domain_that_only_gets_better_has_no_drop(scores):
    assert dropped("api", known(*sorted(scores)), UNIFORM) is None


def test_confidence_beyond_the_interval_is_told_with_its_decisions():
    sure = calibration("auth", [Scored(0.95, 0.3, n) for n in range(12)], UNIFORM)
    found = too_sure(sure, ["dec_1"])
    assert found is not None
    assert (found.type, found.evidence) == ("overconfidence", ("dec_1",))
    fine = calibration("auth", [Scored(0.6, 0.6, n) for n in range(12)], UNIFORM)
    assert too_sure(fine, ["dec_1"]) is None
    few = calibration("auth", [Scored(1.0, 0.0, n) for n in range(2)], UNIFORM)
    assert too_sure(few, ["dec_1"]) is None


@given(seen)
def test_what_is_pending_for_over_thirty_days_is_told_and_nothing_else(pending):
    now = 90 * DAY
    found = overdue("api", pending, now)
    late = [one.decision for one in pending if one.at < now - 30 * DAY]
    assert sorted(found.evidence if found else ()) == sorted(late)


def test_three_incidents_within_a_week_are_a_cluster():
    assert incidents("api", [Seen("dec_a", 0), Seen("dec_b", DAY)]) is None
    found = incidents("api", [Seen("dec_a", 0), Seen("dec_b", DAY), Seen("dec_a", 7 * DAY)])
    assert found is not None
    assert found.evidence == ("dec_a", "dec_b")
    assert incidents("api", [Seen("dec_a", n * 4 * DAY) for n in range(9)]) is None


@given(seen)
def test_the_order_in_which_incidents_are_told_does_not_matter(pending):
    assert incidents("api", pending) == incidents("api", pending[::-1])


def test_all_anomalies_come_gravest_first():
    bad = calibration("auth", [Scored(0.95, 0.0, n) for n in range(5)], UNIFORM)
    auth = Affairs(bad, tuple(known(*[1.0] * 10, *[0.0] * 5)), (Seen("dec_p", 0),))
    api = Affairs(calibration("api", [], UNIFORM), incidents=(Seen("dec_i", 90 * DAY),) * 3)
    found = anomalies([auth, api], 90 * DAY, UNIFORM)
    assert [one.type for one in found] == [
        "incident_cluster",
        "success_drop",
        "overconfidence",
        "pending",
    ]
    assert anomalies([], 0, UNIFORM) == ()
