"""What the tests of the command line share."""

from pathlib import Path

import pytest
from support.hub_maker import HubMaker


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of two skills, one of them in Chinese."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("one", "Analyze slow queries.")
    maker.skill("two", "制作演示文稿。")
    maker.commit("skills")
    return maker
