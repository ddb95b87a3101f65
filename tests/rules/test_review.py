from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.review import DUPLICATE, FINDINGS, Found, settled, wanted

ids = st.sampled_from("abcdef")
pairs = st.lists(
    st.tuples(ids, ids, st.floats(0, 1)).filter(lambda one: one[0] != one[1]), max_size=30
)


@given(pairs)
def test_nothing_goes_twice_or_in_favour_of_what_goes_too(given_):
    found = settled((Found(DUPLICATE, id_, "", other), near) for id_, other, near in given_)
    goes = [one.id for one in found]
    assert len(goes) == len({*goes})
    assert not {*goes} & {one.other for one in found}


@given(pairs)
def test_of_what_says_the_same_something_stays(given_):
    found = settled((Found(DUPLICATE, id_, "", other), near) for id_, other, near in given_)
    everything = {end for id_, other, _ in given_ for end in (id_, other)}
    assert not everything or everything - {one.id for one in found}


def test_what_is_asked_for_comes_in_the_order_of_its_weight():
    assert wanted(()) == FINDINGS
    assert wanted(("stale", "secret")) == ("secret", "stale")
