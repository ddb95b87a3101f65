"""What was embedded before is not embedded again, unless it was to be forgotten."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embed import CacheStats
from recollect.embed.cache import Cached
from recollect.embed.disk import DiskCache
from recollect.embed.hashed import HashEmbedder
from recollect.errors import Unavailable

TEXTS = ["one", "two", "three"]


class Counting(HashEmbedder):
    """Keeps a list of what it was asked to embed."""

    def __init__(self, dimensions=8):
        super().__init__(dimensions)
        self.wanted = []
        self.closed = 0

    def passages(self, texts):
        self.wanted += texts
        return HashEmbedder(self.model.dimensions).passages(texts)

    def query(self, text):
        self.wanted.append(f"? {text}")
        return -super().query(text)

    def close(self):
        self.closed += 1


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "cache" / "vectors")


def test_a_text_is_embedded_once():
    cached = Cached(Counting())
    first = cached.passages([*TEXTS, "one"])
    again = cached.passages(["two", "one"])
    assert cached.inner.wanted == TEXTS
    assert np.array_equal(first[[1, 0]], again)
    assert np.array_equal(first[0], first[3])


def test_the_vectors_are_those_of_the_model_to_16_bits():
    cached = Cached(Counting(384))
    rows = cached.passages(TEXTS)
    assert rows.dtype == np.float32
    assert np.allclose(rows, HashEmbedder(384).passages(TEXTS), atol=1e-3)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_query_is_not_mistaken_for_a_passage():
    cached = Cached(Counting())
    assert np.array_equal(cached.query("one"), -cached.passages(["one"])[0])
    assert cached.inner.wanted == ["? one", "one"]


def test_what_a_caller_does_to_a_vector_stays_with_the_caller():
    cached = Cached(Counting())
    cached.query("one")[:] = 0
    assert cached.query("one").any()


def test_no_texts_give_no_rows():
    assert Cached(Counting()).passages([]).shape == (0, 8)


def test_it_counts_what_it_knew():
    cached = Cached(Counting())
    cached.passages([*TEXTS, "one"])
    cached.passages(["one"])
    cached.query("one")
    assert cached.stats == CacheStats(hits=2, misses=4, size=4)


def test_the_least_recently_used_text_goes_first():
    cached = Cached(Counting(), size=2)
    cached.passages(["one", "two"])
    cached.passages(["one"])
    cached.passages(["three"])
    cached.passages(["one", "two"])
    assert cached.inner.wanted == ["one", "two", "three", "two"]
    assert cached.stats.size == 2


def test_more_texts_than_it_holds_still_get_their_vectors():
    rows = Cached(Counting(), size=1).passages(TEXTS)
    assert np.allclose(rows, HashEmbedder(8).passages(TEXTS), atol=1e-3)


@given(st.lists(st.sampled_from(["a", "b", "c", "\ud800", ""])), st.integers(1, 4))
def test_it_never_changes_which_vector_a_text_has(texts, size):
    cached = Cached(Counting(), size=size)
    expected = HashEmbedder(8).passages(texts)
    assert np.allclose([*cached.passages(texts)], [*expected], atol=1e-3)


def test_the_next_process_need_not_embed_it_again(path):
    first = Cached(Counting(), DiskCache(path))
    rows, query = first.passages(TEXTS), first.query("one")
    first.close()
    second = Cached(Counting(), DiskCache(path))
    assert np.array_equal(second.passages(TEXTS), rows)
    assert np.array_equal(second.query("one"), query)
    assert second.inner.wanted == []
    assert second.stats == CacheStats(hits=4, misses=0, size=4)
    second.close()


def test_what_is_flushed_is_there_for_other_processes_at_once(path):
    first, second = Cached(Counting(), DiskCache(path)), Cached(Counting(), DiskCache(path))
    first.query("one")
    first.flush()
    second.query("one")
    assert second.inner.wanted == []
    first.close()
    second.close()


def test_models_of_other_names_or_dimensions_share_nothing(path):
    first = Cached(Counting(8), DiskCache(path))
    first.query("one")
    first.close()
    second = Cached(Counting(16), DiskCache(path))
    assert second.query("one").shape == (16,)
    assert second.inner.wanted == ["? one"]
    second.close()


def test_a_known_query_needs_neither_the_model_nor_its_libraries(path, bundled):
    disk = DiskCache(path)
    vector = Cached(bundled, disk).query("what was it?")
    disk.close()
    code = """
import sys
from recollect.embed.choose import EmbedSettings, open_embedder
embedder = open_embedder(EmbedSettings(cache_path=sys.argv[1]))
vector = embedder.query("what was it?")
assert not {"onnxruntime", "tokenizers"} & {*sys.modules}
assert embedder.inner.status == "loading"
embedder.close()
print(vector.tobytes().hex())
"""
    said = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
    assert said.stdout.decode().strip() == vector.tobytes().hex()


@pytest.mark.parametrize("where", ["memory", "pending", "disk"])
def test_a_forgotten_text_is_gone_from_every_layer(path, where):
    cached = Cached(Counting(), DiskCache(path) if where != "memory" else None)
    cached.passages(TEXTS)
    cached.query("one")
    if where == "disk":
        cached.flush()
    cached.forget(["one"])
    cached.inner.wanted.clear()
    cached.passages(TEXTS)
    cached.query("one")
    assert cached.inner.wanted == ["one", "? one"]
    cached.close()


def test_to_forget_nothing_is_no_work(path):
    cached = Cached(Counting(), DiskCache(path))
    cached.forget([])
    cached.close()


def test_a_text_that_was_being_embedded_when_it_was_forgotten_is_not_kept(path):
    class Paused(Counting):
        def __init__(self):
            super().__init__()
            self.begun, self.go = Event(), Event()

        def query(self, text):
            self.begun.set()
            self.go.wait(10)
            return super().query(text)

    cached = Cached(Paused(), DiskCache(path))
    thread = Thread(target=cached.query, args=("secret",))
    thread.start()
    cached.inner.begun.wait(10)
    cached.forget(["secret"])
    cached.inner.go.set()
    thread.join()
    cached.close()
    later = Cached(Counting(), DiskCache(path))
    later.query("secret")
    assert later.inner.wanted == ["? secret"]
    later.close()


def test_a_failing_model_leaves_nothing_behind():
    class Failing(Counting):
        def query(self, text):
            raise Unavailable(text)

    cached = Cached(Failing())
    with pytest.raises(Unavailable):
        cached.query("one")
    assert cached.stats.size == 0


def test_many_threads_may_ask_at_once(path):
    cached = Cached(Counting(), DiskCache(path, pending=4), size=8)
    texts = [f"text {i % 20}" for i in range(400)]
    expected = [-HashEmbedder(8).query(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert np.allclose([*pool.map(cached.query, texts)], expected, atol=1e-3)
    cached.close()


def test_loading_and_closing_reach_the_model():
    cached = Cached(Counting())
    cached.load()
    cached.flush()
    cached.close()
    assert cached.inner.closed == 1
