"""The command line of publishing: what it prints, what it exits with, and the table it leaves behind."""

import json
from pathlib import Path

from build_story import make_story
from cli_runner import hub_index
from publish_story import git, make_world


def test_build_commit_moves_the_branch_and_says_so(tmp_path: Path) -> None:
    """`build --commit`, then again: one commit, then none."""
    story = make_story(tmp_path / "hub", skills=2)
    first = hub_index("build", story.hub.root, "--commit", "--message", "Index")
    assert first.code == 0, first.err
    commit = story.hub.git("rev-parse", "HEAD")
    assert f"commit {commit[:12]}" in first.out
    assert story.hub.git("log", "-1", "--format=%s") == "Index"
    assert story.hub.git("status", "--porcelain") == ""
    again = hub_index("publish", story.hub.root, "--json")
    report = json.loads(again.out)
    assert (report["commit"], report["changed"], report["branch"]) == (None, False, "main")
    assert story.hub.git("rev-parse", "HEAD") == commit


def test_publish_pushes_and_appends_the_runs_table(tmp_path: Path) -> None:
    """`publish --push --summary`: the remote has the index, the file has the table, the clone has not moved."""
    world = make_world(tmp_path, skills=2)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = hub_index("publish", world.job, "--push", "--summary", summary, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["commit"], report["branch"], report["tries"]) == (world.head(), "origin/main", 1)
    assert summary.read_text().startswith("before\n| | |\n|---|---|\n| Index | new, 2 skills in origin/main")
    assert git(world.job, "rev-list", "--count", "main") == "1"


def test_a_revision_with_push_is_a_usage_error(tmp_path: Path) -> None:
    """An index is committed on the head that it was made from: exit 2, nothing happens."""
    world = make_world(tmp_path, skills=1)
    done = hub_index("build", world.job, "--commit", "--push", "--rev", "HEAD~0")
    assert (done.code, world.commits()) == (2, 1)
    assert done.err.startswith("hub-index: --rev cannot be committed or pushed")


def test_a_hub_without_a_remote_cannot_be_pushed(tmp_path: Path) -> None:
    """Exit 2 and what to do instead."""
    story = make_story(tmp_path / "hub", skills=1)
    done = hub_index("publish", story.hub.root, "--push")
    assert done.code == 2
    assert "leave out --push" in done.err
