"""What a search remembers of a checkout is what it would find with an empty cache."""

import os
import shutil
from pathlib import Path

import pytest
from support.builds.remembered import ask, ask_fresh
from support.hubs.hub_maker import HubMaker
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.results import Results

FILE = "skills/sql-explain/SKILL.md"
LEAVE_OUT = 'exclude = ["skills/ppt-maker/**"]\n'


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A hub whose index is committed."""
    world = make_world(tmp_path)
    world.story.hub.commit("index")
    return world


def is_stale(answers: list[Results]) -> list[bool]:
    """Which of some answers say that the hub has changed."""
    return [any("skills have changed" in notice for notice in answer.notices) for answer in answers]


def edit(hub: Path, old: str = "statement", new: str = "quokka") -> None:
    """Other words in a body."""
    text = (hub / FILE).read_text()
    assert old in text
    (hub / FILE).write_text(text.replace(old, new))


def edit_unseen(hub: Path) -> None:
    """An edit of the same length after which the file's time is what it was."""
    before = (hub / FILE).stat()
    edit(hub, "statement", "quokka to")
    os.utime(hub / FILE, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (hub / FILE).stat().st_size == before.st_size


def test_settings_that_are_edited_count_at_once(world: SearchWorld) -> None:
    """hub-index.toml need not be added to git: which skills there are is asked again when it comes, changes or goes."""
    settings = world.hub / "hub-index.toml"
    assert is_stale(ask(world)) == [False] * 4
    for text in (LEAVE_OUT, 'exclude = ["skills/go-server/**"]\n'):
        settings.write_text(text)
        assert ask(world) == ask_fresh(world)
        assert is_stale(ask(world)) == [True] * 4
    settings.unlink()
    assert ask(world) == ask_fresh(world)


def test_an_index_that_stays_open_follows_the_settings(world: SearchWorld) -> None:
    """Whoever keeps it open hears of them with the next answer."""
    with world.open() as opened:
        assert not is_stale([opened.search("slides", mode="keyword")])[0]
        (world.hub / "hub-index.toml").write_text(LEAVE_OUT)
        assert is_stale([opened.search("slides", mode="keyword")])[0]


def test_a_worktree_is_known_as_any_checkout_is(world: SearchWorld, tmp_path: Path) -> None:
    """Its index and its branch are its own: what is added there is found there, and said."""
    world.story.hub.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    tree = HubMaker(tmp_path / "tree")
    assert is_stale(ask(world, tree.root)) == [False] * 4
    tree.skill("later", "Writes about the zymurgy.")
    tree.git("add", "skills")
    assert ask(world, tree.root) == ask_fresh(world, tree.root)
    answers = ask(world, tree.root)
    assert (ids(answers[0].hits), is_stale(answers)) == (["later"], [True] * 4)
    assert is_stale(ask(world)) == [False] * 4


def test_a_folder_that_the_repository_around_it_ignores_is_read_by_its_files(
    world: SearchWorld, tmp_path: Path
) -> None:
    """The commit around it says nothing about it: no index is called old for that, and its edits are found."""
    outer = HubMaker(tmp_path / "outer")
    outer.write(".gitignore", "vendor\n")
    outer.commit("around")
    hub = outer.root / "vendor"
    shutil.copytree(world.hub, hub, ignore=shutil.ignore_patterns(".git"))
    assert is_stale(ask(world, hub)) == [False] * 4
    edit(hub)
    assert ask(world, hub) == ask_fresh(world, hub)
    assert ids(ask(world, hub)[1].hits) == ["sql-explain"]


def test_an_edit_that_keeps_size_and_time_is_found_in_a_plain_folder(world: SearchWorld, tmp_path: Path) -> None:
    """The system's own time of change is nobody's to set."""
    hub = tmp_path / "plain"
    shutil.copytree(world.hub, hub, ignore=shutil.ignore_patterns(".git"))
    ask(world, hub)
    edit_unseen(hub)
    assert ids(ask(world, hub)[1].hits) == ["sql-explain"]


def test_an_edit_that_keeps_size_and_time_is_found_without_an_index(world: SearchWorld) -> None:
    """Nor does git take such a file for the one that it wrote."""
    shutil.rmtree(world.hub / "search")
    world.story.hub.commit("no index")
    ask(world)
    edit_unseen(world.hub)
    assert ids(ask(world)[1].hits) == ["sql-explain"]


@pytest.mark.parametrize("kind", [("--index-version", "4"), ("--split-index",)], ids=["version 4", "split"])
def test_edits_commits_and_resets_in_other_kinds_of_gits_index(world: SearchWorld, kind: tuple[str, ...]) -> None:
    """Whether we can read it or not, answers are those of an empty cache."""
    hub = world.story.hub
    hub.git("update-index", *kind)
    ask(world)
    edit(world.hub)
    for step in (("add", "skills"), ("commit", "-qm", "edit"), ("reset", "-q", "--hard", "HEAD~1")):
        hub.git(*step)
        assert ask(world) == ask_fresh(world)


def test_another_hub_in_the_place_of_one_is_another(world: SearchWorld, tmp_path: Path) -> None:
    """Same path, same names, other skills."""
    ask(world)
    other = make_world(tmp_path / "other", {"sql-explain": ("Other plans.", "The quokka of a statement.\n")})
    other.story.hub.commit("index")
    shutil.rmtree(world.hub)
    shutil.copytree(other.hub, world.hub)
    assert ask(world) == ask_fresh(world)
    assert [hit.description for hit in ask(world)[1].hits] == ["Other plans."]
