"""Hashed vectors: the same everywhere, and alike for texts that are alike."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embed.hashed import HashEmbedder


@given(st.text(st.characters(), max_size=200), st.integers(1, 64))
def test_any_text_has_a_unit_vector(text, dimensions):
    vector = HashEmbedder(dimensions).query(text)
    assert vector.dtype == np.float32
    assert vector.shape == (dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@given(st.lists(st.text(max_size=20), max_size=5))
def test_a_passage_has_the_vector_of_a_query(texts):
    embedder = HashEmbedder(16)
    rows = embedder.passages(texts)
    assert rows.shape == (len(texts), 16)
    assert all(np.array_equal(row, embedder.query(t)) for row, t in zip(rows, texts, strict=True))


def test_every_process_gives_the_same_vectors():
    code = "from recollect.embed.hashed import HashEmbedder as H; print(H(8).query('déjà vu'))"
    command = [sys.executable, "-c", code]
    said = {subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)}
    assert said == {f"{HashEmbedder(8).query('déjà vu')}\n".encode()}


def test_texts_that_share_words_or_parts_of_words_are_alike():
    embedder = HashEmbedder()
    first, shared, inflected, other = embedder.passages(
        ["the build uses make", "make runs the build", "building using makefiles", "lunch was late"]
    )
    assert first @ shared > first @ inflected > first @ other


def test_case_does_not_matter():
    embedder = HashEmbedder()
    assert np.array_equal(embedder.query("Straße"), embedder.query("STRASSE"))


def test_it_names_its_dimensions_and_needs_no_loading():
    embedder = HashEmbedder(32)
    embedder.load()
    embedder.close()
    assert (embedder.model.name, embedder.model.dimensions) == ("hash-32", 32)


def test_features_that_cancel_out_still_give_a_unit_vector():
    assert HashEmbedder(1).query("a j").tolist() == [1.0]
