"""`--max-per-folder N`: at most N hits of one top folder, at every door."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, WordEncoder, ids, make_world
from support.servers.service_world import ServiceWorld
from support.servers.serving_world import serving

from hub_index.errors import ConfigError
from hub_index.search.options import SearchOptions
from hub_index.serve.mcp.calls import ToolCalls
from hub_index.service.requests import FindRequest

_SKILLS = {
    **{f"decks/{name}": ("Make slides.", "# Body\n") for name in ("a", "b", "c", "deep/d")},
    "sheets/e": ("Make slides of a table.", "# Body\n"),
    "sheets/f": ("Make slides of a table of numbers.", "# Body\n"),
    "alone": ("Make slides of whatever there is to show to somebody.", "# Body\n"),
}
_FOLDERS = ["alone", "decks", "sheets"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """Four skills in one folder, two in another, and one by itself."""
    return make_world(tmp_path_factory.mktemp("world"), _SKILLS)


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> ServiceWorld:
    """Two hubs with folders of the same names."""
    made = ServiceWorld(tmp_path_factory.mktemp("hubs"), WordEncoder())
    made.add_hub("left", _SKILLS)
    made.add_hub("right", {id_: (f"{about} Twice.", body) for id_, (about, body) in _SKILLS.items()})
    return made


def folder_of(id_: str) -> str:
    """The top folder of an id."""
    return id_.partition("/")[0]


def best_of(order: list[str], most: int) -> list[str]:
    """The first so many ids of each folder."""
    return [id_ for at, id_ in enumerate(order) if [*map(folder_of, order[:at])].count(folder_of(id_)) < most]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_each_top_folder_has_at_most_so_many(world: SearchWorld, mode: str) -> None:
    """Its best ones, in their order; a skill in no folder counts by itself."""
    with world.open() as index:
        order = ids(index.search("slides", 10, mode).hits)
        found = ids(index.search("slides", 10, mode, max_per_folder=1).hits)
        two = ids(index.search(SearchOptions("slides", 10, mode, max_per_folder=2)).hits)
    assert found == best_of(order, 1)
    assert two == best_of(order, 2)
    assert (len(order), len(found), len(two)) == (7, 3, 5)


def test_what_is_left_out_makes_room_for_others(world: SearchWorld) -> None:
    """As many hits as were asked for, where there are."""
    with world.open() as index:
        assert len(index.search("slides", 3, max_per_folder=1)) == 3


def test_filters_come_first(hubs: ServiceWorld) -> None:
    """A hit that a filter drops takes no place of its folder."""
    with hubs.open("left") as service:
        found = service.find(FindRequest("slides", max_per_folder=1, path="skills/decks/deep"))
    assert ids(found.hits) == ["decks/deep/d"]


@pytest.mark.parametrize("options", [{}, {"recency": True}, {"diverse": True}, {"fusion": "rrf"}])
def test_folders_of_several_hubs_are_several(hubs: ServiceWorld, options: dict[str, object]) -> None:
    """Each has its own share, also where the order is made of all hubs' hits together."""
    with hubs.open("left", "right") as service:
        found = service.find(FindRequest("slides", 20, max_per_folder=1, fold=False, **options))  # type: ignore[arg-type]
    places = sorted(f"{hit.hub}:{folder_of(hit.id)}" for hit in found)
    assert places == [f"{hub}:{folder}" for hub in ("left", "right") for folder in _FOLDERS]


def test_every_door_takes_it(hubs: ServiceWorld, tmp_path: Path) -> None:
    """The command line, HTTP and MCP; OpenAPI and MCP's schema name it."""
    with hubs.open("left") as service, serving(service=service) as world:
        posted = world.post("/search", {"query": "slides", "k": 9, "max_per_folder": 1}).value["hits"]
        asked = world.ask("GET", "/search?q=slides&k=9&max_per_folder=1").value["hits"]
        described = json.dumps(world.ask("GET", "/openapi.json").value["paths"]["/search"])
        call = {"query": "slides", "k": 9, "max_per_folder": "1"}
        told = (ToolCalls(service, 20.0).call("find_skills", call).structured_content or {})["hits"]
    environment = {"HUB_INDEX_CACHE": str(tmp_path / "cache"), "AXON_HOME": str(tmp_path)}
    command = ("search", "slides", "--keyword", "--json", "--k", "9", "--max-per-folder", "1", "--hub")
    printed = json.loads(hub_index_here(*command, str(hubs.root / "left"), env=environment).out)["hits"]
    for hits in (posted, asked, told, printed):
        assert sorted(folder_of(hit["id"]) for hit in hits) == _FOLDERS
    assert described.count("At most so many hits of one top folder.") == 2


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2"])
def test_anything_but_a_whole_number_from_one_is_refused(world: SearchWorld, wrong: object) -> None:
    """By the one check of all options."""
    with world.open() as index, pytest.raises(ConfigError, match="max_per_folder must be a whole number from 1"):
        index.search("slides", max_per_folder=wrong)
