"""Optional libraries: named when they are missing, and asked in their own way when they are not.

Their weights cannot be had without a network, so stand-ins with their signatures take their place.
"""

from __future__ import annotations

import sys
from textwrap import dedent

import numpy as np
import pytest

from recollect.embed.extras import Extra, FastEmbed, SentenceTransformers
from recollect.errors import Unavailable

KINDS = [FastEmbed, SentenceTransformers]
FAKES = {
    "fastembed": """
        import numpy as np

        class TextEmbedding:
            def __init__(self, model_name="default"):
                if model_name == "unknown":
                    raise ValueError("Model unknown is not supported.")

            def passage_embed(self, texts, **kwargs):
                yield from (np.array([3.0, 0.0, float(len(text))]) for text in texts)

            def query_embed(self, query, **kwargs):
                yield np.array([0.0, 3.0, float(len(query))])
        """,
    "sentence_transformers": """
        import numpy as np

        class SentenceTransformer:
            def __init__(self, model_name_or_path=None):
                if model_name_or_path == "unknown":
                    raise OSError("unknown is not a local folder.")

            def encode_document(self, inputs, *, show_progress_bar=None):
                return np.array([[3.0, 0.0, float(len(text))] for text in inputs])

            def encode_query(self, inputs, *, show_progress_bar=None):
                return np.array([0.0, 3.0, float(len(inputs))])
        """,
}


@pytest.fixture
def libraries(tmp_path, monkeypatch):
    for name, code in FAKES.items():
        (tmp_path / f"{name}.py").write_text(dedent(code))
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in FAKES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("kind", "module", "extra"),
    [
        (FastEmbed, "fastembed", "fastembed"),
        (SentenceTransformers, "sentence_transformers", "sentence-transformers"),
    ],
)
def test_a_missing_library_is_named_with_the_way_to_install_it(monkeypatch, kind, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Unavailable, match=rf"pip install 'recollect\[{extra}\]'"):
        Extra(kind, "some-model", dimensions=3).load()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("libraries")
def test_queries_and_passages_go_their_own_ways_and_come_back_as_unit_vectors(kind):
    embedder = Extra(kind, "some-model", query_prefix="?", passage_prefix="--")
    assert np.allclose(embedder.passages(["ab"]), [[0.6, 0, 0.8]])
    assert np.allclose(embedder.query("abc"), [0, 0.6, 0.8])
    assert embedder.passages(["ab"]).dtype == np.float32


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("libraries")
def test_dimensions_are_found_out_when_they_are_not_configured(kind):
    embedder = Extra(kind, "some-model")
    assert (embedder.model.name, embedder.model.dimensions) == ("some-model", 3)
    assert embedder.passages([]).shape == (0, 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("libraries")
def test_dimensions_that_are_configured_wrongly_are_refused(kind):
    embedder = Extra(kind, "some-model", dimensions=4)
    with pytest.raises(Unavailable, match="have 3 dimensions, not the 4 configured"):
        embedder.query("abc")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("libraries")
def test_a_model_that_cannot_be_loaded_is_named(kind):
    with pytest.raises(Unavailable, match="'unknown' cannot be loaded"):
        Extra(kind, "unknown").load()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("libraries")
def test_it_is_loaded_once_and_again_after_closing(kind):
    embedder = Extra(kind, "some-model", dimensions=3)
    embedder.load()
    loaded = embedder._ready()
    embedder.load()
    assert embedder._ready() is loaded
    embedder.close()
    assert embedder._ready() is not loaded
