"""What the tests of the command line share."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker, make_hub


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of two skills, one of them in Chinese."""
    return make_hub(tmp_path / "hub")
