"""The query's model is another one, has no key, or does not answer."""

import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.models.provider_world import served_encoder
from support.models.scripted_server import hang
from support.searches.search_world import SearchWorld, WordEncoder, make_world

from hub_index.embedding.api.retries import DOCUMENTS, RetryPolicy
from hub_index.errors import (
    ConfigError,
    HubIndexError,
    ModelMismatch,
    ProviderBrokePromise,
    ProviderRefused,
    ProviderUnavailable,
)
from hub_index.search import open_index


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub with an index of fake:words."""
    return make_world(tmp_path_factory.mktemp("world"))


class Failing(WordEncoder):
    """An encoder whose queries fail."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def embed_query(self, text: str) -> NDArray[np.float32]:
        raise self.error


class Answering(WordEncoder):
    """An encoder that answers with a given vector."""

    def __init__(self, answer: list[float]) -> None:
        super().__init__()
        self.answer = answer

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.array(self.answer, dtype=np.float32)


def check_fallback(world: SearchWorld, encoder: WordEncoder, error: type[HubIndexError], code: int) -> None:
    """Keyword with the reason by default and with --hybrid; the error itself with --semantic."""
    changed = SearchWorld(world.home, world.cache, world.story, encoder)
    for mode in ("auto", "hybrid"):
        results = changed.open().search("slides", mode=mode)
        assert (results.mode, results.hits[0].id) == ("keyword", "ppt-maker")
        assert results.fallback_reason
    with pytest.raises(error) as raised:
        changed.open().search("slides", mode="semantic")
    assert raised.value.exit_code == code


def test_f68_another_configured_model_is_a_mismatch(world: SearchWorld) -> None:
    """Vectors of two models are never compared: keyword with the reason, or exit 6."""
    for mode in ("auto", "hybrid"):
        results = world.open(model="openai:other").search("slides", mode=mode)
        assert results.mode == "keyword"
        assert "openai:other" in results.fallback_reason
    with pytest.raises(ModelMismatch) as raised:
        world.open(model="openai:other").search("slides", mode="semantic")
    assert raised.value.exit_code == 6


def test_f68_a_vector_of_another_length_is_a_mismatch(world: SearchWorld) -> None:
    """The same name with other dimensions is another model."""
    check_fallback(world, Answering([1.0] * 32), ModelMismatch, 6)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
def test_f68_a_query_vector_that_is_no_direction_is_refused(world: SearchWorld, value: float) -> None:
    """NaN, infinity and zero never reach the scores."""
    check_fallback(world, Answering([value] * 64), ProviderBrokePromise, 5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("AXON_EMBEDDINGS_API_KEY is not set"), 2),
        (ProviderUnavailable("no network"), 5),
        (ProviderRefused("wrong key"), 5),
    ],
)
def test_f69_no_key_no_network_no_answer(world: SearchWorld, error: HubIndexError, code: int) -> None:
    """A model that cannot be asked makes way for keyword search."""
    check_fallback(world, Failing(error), type(error), code)


def test_f69_a_provider_that_hangs_is_given_up(tmp_path: Path) -> None:
    """At the query's time limit keyword answers and says why; by meaning alone it is the provider's error."""
    world = make_world(tmp_path, build=False)
    with served_encoder() as (server, encoder):
        server.default = hang
        encoder.policy = DOCUMENTS  # a minute for each try
        encoder.query_policy = RetryPolicy(tries=2, budget_s=0.3, timeout_s=0.3)
        world.story.encoder = WordEncoder(encoder.model_id)
        world.story.build()
        index = open_index(home=world.home, cache_dir=world.cache, model=encoder.model_id, connect=lambda *_: encoder)
        start = time.monotonic()
        results = index.search("slides")
        assert (results.mode, results[0].id) == ("keyword", "ppt-maker")
        assert "did not answer" in results.fallback_reason
        with pytest.raises(ProviderUnavailable):
            index.search("slides", mode="semantic")
        assert time.monotonic() - start < 20
