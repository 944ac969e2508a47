"""The command line of publishing: what it prints, what it exits with, and the table it leaves behind."""

import json
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import git, make_world
from support.processes.cli_runner import hub_index_here


def test_build_commit_moves_the_branch_and_says_so(tmp_path: Path) -> None:
    """`build --commit`, then again: one commit, then none."""
    story = make_story(tmp_path / "hub", skills=2)
    first = hub_index_here("build", story.hub.root, "--commit", "--message", "Index")
    assert first.code == 0, first.err
    commit = story.hub.git("rev-parse", "HEAD")
    assert f"commit {commit[:12]}" in first.out
    assert story.hub.git("log", "-1", "--format=%s") == "Index"
    assert story.hub.git("status", "--porcelain") == ""
    again = hub_index_here("publish", story.hub.root, "--json")
    report = json.loads(again.out)
    assert (report["commit"], report["changed"], report["branch"]) == (None, False, "main")
    assert story.hub.git("rev-parse", "HEAD") == commit


def test_publish_pushes_and_appends_the_runs_table(tmp_path: Path) -> None:
    """`publish --push --summary`: the remote has the index, the file has the table, the clone has not moved."""
    world = make_world(tmp_path, skills=2)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = hub_index_here("publish", world.job, "--push", "--summary", summary, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["commit"], report["branch"], report["tries"]) == (world.head(), "origin/main", 1)
    assert summary.read_text().startswith("before\n| | |\n|---|---|\n| Index | new index, 2 skills in origin/main")
    assert f"| Commit | {world.head()} |" in summary.read_text()
    assert f"at {report['revision']} |" in summary.read_text()
    assert git(world.job, "rev-list", "--count", "main") == "1"


def test_a_revision_with_push_is_a_usage_error(tmp_path: Path) -> None:
    """An index is committed on the head that it was made from: exit 2, nothing happens."""
    world = make_world(tmp_path, skills=1)
    done = hub_index_here("build", world.job, "--commit", "--push", "--rev", "HEAD~0")
    assert (done.code, world.commits()) == (2, 1)
    assert done.err.startswith("hub-index: --rev cannot be committed or pushed")


def test_a_hub_without_a_remote_cannot_be_pushed(tmp_path: Path) -> None:
    """Exit 2 and what to do instead."""
    story = make_story(tmp_path / "hub", skills=1)
    done = hub_index_here("publish", story.hub.root, "--push")
    assert done.code == 2
    assert "leave out --push" in done.err


def test_build_names_the_index_from_the_repositorys_root(tmp_path: Path) -> None:
    """A hub in a folder of a larger repository: `git show` finds what the summary names."""
    story = make_story(tmp_path / "big", skills=1)
    story.hub.git("mv", "skills", "hub-skills")
    (story.hub.root / "hub").mkdir()
    story.hub.git("mv", "hub-skills", "hub/skills")
    story.hub.git("commit", "-q", "-m", "move")
    done = hub_index_here("build", story.hub.root / "hub", "--commit")
    assert done.code == 0, done.err
    assert "1 skill in main:hub/search (" in done.out
    assert story.hub.git("cat-file", "-t", "main:hub/search") == "tree"


@pytest.mark.parametrize("option", ["--author", "--message"])
def test_words_for_a_commit_that_nobody_asked_for_are_a_usage_error(tmp_path: Path, option: str) -> None:
    """Silently ignored options mislead: exit 2, and nothing is built."""
    story = make_story(tmp_path / "hub", skills=1)
    done = hub_index_here("build", story.hub.root, option, "A B <a@example.invalid>")
    assert done.code == 2
    assert f"{option} needs --commit or --push" in done.err
    assert not story.folder.exists()


def test_help_says_who_commits_where_git_knows_nobody() -> None:
    """The fallback author is documented where the option is."""
    for verb in ("build", "publish"):
        assert "hub-index <hub-index@noreply.invalid>" in " ".join(hub_index_here(verb, "--help").out.split())


def test_a_summary_that_cannot_be_written_tells_what_was_published_all_the_same(tmp_path: Path) -> None:
    """Exit 7 with the commit and its place in the message, and the report as ever on stdout."""
    story = make_story(tmp_path / "hub", skills=1)
    absent = tmp_path / "absent" / "summary.md"
    done = hub_index_here("publish", story.hub.root, "--json", "--summary", absent)
    commit = story.hub.git("rev-parse", "HEAD")
    assert done.code == 7
    assert json.loads(done.out)["commit"] == commit
    assert str(absent) in done.err
    assert f"commit {commit[:12]} is in main:search" in done.err
    again = hub_index_here("publish", story.hub.root, "--summary", absent)
    assert (again.code, story.hub.git("rev-parse", "HEAD")) == (7, commit)
    assert "nothing had to be published" in again.err
