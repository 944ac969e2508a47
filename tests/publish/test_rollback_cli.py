"""The command line of a rollback: what it prints, what contradicts it, and what verify and build say of a held hub."""

import json
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import git, read_index
from support.builds.rollback_world import make_history
from support.processes.cli_runner import hub_index_here


def test_rollback_hold_and_resume_on_the_command_line(tmp_path: Path) -> None:
    """One story for people and one for programs, in the branch that is checked out."""
    story = make_story(tmp_path / "hub", skills=2)
    hub = story.hub
    assert hub_index_here("publish", hub.root).code == 0
    first = hub.git("rev-parse", "HEAD")
    hub.skill("late", "Does one thing more.")
    hub.commit("one more")
    assert hub_index_here("publish", hub.root).code == 0

    back = hub_index_here("publish", hub.root, "--rollback", "--json")
    report = json.loads(back.out)
    assert back.code == 0, back.err
    assert (report["rolled_back_to"], report["commit"]) == (first, hub.git("rev-parse", "HEAD"))
    assert (report["changed"], report["skills"], report["held"]["index_of"]) == (True, 2, first)
    assert read_index(hub.root, "HEAD").vectors == read_index(hub.root, first).vectors

    for verb in (["publish"], ["build", "--commit"], ["build"]):
        night = hub_index_here(verb[0], hub.root, *verb[1:])
        assert (night.code, night.out.partition(":")[0]) == (0, "held"), night.err
        assert "note: the index is held since " in night.err
    verified = hub_index_here("verify", hub.root / "search", "--hub", hub.root)
    assert verified.code == 6  # stale, as it has to be said
    assert "note: the index is held since " in verified.err
    assert "it is held, so no build changes it: `hub-index publish --resume` builds again" in verified.err
    assert "run `hub-index build`" not in verified.err
    assert hub.git("status", "--porcelain") == ""
    again = hub_index_here("publish", hub.root, "--rollback")
    assert (again.code, "say which: --rollback REV" in again.err) == (2, True)

    resumed = hub_index_here("publish", hub.root, "--resume")
    assert (resumed.code, resumed.out.partition(":")[0]) == (0, "new index"), resumed.err
    assert "note: the index is not held any more" in resumed.err
    assert hub_index_here("verify", hub.root / "search", "--hub", hub.root).code == 0
    to_first = hub_index_here("publish", hub.root, "--rollback", first[:12], "--summary", tmp_path / "summary.md")
    assert to_first.out.startswith("earlier index put back and held: 2 skills in main:search")
    assert "| Index | earlier index put back and held, 2 skills" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("--rollback", "--force"),
        ("--rollback", "--dry-run"),
        ("--rollback", "--resume"),
        ("--rollback", "HEAD", "--max-cost", "0"),
        ("--rollback", "--accept", "vectors"),
        ("--rollback", ""),
        ("--resume", "--force"),
        ("--resume", "--dry-run"),
    ],
)
def test_what_contradicts_a_rollback_is_a_usage_error(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Exit 2, before anything is read."""
    done = hub_index_here("publish", tmp_path, *options)
    assert done.code == 2
    assert "see `hub-index publish --help`" in done.err


def test_the_published_branch_of_an_orphan_is_rolled_back_on_the_command_line(tmp_path: Path) -> None:
    """--orphan --push: held on the remote, and the clone's own branch does not move."""
    world, published = make_history(tmp_path, indexes=2, branch="search-index", orphan=True)
    where = ("--push", "--branch", "search-index", "--orphan")
    before = git(world.job, "rev-parse", "HEAD")
    done = hub_index_here("publish", world.job, *where, "--rollback", "--json")
    assert done.code == 0, done.err
    assert read_index(world.remote, "search-index").vectors == published[0].vectors
    assert hub_index_here("publish", world.job, *where, "--json").code == 0
    assert git(world.remote, "rev-parse", "search-index") == json.loads(done.out)["commit"]
    assert git(world.job, "rev-parse", "HEAD") == before
