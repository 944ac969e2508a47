"""A database of each test's own, in the run's one server."""

import itertools
import os

import pytest
from support.servers.postgres_server import PostgresServer, shared_postgres

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> PostgresServer:
    return shared_postgres(tmp_path_factory)


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """The address of an empty database."""
    return postgres.new_database(f"test_{os.getpid()}_{next(_NUMBERS)}")
