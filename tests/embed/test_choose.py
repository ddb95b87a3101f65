"""Settings name an embedder, or it is said what they lack."""

from __future__ import annotations

import pytest

from recollect.embed import Model
from recollect.embed.background import Status
from recollect.embed.bundled import MODEL
from recollect.embed.choose import EmbedSettings, Provider, open_embedder
from recollect.errors import InvalidRequest


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        (EmbedSettings(), MODEL),
        (EmbedSettings("hash"), Model("hash-384", 384)),
        (EmbedSettings("hash", dimensions=8), Model("hash-8", 8)),
        (EmbedSettings("openai", "m", "http://localhost/v1", dimensions=9), Model("m", 9)),
        (EmbedSettings("fastembed", "m", dimensions=9), Model("m", 9)),
        (EmbedSettings("sentence-transformers", "m", dimensions=9), Model("m", 9)),
    ],
)
def test_every_provider_is_opened_without_loading_anything(settings, model):
    embedder = open_embedder(settings)
    assert embedder.model == model
    assert embedder.inner.status is Status.LOADING
    embedder.close()


@pytest.mark.parametrize(
    ("settings", "lack"),
    [
        (EmbedSettings("magic"), "Choose one of: bundled, openai"),
        (EmbedSettings("openai", "m"), "needs the address of a server"),
        (EmbedSettings("openai", url="http://localhost"), "openai needs the name of a model"),
        (EmbedSettings("fastembed"), "fastembed needs the name of a model"),
    ],
)
def test_settings_that_lack_something_say_what(settings, lack):
    with pytest.raises(InvalidRequest, match=lack):
        open_embedder(settings)


def test_prefixes_reach_the_model():
    plain = EmbedSettings("openai", "m", "http://localhost", dimensions=9)
    prefixed = EmbedSettings("openai", "m", "http://localhost", dimensions=9, query_prefix="q: ")
    assert open_embedder(plain).model != open_embedder(prefixed).model


def test_what_is_embedded_is_kept_where_the_settings_say(tmp_path):
    settings = EmbedSettings(Provider.HASH, cache_path=str(tmp_path / "cache"))
    first = open_embedder(settings)
    first.query("one")
    first.close()
    second = open_embedder(settings)
    second.query("one")
    assert second.stats.hits == 1
    assert second.inner.status is Status.LOADING
    second.close()


def test_the_key_is_not_shown():
    shown = repr(EmbedSettings("openai", "m", api_key="sk-secret"))
    assert "secret" not in shown
    assert "api_key='***'" in shown
    assert "api_key=None" in repr(EmbedSettings())
