from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from recollect.errors import Unavailable
from recollect.store.sqlite import codes
from recollect.store.sqlite.layout import BLOCK
from recollect.store.sqlite.scan import OPEN, Filter, NewSlots, Scan, Stale
from recollect.store.sqlite.sift import smallest
from recollect.value import replace

DIMS = 64
GENERATION = b"one generation.."
ANY = Filter()


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def vectors(count, dims=DIMS, seed=0):
    """Clusters around a common direction, which is what real embeddings look like."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((200, dims), np.float32)
    rows = centres[rng.integers(0, 200, count)] + rng.standard_normal((count, dims), np.float32)
    return unit(rows + 2 * centres[0])


def slots(count, first=1, seed=0, **columns):
    rng = np.random.default_rng(seed)
    given_ = {
        "seqs": np.arange(first, first + count),
        "scopes": rng.integers(0, 12, count).astype(np.int32),
        "kinds": rng.integers(0, 3, count).astype(np.uint8),
        "types": rng.integers(0, 300, count).astype(np.uint16),
        "valid_from": rng.integers(0, 50, count),
        "valid_until": np.where(rng.random(count) < 0.5, OPEN, rng.integers(50, 100, count)),
        "vectors": vectors(count, seed=seed),
    }
    return NewSlots(**given_ | columns)


def plain(vectors_, first=1):
    """Slots that nothing but their vectors tells apart."""
    count = len(vectors_)
    return NewSlots(
        np.arange(first, first + count),
        np.zeros(count, np.int32),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint16),
        np.zeros(count, np.int64),
        np.full(count, OPEN),
        vectors_,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.scan"


@pytest.fixture
def scan(path):
    made = Scan.create(path, DIMS, GENERATION)
    yield made
    made.close()


@contextmanager
def no_larger_than(size):
    """A disk on which files cannot grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def spoil(path, place, content):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


def test_a_vector_finds_itself_first_with_a_cosine_of_one(scan):
    written = slots(300)
    scan.write(0, written)
    for slot in (0, 7, 299):
        found = scan.search(written.vectors[slot], 300, ANY, 5)
        assert found.slots[0] == slot
        assert found.seqs[0] == slot + 1
        assert found.cosines[0] == pytest.approx(1, abs=0.01)


def test_the_nearest_come_best_first_with_nearly_their_cosines(scan):
    written = slots(500)
    scan.write(0, written)
    query = vectors(1, seed=9)[0]
    exact = written.vectors @ query
    found = scan.search(query, 500, ANY, 500)
    assert sorted(found.slots) == list(range(500))
    assert (np.diff(found.cosines) <= 0).all()
    assert np.abs(found.cosines - exact[found.slots]).max() < 0.02


def test_equal_vectors_come_in_order_of_slot(scan):
    scan.write(0, plain(np.repeat(vectors(1), 50, axis=0)))
    assert scan.search(vectors(1)[0], 50, ANY, 50).slots.tolist() == list(range(50))


@pytest.mark.parametrize(("count", "k", "expected"), [(0, 5, 0), (3, 5, 3), (9, 5, 5)])
def test_no_more_is_found_than_there_is_or_than_was_asked_for(scan, count, k, expected):
    scan.write(0, slots(9))
    assert len(scan.search(vectors(1)[0], count, ANY, k).slots) == expected


def test_an_empty_write_changes_nothing(scan):
    scan.write(0, slots(3))
    scan.write(3, slots(0))
    assert scan.seqs(3).tolist() == [1, 2, 3]


some = st.none() | st.lists(st.integers(0, 13), max_size=14, unique=True)
filters = st.builds(
    Filter,
    scopes=some.map(lambda xs: None if xs is None else np.array(xs, np.int32)),
    kinds=st.none() | st.lists(st.integers(0, 3), max_size=3, unique=True).map(tuple),
    types=st.none() | st.lists(st.integers(0, 310), max_size=200, unique=True).map(tuple),
    at=st.none() | st.integers(-5, 110),
    only=st.none() | st.lists(st.integers(1, 999), max_size=400, unique=True).map(np.sort),
)


def passes(what, written, dead):
    """What a filter means, said slowly."""
    mask = ~dead
    for allowed, column in (
        (what.scopes, written.scopes),
        (what.kinds, written.kinds),
        (what.types, written.types),
        (what.only, written.seqs),
    ):
        if allowed is not None:
            mask = mask & np.isin(column, np.array(list(allowed), np.int64))
    if what.at is not None:
        mask = mask & (written.valid_from <= what.at) & (what.at < written.valid_until)
    return mask


@given(filters)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_exactly_what_passes_the_filter_is_found(filtered, what):
    scan, written, dead = filtered
    found = scan.search(written.vectors[0], 600, what, 600)
    assert sorted(found.slots) == np.flatnonzero(passes(what, written, dead)).tolist()
    assert (found.seqs == written.seqs[found.slots]).all()


