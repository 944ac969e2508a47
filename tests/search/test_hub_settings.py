"""hub-index.toml as a search reads it: a wrong value is left out alone, and said."""

from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.errors import ConfigError


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A hub whose index lies in `idx`, as its settings say."""
    world = make_world(tmp_path, build=False)
    world.story.hub.write("hub-index.toml", 'output = "idx"\n')
    world.story.hub.commit("settings")
    world.story.build()
    return world


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_wrong_value_does_not_hide_the_index_that_another_names(world: SearchWorld, mode: str) -> None:
    """The index is found where `output` says, and the notice names what is wrong."""
    world.story.hub.write("hub-index.toml", 'output = "idx"\nmax_loss = "much"\n')
    results = world.open().search("slow queries", mode=mode)
    assert results.mode == mode
    assert Path(results.index_dir).name == "idx"
    (notice,) = [notice for notice in results.notices if "hub-index.toml" in notice]
    assert notice.startswith("hub-index.toml: max_loss is not a number from 0 to 1")


def test_a_file_that_is_not_toml_is_said_where_the_checkout_answers(world: SearchWorld) -> None:
    """Nobody can tell where the index is: the files themselves are searched, and the reason is there."""
    world.story.hub.write("hub-index.toml", "output = [")
    results = world.open().search("slow queries")
    assert results.mode == "keyword"
    assert [notice for notice in results.notices if notice.startswith("hub-index.toml is not TOML")]


def test_right_settings_are_not_spoken_of(world: SearchWorld) -> None:
    """No notice where nothing is wrong."""
    assert world.open().search("slow queries").notices == ()


@pytest.mark.parametrize("option", ["alpha", "recency"])
@pytest.mark.parametrize("value", ["a", float("nan"), -0.1, 1.1, [0.5]])
def test_a_weight_that_is_not_a_number_is_our_own_error(world: SearchWorld, option: str, value: object) -> None:
    """Python's callers may give anything; they are told what is meant."""
    with pytest.raises(ConfigError, match="a number from 0 to 1"):
        world.open().search("slow queries", **{option: value})  # type: ignore[arg-type]
