"""The doors' operations on hubs of a database: find, read, list, related and status, several hubs together."""

import pytest
from support.searches.search_world import SearchWorld, make_world
from support.servers.store_world import load

from hub_index.errors import ConfigError
from hub_index.postgres.connection import parse_address
from hub_index.service.hubs.postgres_hubs import open_stored
from hub_index.service.requests import FindRequest, ListRequest, ReadRequest, RelatedRequest

_MORE = {"slide-checker": ("Check slides for typos.", "# Check\nReads every slide.\n")}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchWorld, SearchWorld]:
    return make_world(tmp_path_factory.mktemp("first")), make_world(tmp_path_factory.mktemp("second"), _MORE)


def test_every_operation_answers_from_the_database(worlds: tuple[SearchWorld, SearchWorld], database: str) -> None:
    """Hubs are searched as one, their texts can be read, and their revision changes with an export alone."""
    first, second = worlds
    load(first, database, "one")
    load(second, database, "two")
    address = parse_address(database)
    with open_stored(address, (), "fake:words", first.connect, str(first.cache)) as service:
        found = service.find(FindRequest("make slides", k=3, include_text=True))
        assert (found.mode, {hit.hub for hit in found.hits}) == ("hybrid", {"one", "two"})
        assert found.hits[0].id == "ppt-maker"
        text = service.read(ReadRequest("slide-checker"))
        assert (text.hub, "Reads every slide." in text.text) == ("two", True)
        with pytest.raises(ConfigError, match="no files beside"):
            service.read(ReadRequest("slide-checker", file="notes.txt"))
        assert service.list(ListRequest()).total == 6
        assert "slide-checker" in [hit.id for hit in service.related(RelatedRequest("ppt-maker")).hits]
        status = service.status()
        assert [(hub.state, hub.skills, hub.model_id) for hub in status.hubs] == [
            ("ready", 5, "fake:words"),
            ("ready", 1, "fake:words"),
        ]
        revision = service.hubs_digest()
        assert load(first, database, "one").sent == 0
        assert service.hubs_digest() == revision
        load(second, database, "one")
        assert service.hubs_digest() != revision
