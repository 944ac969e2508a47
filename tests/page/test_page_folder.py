"""The page's folder: the same bytes for the same hub, nothing of others touched, damage mended."""

import json
from pathlib import Path

import pytest
from support.pages.page_world import PageWorld, make_page_world

from hub_index.errors import ConfigError, IndexBusy
from hub_index.index.folder.leftovers import temporary_folder
from hub_index.index.folder.writing import lock_folder
from hub_index.page.page_folder import HOST_FILES, LISTING


@pytest.fixture
def world(tmp_path: Path) -> PageWorld:
    """A hub of four skills with its page."""
    world = make_page_world(tmp_path)
    world.write()
    return world


def test_two_pages_of_one_hub_are_equal_byte_for_byte(world: PageWorld, tmp_path: Path) -> None:
    """Nothing of the clock, the folder or the run is in a page."""
    world.write(tmp_path / "other")
    assert world.files(tmp_path / "other") == world.files()


def test_an_unchanged_hub_writes_nothing(world: PageWorld) -> None:
    """The second run finds every file as it should be and leaves the folder alone."""
    before = world.folder.stat().st_ino
    assert world.write().written == 0
    assert world.folder.stat().st_ino == before


def test_the_list_of_files_accounts_for_all_of_them(world: PageWorld) -> None:
    """Whatever stands in the folder is listed, and the outcome counts it."""
    listed = json.loads((world.folder / LISTING).read_bytes())["files"]
    assert set(world.files()) == {*listed, LISTING}
    assert world.write().files == len(listed) + 1


def test_a_folder_with_something_else_is_refused_and_left_alone(world: PageWorld, tmp_path: Path) -> None:
    """The message names the stranger; no file of the folder changes."""
    (world.folder / "thesis.txt").write_text("years of work")
    before = world.files()
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        world.write()
    assert world.files() == before


@pytest.mark.parametrize("place", ["hub/.git/site", "hub/.Git/site", "link/site"])
def test_gits_own_folder_is_refused_and_left_alone(world: PageWorld, place: str) -> None:
    """However the folder is written: nothing is put there, as no index is."""
    (world.root / "link").symlink_to(world.hub.root / ".git")
    before = sorted((world.hub.root / ".git").iterdir())
    with pytest.raises(ConfigError, match="git's own"):
        world.write(world.root / place)
    assert sorted((world.hub.root / ".git").iterdir()) == before


def test_what_a_web_host_wants_stays(world: PageWorld) -> None:
    """CNAME and .nojekyll survive a new page."""
    (world.folder / "CNAME").write_text("skills.example.org\n")
    world.hub.skill("another", "Does another thing.")
    world.index()
    assert world.write().written > 0
    assert (world.folder / "CNAME").read_text() == "skills.example.org\n"


def test_a_damaged_page_is_made_anew(world: PageWorld) -> None:
    """Rows that were tampered with are not kept: the page is again what a first one would be."""
    sound = world.files()
    (world.folder / "data/ids.bin").write_bytes(b"\x1f\x8b nonsense")
    (world.folder / "data/axes.bin").unlink()
    assert world.write().written > 0
    assert world.files() == sound


def test_a_link_in_the_folders_place_is_refused(world: PageWorld, tmp_path: Path) -> None:
    """A page is never written through a link."""
    (tmp_path / "link").symlink_to(world.folder)
    with pytest.raises(ConfigError, match="link"):
        world.write(tmp_path / "link")


def test_one_writer_at_a_time(world: PageWorld) -> None:
    """Whoever comes second is told so and changes nothing."""
    with lock_folder(world.folder), pytest.raises(IndexBusy):
        world.write()


def test_what_a_stopped_writer_left_is_healed(world: PageWorld) -> None:
    """A folder that was moved aside comes back; one that was being made is removed, and nothing of it is taken over."""
    sound = world.files()
    world.folder.rename(temporary_folder(world.folder, "old"))
    half = temporary_folder(world.folder, "new")
    (half / "data").mkdir(parents=True)
    (half / "data/half.bin").write_text("half")
    assert world.write().written == 0
    assert world.files() == sound
    assert sorted(path.name for path in world.folder.parent.glob(".site*")) == []


@pytest.mark.parametrize("name", HOST_FILES)
def test_a_web_hosts_file_that_is_a_link_is_not_copied(world: PageWorld, tmp_path: Path, name: str) -> None:
    """A hub that holds its page could have any file of this machine published with it."""
    (tmp_path / "secret").write_text("canary")
    (world.folder / name).symlink_to(tmp_path / "secret")
    world.hub.skill("another", "Does another thing.")
    world.index()
    with pytest.raises(ConfigError, match=f"{name} is a link"):
        world.write()
    assert (world.folder / name).is_symlink()
