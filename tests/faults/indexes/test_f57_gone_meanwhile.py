"""F57: what goes while it is looked at, by git's hand or by another search's, ends no search."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.checkout import files
from hub_index.search.lexical.cache import entry, pruning
from hub_index.search.lexical.cache import incremental_build as changed


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A hub whose index cannot be read, so that the checkout's own files answer."""
    world = make_world(tmp_path)
    (world.hub / "search" / "skills.jsonl").unlink()
    return world


class Listed(list["os.DirEntry[str]"]):
    """What `os.scandir` found, taken whole."""

    def __enter__(self) -> "Listed":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""


def after_listing(monkeypatch: pytest.MonkeyPatch, folder: Path, act: Callable[[], object]) -> None:
    """Something happens between listing a folder and looking at what was found in it, once."""
    listed, waiting = os.scandir, [act]

    def list_first(place: str | int) -> Listed:
        found = Listed(listed(place))
        while waiting and os.path.samestat(os.stat(place), os.stat(folder)):
            waiting.pop()()
        return found

    monkeypatch.setattr(os, "scandir", list_first)


def test_f57_a_skill_that_goes_while_folders_are_walked_is_gone(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git takes a file away and puts another in its place: between the two it is not there, which is not an error."""
    skill = world.hub / "skills" / "ppt-maker" / "SKILL.md"
    after_listing(monkeypatch, skill.parent, skill.unlink)
    results = world.open().search("slides", mode="keyword")
    assert (results.index_dir, ids(results.hits)) == ("", [])


def test_f57_a_skill_that_goes_before_its_time_is_read_is_gone(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file was listed, and is away when its time of change is asked for."""
    skill = world.hub / "skills" / "ppt-maker" / "SKILL.md"
    before = files.digest_checkout(str(world.hub))
    listed = files.list_checkout(str(world.hub))
    monkeypatch.setattr(files, "list_checkout", lambda *_: listed)
    skill.unlink()
    assert files.digest_checkout(str(world.hub)) != before
    assert world.open().search("slides", mode="keyword").hits == ()


def test_f57_the_work_of_another_search_may_go_while_the_cache_is_pruned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches with other caches, and those of other users, work in one folder of the memory disk and leave it."""
    world = make_world(tmp_path)
    others = tmp_path / "memory" / f"{changed.WORK_PREFIX}1-abc"
    others.mkdir(parents=True)
    for module in (changed, pruning):
        monkeypatch.setattr(module, "MEMORY_FOLDER", str(others.parent))
    after_listing(monkeypatch, others.parent, others.rmdir)
    assert ids(world.open().search("slides", mode="keyword").hits) == ["ppt-maker"]
    assert not others.exists()


def test_f57_an_entry_that_is_taken_away_as_it_is_opened_serves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are open: that nobody can note its use any more does not matter."""
    world = make_world(tmp_path)
    expected = world.open().search("slides", mode="keyword")
    opened = entry.open_index

    def open_and_lose(index: object, folder: str) -> object:
        found = opened(index, folder)  # type: ignore[arg-type]
        os.rename(folder, tmp_path / "taken")
        return found

    monkeypatch.setattr(entry, "open_index", open_and_lose)
    monkeypatch.setattr(os, "access", lambda *_: True)  # it goes right after this was asked
    assert world.open().search("slides", mode="keyword") == expected
