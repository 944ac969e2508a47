"""F74: the user's index is never written below the synced hub, however the folder is spelled or linked."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.fake_encoder import FakeEncoder
from support.hub_maker import HubMaker

from hub_index.errors import ConfigError
from hub_index.index.seams import BuildTools
from hub_index.index.user_index import build_user_index


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A hub with one skill and a folder for links beside it."""
    maker = HubMaker(tmp_path / "axon" / "repo")
    maker.skill("one")
    maker.commit("skills")
    (tmp_path / "links").mkdir()
    return maker.root


def below(hub: Path) -> Path:
    return hub / "search"


def deep_below(hub: Path) -> Path:
    return hub / "not" / "there" / "yet"


def the_hub_itself(hub: Path) -> Path:
    return hub


def inside_git(hub: Path) -> Path:
    return hub / ".git" / "search"


def by_dots(hub: Path) -> Path:
    return hub.parent / "other" / ".." / "repo" / "search"


def linked_parent(hub: Path) -> Path:
    link = hub.parent.parent / "links" / "home"
    link.symlink_to(hub)
    return link / "search"


def linked_folder(hub: Path) -> Path:
    link = hub.parent.parent / "links" / "search"
    link.symlink_to(hub / "search")  # dangling: the folder is not there yet
    return link


def link_to_a_link(hub: Path) -> Path:
    links = hub.parent.parent / "links"
    (links / "first").symlink_to(hub / "skills")
    (links / "second").symlink_to(links / "first")
    return links / "second" / "search"


def around_the_hub(hub: Path) -> Path:
    return hub.parent


@pytest.mark.parametrize(
    "place",
    [
        below,
        deep_below,
        the_hub_itself,
        inside_git,
        by_dots,
        linked_parent,
        linked_folder,
        link_to_a_link,
        around_the_hub,
    ],
)
def test_f74_a_target_inside_the_hub_is_refused(hub: Path, place: Callable[[Path], Path]) -> None:
    """Exit 2 before anything is embedded; the hub holds what it held."""
    folder = place(hub)
    before = sorted(str(path) for path in hub.rglob("*"))
    encoder = FakeEncoder()
    with pytest.raises(ConfigError, match="AXON_HOME") as refused:
        build_user_index(hub, folder, BuildTools(encoder_for=lambda _: encoder))
    assert refused.value.exit_code == 2
    assert encoder.texts == []
    assert sorted(str(path) for path in hub.rglob("*")) == before


def test_f74_a_hub_that_is_named_through_a_link_is_the_same_hub(hub: Path) -> None:
    """The hub's own name may be a link too."""
    link = hub.parent.parent / "links" / "hub"
    link.symlink_to(hub)
    with pytest.raises(ConfigError):
        build_user_index(link, hub / "search", BuildTools(encoder_for=lambda _: FakeEncoder()))


def test_f74_a_sibling_whose_name_begins_like_the_hubs_is_fine(hub: Path) -> None:
    """`repo-search` beside `repo` lies outside."""
    folder = hub.parent / "repo-search"
    build_user_index(hub, folder, BuildTools(encoder_for=lambda _: FakeEncoder()))
    assert os.path.isfile(folder / "index_manifest.json")
