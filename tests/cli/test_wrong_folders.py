"""Folders that people give by mistake, and states that they forget: each command says what to do."""

from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import git, make_world
from support.processes.cli_runner import hub_index_here


def test_verify_takes_a_hub_for_its_index(tmp_path: Path) -> None:
    """`verify HUB` checks HUB/search, or wherever the hub's settings put it, and says so."""
    story = make_story(tmp_path / "hub", skills=2)
    story.hub.write("hub-index.toml", 'output = "found"\n')
    story.hub.commit("settings")
    story.build()
    done = hub_index_here("verify", story.hub.root)
    assert (done.code, done.err) == (0, f"note: {story.hub.root} is a hub; its index is {story.hub.root / 'found'}\n")
    assert done.out.startswith("valid: 2 skills")
    assert hub_index_here("verify", story.hub.root, "--hub", story.hub.root).out.startswith("valid, fresh")


def test_sync_of_a_hub_whose_index_is_not_committed_says_how_to_commit_it(tmp_path: Path) -> None:
    """The index is there, in its folder: one command is missing."""
    story = make_story(tmp_path / "hub", skills=1)
    story.build()
    done = hub_index_here("sync", story.hub.root, AXON_HOME=str(tmp_path / "axon"))
    assert done.code == 0, done.err
    assert f"no index to use: that of {story.hub.root} is not committed; run `hub-index build" in done.out
    assert hub_index_here("build", story.hub.root, "--commit").code == 0
    assert "index: 1 skill" in hub_index_here("sync", AXON_HOME=str(tmp_path / "axon")).out


def test_a_quoted_tilde_is_the_home_folder(tmp_path: Path, own_world: Path) -> None:
    """A shell expands only what is not quoted."""
    make_story(own_world / "hub", skills=1)
    done = hub_index_here("build", "~/hub", "--out", "~/index", cwd=Path(__file__).parents[2])
    assert done.code == 0, done.err
    assert (own_world / "index/skills.jsonl").exists()
    assert hub_index_here("search", "thing", "--keyword", "--index-dir", "~/index", "--hub", "~/hub").code == 0


@pytest.mark.parametrize("mode", ["--keyword", "--hybrid"])
def test_a_named_index_folder_without_an_index_is_an_error(tmp_path: Path, mode: str) -> None:
    """The hub's own files are not what `--index-dir` asked for."""
    story = make_story(tmp_path / "hub", skills=1)
    done = hub_index_here("search", "thing", mode, "--hub", story.hub.root, "--index-dir", tmp_path)
    assert (done.code, done.out) == (6, "")
    assert f"there is no index in {tmp_path}; `hub-index build HUB --out DIR` makes one" in done.err


def test_publish_push_says_what_is_not_pushed(tmp_path: Path) -> None:
    """The remote's branch is read, and two commits are only here."""
    world = make_world(tmp_path, skills=1)
    assert hub_index_here("publish", world.job, "--push").err == ""
    git(world.job, "pull", "-q")
    for text in ("first", "second"):
        (world.job / text).write_text(text)
        git(world.job, "add", text)
        git(world.job, "commit", "-q", "-m", text)
    done = hub_index_here("publish", world.job, "--push")
    assert done.err == "note: 2 commits not pushed yet: the index is of origin/main; `git push` first\n"
    assert done.out.startswith("nothing changed")
    assert hub_index_here("publish", world.job, "--push", "--branch", "main").err == ""


@pytest.mark.parametrize("option", ["--rev", "--out"])
def test_publish_does_not_offer_what_it_refuses(tmp_path: Path, option: str) -> None:
    """An index is committed on the head that it was made from, in the folder that the hub names."""
    assert option not in hub_index_here("publish", "--help").out
    assert hub_index_here("publish", tmp_path, option, "x").code == 2