@pytest.fixture
def filtered(scan):
    written = slots(600)
    scan.write(0, written)
    scan.hide(range(0, 600, 50), 1)
    return scan, written, np.arange(600) % 50 == 0


def test_filters_hold_across_blocks(scan):
    count = 2 * BLOCK + 100
    scopes = (np.arange(count) // BLOCK).astype(np.int32)
    written = slots(count, scopes=scopes)
    scan.write(0, written)
    query = written.vectors[0]
    for wanted in ([1], [2], [0, 2], [7]):
        what = Filter(scopes=np.array(wanted, np.int32))
        found = scan.search(query, count, what, 50)
        exact = np.where(np.isin(scopes, wanted), written.vectors @ query, -2)
        assert np.isin(scopes[found.slots], wanted).all()
        expected = set(np.argsort(-exact)[:10]) if wanted != [7] else set()
        assert expected <= set(found.slots)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of several blocks, and the vectors in it."""
    path = tmp_path_factory.mktemp("large") / "memory.scan"
    rows = vectors(60_000, dims=384)
    scan = Scan.create(path, 384, GENERATION)
    for start in range(0, len(rows), 7_000):
        scan.write(start, plain(rows[start : start + 7_000], start + 1))
    scan.close()
    return path, rows


def near_rows(rows):
    return unit(rows[:40] + np.random.default_rng(5).standard_normal((40, 384)) * 0.02)


def anywhere(rows):
    return unit(np.random.default_rng(5).standard_normal((40, rows.shape[1])))


@pytest.mark.parametrize("asked", [near_rows, anywhere])
def test_the_codes_of_a_large_file_lose_hardly_any_of_the_ten_nearest(large, asked):
    path, rows = large
    scan = Scan.open(path, 384, GENERATION)
    queries = asked(rows)
    exact = [set(np.argpartition(-(rows @ query), 10)[:10]) for query in queries]
    for what in (ANY, Filter(only=np.arange(1, len(rows)))):
        found = [set(scan.search(query, len(rows), what, 32).slots) for query in queries]
        share = np.mean([len(a & b) / 10 for a, b in zip(found, exact, strict=True)])
        assert share >= 0.99


def test_codes_that_were_lost_are_found_to_be_wrong(large, path):
    original, rows = large
    shutil.copyfile(original, path)
    scan = Scan.open(path, 384, GENERATION)
    spoil(path, scan._layout.offset("codes", 20_003), bytes(384))
    assert scan.wrong(20_000, plain(rows[20_000:20_010], 20_001)).tolist() == [20_003]


def test_another_process_finds_what_was_written_even_when_the_file_has_grown(scan, path):
    other = Scan.open(path, DIMS, GENERATION)
    scan.write(0, slots(10))
    assert other.seqs(10).tolist() == list(range(1, 11))
    rows = vectors(2 * BLOCK)
    scan.write(10, plain(rows, 11))
    count = 10 + len(rows)
    assert other.search(rows[-1], count, ANY, 1).slots.tolist() == [count - 1]
    assert (other.seqs(count) == np.arange(1, count + 1)).all()
    other.close()


def test_what_a_dead_writer_left_is_overwritten(scan):
    scan.write(0, slots(5))
    scan.write(5, slots(5, first=900, seed=3))
    scan.hide([5, 6], 1)
    rows = slots(3, first=6, seed=4)
    scan.write(5, rows)
    assert scan.seqs(8).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert scan.search(rows.vectors[0], 8, ANY, 1).slots.tolist() == [5]


def test_slots_behind_the_count_are_never_found(scan):
    written = slots(20)
    scan.write(0, written)
    assert scan.search(written.vectors[15], 15, ANY, 20).slots.max() == 14


def test_a_slot_that_has_gone_is_found_only_by_older_snapshots(scan):
    rows = vectors(4)
    scan.write(0, plain(rows))
    scan.hide([0], 5)
    scan.hide([1, 2], 7)
    found = {
        event: sorted(scan.search(rows[0], 4, Filter(event=event), 4).slots)
        for event in (4, 5, 6, 7)
    }
    assert found == {4: [0, 1, 2, 3], 5: [1, 2, 3], 6: [1, 2, 3], 7: [3]}
    assert scan.search(rows[0], 4, ANY, 4).slots.tolist() == [3]
    assert scan.slots(4).tolist() == [3]
    assert scan.slots(4, event=6).tolist() == [1, 2, 3]
    assert scan.slots(4, np.array([1, 3, 4]), event=6).tolist() == [2, 3]
    assert scan.records(np.array([3, 0]), 4).tolist() == [4, 1]


def test_a_slot_that_is_written_again_has_never_gone(scan):
    scan.write(0, slots(2))
    scan.hide([1], 9)
    again = slots(1, first=5)
    scan.write(1, again)
    assert scan.wrong(1, again).tolist() == []
    assert len(scan.search(again.vectors[0], 2, ANY, 2).slots) == 2


def test_an_erased_slot_holds_nothing_and_is_never_found(scan, path):
    written = slots(5)
    scan.write(0, written)
    scan.hide([3], 4)
    scan.erase([2, 3])
    assert scan.seqs(5).tolist() == [1, 2, 0, 0, 5]
    assert 2 not in scan.search(written.vectors[2], 5, Filter(event=0), 5).slots
    raw = path.read_bytes()
    for name, place in scan._layout.places.items():
        start = scan._layout.offset(name, 2)
        assert raw[start : start + 2 * place.stride] == bytes(2 * place.stride)


def test_an_empty_file_has_no_slots(scan):
    assert scan.slots(0).tolist() == []
    assert len(scan.search(vectors(1)[0], 0, ANY, 3).slots) == 0


def test_the_marks_tell_what_was_begun_and_what_was_finished(scan, path):
    assert scan.marks() == (0, 0)
    scan.mark(began=7)
    assert scan.marks() == (7, 0)
    scan.mark(finished=7)
    scan.write(0, slots(3))
    other = Scan.open(path, DIMS, GENERATION)
    assert other.marks() == (7, 7)
    other.close()


def test_slots_that_differ_from_the_database_are_named(scan):
    written = slots(40)
    scan.write(0, slots(3, seed=8))
    scan.write(3, written)
    assert scan.wrong(3, written).tolist() == []
    scan.write(5, slots(1, first=999))
    scan.hide([9], 1)
    assert scan.wrong(3, written).tolist() == [5, 9]
    assert scan.wrong(3, slots(0)).tolist() == []


def test_rounding_to_half_precision_is_no_difference(scan):
    written = slots(400)
    scan.write(0, written)
    halved = written.vectors.astype(np.float16).astype(np.float32)
    assert scan.wrong(0, replace(written, vectors=halved)).tolist() == []


@pytest.mark.parametrize(
    "ruin",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"SQLite format 3\0" * 4_000),
        lambda path: os.truncate(path, 100),
        lambda path: spoil(path, 0, b"X"),
        lambda path: spoil(path, 8, b"\x63"),
        lambda path: spoil(path, 200, b"\xff"),
    ],
)
def test_a_file_that_is_missing_short_or_foreign_is_stale(scan, path, ruin):
    scan.write(0, slots(3))
    ruin(path)
    with pytest.raises(Stale):
        Scan.open(path, DIMS, GENERATION)


@pytest.mark.parametrize(("dims", "generation"), [(DIMS * 2, GENERATION), (DIMS, b"g" * 16)])
def test_a_file_of_another_model_or_generation_is_stale(scan, path, dims, generation):
    with pytest.raises(Stale, match="Rebuild"):
        Scan.open(path, dims, generation)


def test_a_truncated_file_is_stale_rather_than_a_bus_error(scan, path):
    written = slots(BLOCK + 5)
    scan.write(0, written)
    scan.search(written.vectors[0], BLOCK + 5, ANY, 3)
    os.truncate(path, scan._layout.size(BLOCK))
    for ask in (scan.seqs, scan.slots, lambda n: scan.search(written.vectors[0], n, ANY, 3)):
        with pytest.raises(Stale):
            ask(BLOCK + 5)
    assert scan.search(written.vectors[0], BLOCK, ANY, 1).slots.tolist() == [0]


def test_who_has_the_old_file_open_keeps_it(scan, path):
    written = slots(3)
    scan.write(0, written)
    Scan.create(path, DIMS, b"another one.....").close()
    assert scan.search(written.vectors[1], 3, ANY, 1).slots.tolist() == [1]


def test_a_disk_too_full_to_grow_the_file_is_an_error_that_says_so(scan, path):
    with no_larger_than(path.stat().st_size), pytest.raises(Unavailable, match="Nothing was"):
        scan.write(0, slots(3))


def test_a_disk_that_takes_only_a_part_is_an_error_too(scan):
    scan.write(0, slots(1))
    with no_larger_than(scan._layout.offset("codes", 2) + 10), pytest.raises(Unavailable):
        scan.write(1, slots(2))
    scan.write(1, slots(2, first=2))
    assert scan.seqs(3).tolist() == [1, 2, 3]


def test_a_file_that_cannot_be_created_is_an_error_that_says_so(tmp_path):
    with pytest.raises(Unavailable, match="No such file"):
        Scan.create(tmp_path / "missing" / "scan", DIMS, GENERATION)


def test_a_file_that_may_only_be_read_is_searched_but_not_written():
    # The root user may write any file, so that this becomes somebody else.
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scan"
        made = Scan.create(path, DIMS, GENERATION)
        made.write(0, slots(3))
        made.close()
        path.chmod(0o444)
        Path(folder).chmod(0o755)
        try:
            os.seteuid(65_534 if root else os.geteuid())
            scan = Scan.open(path, DIMS, GENERATION)
        finally:
            os.seteuid(0 if root else os.geteuid())
        assert len(scan.search(vectors(1)[0], 3, ANY, 3).slots) == 3
        with pytest.raises(Unavailable):
            scan.write(3, slots(1))
        for change in (
            lambda: scan.hide([0], 1),
            lambda: scan.erase([0]),
            lambda: scan.mark(began=1),
        ):
            with pytest.raises(Unavailable):
                change()
        scan.close()


def test_a_disk_that_fails_to_sync_is_an_error_that_says_so(scan):
    scan.write(0, slots(3))
    scan.sync()
    reading, writing = os.pipe()
    # A pipe cannot be synced.
    os.dup2(writing, scan._file)
    with pytest.raises(Unavailable, match="try again"):
        scan.sync()
    os.close(reading)
    os.close(writing)


def test_closing_twice_does_no_harm_and_dropping_closes(path):
    scan = Scan.create(path, DIMS, GENERATION)
    scan.close()
    scan.close()
    dropped = Scan.open(path, DIMS, GENERATION)
    file = dropped._file
    del dropped
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(file)


def test_a_file_of_ten_slots_takes_little_of_the_disk(scan, path):
    scan.write(0, slots(10))
    assert path.stat().st_blocks * 512 < 200_000


def test_threads_search_while_the_file_grows(scan):
    rows = vectors(3 * BLOCK)
    scan.write(0, plain(rows[:100]))
    written = [100]

    def grow():
        while written[0] < len(rows):
            part = rows[written[0] : written[0] + 5_000]
            scan.write(written[0], plain(part, written[0] + 1))
            written[0] += len(part)

    def search(thread):
        for turn in range(60):
            count = written[0]
            slot = (turn * 977 + thread) % count
            assert scan.search(rows[slot], count, ANY, 3).slots[0] == slot

    with ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(grow), *(pool.submit(search, thread) for thread in range(3))]:
            job.result()


def test_a_thousand_searches_leave_the_interpreter_whole(scan):
    written = slots(50)
    scan.write(0, written)
    before = sys.getrefcount(None)
    for _ in range(1_000):
        scan.search(written.vectors[0], 50, ANY, 5)
    assert abs(sys.getrefcount(None) - before) < 200


@given(st.integers(1, 300), st.integers(0, 9))
@settings(deadline=None)
def test_rotation_changes_no_cosine(dims, seed):
    rows = np.random.default_rng(seed).standard_normal((4, dims)).astype(np.float32)
    turned = codes.rotation(dims)(rows)
    assert np.allclose(turned @ turned.T, rows @ rows.T, atol=1e-3 * dims)


@given(st.integers(1, 300))
@settings(deadline=None)
def test_a_rotation_is_unpacked_as_it_was_packed(dims):
    turn = codes.rotation(dims)
    raw = codes.pack(turn)
    assert len(raw) == codes.packed_size(dims)
    again = codes.unpack(raw, dims)
    rows = np.ones((2, dims), np.float32)
    assert (again(rows) == turn(rows)).all()


@given(
    arrays.arrays(np.float32, st.integers(0, 80), elements=st.integers(-9, 9).map(float)),
    st.integers(1, 20),
    st.booleans(),
)
def test_the_smallest_are_those_that_sorting_gives(values, count, masked):
    mask = values % 2 == 0 if masked else None
    allowed = values if mask is None else values[mask]
    count = min(count, len(allowed))
    places = smallest(values, count, mask)
    assert sorted(values[places]) == sorted(allowed)[:count]
    assert (np.diff(places) > 0).all()


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("order", ["random", "rising", "falling", "sampled places are smallest"])
def test_the_smallest_of_many_are_found_however_they_lie(order, masked):
    count = 100_000
    values = np.random.default_rng(0).permutation(count).astype(np.float32)
    if order in {"rising", "falling"}:
        values = np.sort(values)[:: 1 if order == "rising" else -1].copy()
    if order == "sampled places are smallest":
        # A guess from every twelfth number would be far too low.
        values = np.where(np.arange(count) % 12 == 0, -1, values).astype(np.float32)
        values[:: 12 * 40] = -2
    mask = np.arange(count) % 3 != 0 if masked else None
    allowed = values if mask is None else values[mask]
    for wanted in (1, 64, 4_000, 12_000):
        places = smallest(values, wanted, mask)
        assert sorted(values[places]) == sorted(allowed)[:wanted]
