"""The ranking policy of decisions, over whatever was decided."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect.decisions import Mode, Stand
from recollect.model import Author, AuthorKind, Kind, Record, Scope
from recollect.rules.precedence import PENALTIES, ranked

NOW = datetime(2026, 1, 1, tzinfo=UTC)
statuses = st.sampled_from([*Stand])
modes = st.sampled_from([*Mode])
fits = st.floats(0, 1)


def decision(place, target, status, kind):
    return Record(
        f"dec_{place}", Kind.DECISION, Scope(), Author(kind), "why", NOW, NOW, NOW, NOW,
        title="what", key=target, status=status.value,
    )  # fmt: skip


@st.composite
def stores(draw):
    """Decisions with similarities, and for some that do not stand the one in their place."""
    made = draw(
        st.lists(
            st.tuples(st.sampled_from("abcd"), statuses, st.sampled_from([*AuthorKind]), fits),
            max_size=12,
        )
    )
    found = [
        (decision(place, target, status, kind), fit)
        for place, (target, status, kind, fit) in enumerate(made)
    ]
    standing = {}
    for record, _ in found:
        heads = [
            other for other, _ in found if other.status == Stand.ACTIVE and other.key == record.key
        ]
        if record.status in {Stand.SUPERSEDED, Stand.DEPRECATED} and heads and draw(st.booleans()):
            standing[record.id] = draw(st.sampled_from(heads))
    return found, standing


def answered(store, mode):
    found, standing = store
    return ranked(found, standing, mode)


@given(stores())
def test_strict_shows_nothing_that_does_not_stand(store):
    assert {hit.record.status for hit in answered(store, Mode.STRICT)} <= {Stand.ACTIVE}


@given(stores(), modes)
def test_the_score_is_the_formula_to_the_last_bit(store, mode):
    for hit in answered(store, mode):
        status = hit.record.status
        expected = hit.similarity * (PENALTIES.get(status, 1.0) if mode is Mode.BALANCED else 1.0)
        if status == Stand.ACTIVE:
            expected += 1.0
        if hit.record.author.kind is AuthorKind.HUMAN:
            expected += 0.1
        assert hit.score == expected


@given(stores(), modes)
def test_hits_come_best_first(store, mode):
    scores = [hit.score for hit in answered(store, mode)]
    assert scores == sorted(scores, reverse=True)


@given(stores(), st.sampled_from([Mode.STRICT, Mode.BALANCED]))
def test_a_target_is_answered_once_and_by_what_stands(store, mode):
    hits = answered(store, mode)
    targets = [hit.record.key for hit in hits]
    assert len(targets) == len({*targets})
    standing = {record.key for record, _ in store[0] if record.status == Stand.ACTIVE}
    for hit in hits:
        if hit.record.key in standing:
            assert hit.record.status == Stand.ACTIVE


@given(stores())
def test_balanced_leaves_no_target_out(store):
    found, standing = store
    shown = {hit.record.key for hit in ranked(found, standing, Mode.BALANCED)}
    assert shown == {standing.get(record.id, record).key for record, _ in found}


@given(stores())
def test_audit_shows_every_version_as_it_is(store):
    found, standing = store
    hits = ranked(found, standing, Mode.AUDIT)
    assert {hit.record.id: hit.similarity for hit in hits} == {r.id: fit for r, fit in found}


@given(stores())
def test_what_stands_comes_before_what_does_not(store):
    hits = answered(store, Mode.BALANCED)
    stands = [hit.record.status == Stand.ACTIVE for hit in hits]
    assert stands == sorted(stands, reverse=True)
