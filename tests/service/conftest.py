"""One world for all tests of the service: they read it and leave it as it is."""

from collections.abc import Iterator

import pytest
from support.servers.service_world import ServiceWorld, make_service_world

from hub_index.service.service import Service


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> ServiceWorld:
    """Four small hubs with indexes."""
    return make_service_world(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="session")
def one(world: ServiceWorld) -> Iterator[Service]:
    """A service on a single hub."""
    with world.open("one") as service:
        yield service


@pytest.fixture(scope="session")
def both(world: ServiceWorld) -> Iterator[Service]:
    """A service on the two halves of that hub, which share a skill."""
    with world.open("left", "right") as service:
        yield service
