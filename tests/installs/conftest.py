"""What tests of installed skills share."""

from pathlib import Path

import pytest
from support.installs.install_world import InstallWorld, make_install_world


@pytest.fixture
def world(tmp_path: Path) -> InstallWorld:
    """A hub, a home and a project of Claude's, with nothing installed."""
    return make_install_world(tmp_path)
