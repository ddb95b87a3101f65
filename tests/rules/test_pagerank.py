from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Arc
from recollect.rules.pagerank import walk

nodes = st.integers(1, 8)
arcs = st.lists(st.builds(Arc, nodes, nodes, st.floats(0.01, 10)), max_size=20)
seeds = st.dictionaries(nodes, st.floats(0.01, 10), min_size=1, max_size=4)


def dense(seeds, arcs, alpha, rounds):
    """The same by the book: a transition matrix, multiplied."""
    size = 9
    matrix = np.zeros((size, size))
    for arc in arcs:
        matrix[arc.dst, arc.src] += arc.weight
    start = np.array([seeds.get(node, 0.0) for node in range(size)])
    start /= start.sum()
    out = matrix.sum(axis=0)
    for node in range(size):
        matrix[:, node] = matrix[:, node] / out[node] if out[node] else start
    rank = start
    for _ in range(rounds):
        rank = alpha * start + (1 - alpha) * matrix @ rank
    return rank


@given(seeds, arcs, st.floats(0.01, 1), st.integers(0, 30))
def test_it_is_the_power_iteration(seeds, arcs, alpha, rounds):
    expected = dense(seeds, arcs, alpha, rounds)
    found = walk(seeds, arcs, alpha, rounds)
    assert np.allclose([found.get(node, 0.0) for node in range(9)], expected, atol=1e-9)


@given(seeds, arcs)
def test_nobody_gets_lost_on_the_way(seeds, arcs):
    found = walk(seeds, arcs)
    assert abs(sum(found.values()) - 1) < 1e-9
    assert all(value >= 0 for value in found.values())
    assert set(found) == set(seeds) | {end for arc in arcs for end in (arc.src, arc.dst)}


def test_nearer_records_rank_higher():
    chain = [Arc(one, one + 1, 1.0) for one in range(1, 5)]
    both = chain + [Arc(arc.dst, arc.src, arc.weight) for arc in chain]
    found = walk({1: 1.0}, both)
    assert found[2] > found[3] > found[4] > found[5] > 0


def test_a_heavier_arc_carries_more():
    found = walk({1: 1.0}, [Arc(1, 2, 3.0), Arc(1, 3, 1.0)])
    assert abs(found[2] / found[3] - 3) < 1e-9


def test_without_seeds_there_is_no_walk_and_without_arcs_it_stays():
    assert walk({}, [Arc(1, 2, 1.0)]) == {}
    assert walk({1: 0.0, 2: -1.0}, []) == {}
    assert walk({1: 3.0, 2: 1.0}, []) == {1: 0.75, 2: 0.25}


def test_arcs_of_no_weight_and_seeds_of_no_weight_lead_nowhere():
    assert walk({1: 1.0, 2: 0.0}, [Arc(1, 2, 0.0), Arc(1, 3, -2.0)]) == {1: 1.0}
