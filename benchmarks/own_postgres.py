"""A PostgreSQL for a benchmark: the one that HUB_INDEX_STORE names, else one of its own, as the tests start it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1] / "tests"


@contextmanager
def own_postgres() -> Iterator[str]:
    """The address of an empty database, gone afterwards."""
    if named := os.environ.get("HUB_INDEX_STORE"):
        yield named
        return
    sys.path.insert(0, str(_TESTS))
    from support.servers.postgres_server import started_postgres

    with started_postgres() as server:
        yield server.new_database("bench")
