"""What the tests of traces share."""

from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world
from support.searches.trace_world import TraceWorld


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A synced hub of five skills with its index."""
    return make_world(tmp_path_factory.mktemp("searched"))


@pytest.fixture
def traces(searched: SearchWorld, tmp_path: Path) -> TraceWorld:
    """The hub, and a state folder that does not exist yet."""
    return TraceWorld(searched, str(tmp_path / "state" / "hub-index"))
