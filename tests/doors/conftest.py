"""One running server a session for all tests of doors that only ask."""

from collections.abc import Iterator

import pytest
from support.models.fake_encoder import FakeEncoder
from support.searches.search_world import SearchWorld
from support.servers.doors_world import make_odd_world, open_world, serving_examples
from support.servers.serving_world import ServingWorld, serving

from hub_index.service.service import Service


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServingWorld]:
    """All doors to the example hub, with the real model."""
    with serving_examples(tmp_path_factory.mktemp("examples")) as world:
        yield world


@pytest.fixture(scope="session")
def odd_hub(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub that is made to be odd; nobody changes it."""
    return make_odd_world(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="session")
def odd_service(odd_hub: SearchWorld) -> Iterator[Service]:
    """The service on the odd hub, without any door."""
    with open_world(odd_hub) as service:
        yield service


@pytest.fixture(scope="session")
def odd(odd_service: Service) -> Iterator[ServingWorld]:
    """All doors to the odd hub, the model's too."""
    with serving(FakeEncoder(dim=512), odd_service, mcp=True) as world:
        yield world
