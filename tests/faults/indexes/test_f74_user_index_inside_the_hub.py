"""F74: the user's index is never written below the synced hub, however the folder is spelled or linked."""

import os
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.errors import ConfigError
from hub_index.index.build_tools import BuildTools
from hub_index.index.user_index import build_user_index

PLACES = {
    "below": "axon/repo/search",
    "deep below": "axon/repo/not/there/yet",
    "the hub itself": "axon/repo",
    "inside git": "axon/repo/.git/search",
    "by dots": "axon/other/../repo/search",
    "linked parent": "links/hub/search",
    "linked folder, not there yet": "links/search",
    "link to a link": "links/second/search",
    "around the hub": "axon",
}


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A hub with one skill, and links into it from a folder outside."""
    maker = HubMaker(tmp_path / "axon/repo")
    maker.skill("one")
    maker.commit("skills")
    links = tmp_path / "links"
    links.mkdir()
    for name, target in {"hub": "", "search": "search", "first": "skills"}.items():
        (links / name).symlink_to(maker.root / target)
    (links / "second").symlink_to(links / "first")
    return maker.root


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_f74_a_target_inside_the_hub_is_refused(hub: Path, place: str, tmp_path: Path) -> None:
    """Exit 2 before anything is embedded; the hub holds what it held."""
    before = sorted(str(path) for path in hub.rglob("*"))
    encoder = FakeEncoder()
    with pytest.raises(ConfigError, match="AXON_HOME") as refused:
        build_user_index(hub, tmp_path / place, BuildTools(encoder_for=lambda _: encoder))
    assert refused.value.exit_code == 2
    assert encoder.texts == []
    assert sorted(str(path) for path in hub.rglob("*")) == before


def test_f74_a_hub_that_is_named_through_a_link_is_the_same_hub(hub: Path, tmp_path: Path) -> None:
    """The hub's own name may be a link too."""
    with pytest.raises(ConfigError):
        build_user_index(tmp_path / "links/hub", hub / "search", BuildTools(encoder_for=lambda _: FakeEncoder()))


def test_f74_a_sibling_whose_name_begins_like_the_hubs_is_fine(hub: Path) -> None:
    """`repo-search` beside `repo` lies outside."""
    folder = hub.parent / "repo-search"
    build_user_index(hub, folder, BuildTools(encoder_for=lambda _: FakeEncoder()))
    assert os.path.isfile(folder / "index_manifest.json")
