"""The Prefect server that the flow's tests share."""

import pytest
from support.flows.prefect_server import PrefectServer, shared_server


@pytest.fixture(scope="session")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> PrefectServer:
    """A real server process."""
    return shared_server(tmp_path_factory)
