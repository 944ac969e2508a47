"""The index's own .gitattributes, without which git may convert its bytes, comes back with the next build."""

import os
from pathlib import Path

import pytest
from support.builds.broken_disk import ENOSPC, CountingDisk, fail_at
from support.builds.build_story import BuildStory, make_story
from support.builds.publish_world import git, make_world

from hub_index.errors import PublishError
from hub_index.index.folder.our_files import ATTRIBUTES
from hub_index.index.folder.writing import put_attributes


def _inodes(story: BuildStory) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in story.folder.iterdir() if path.name != ".gitattributes"}


@pytest.mark.parametrize("written", [None, "*.f32 filter=lfs\n", ""])
def test_an_unchanged_build_puts_it_back(tmp_path: Path, written: str | None) -> None:
    """Missing or changed: it is written again and said, no other file is touched, and the index is unchanged."""
    story = make_story(tmp_path / "hub")
    story.build()
    path, before = story.folder / ".gitattributes", _inodes(story)
    path.unlink()
    if written is not None:
        path.write_text(written)
    report = story.build()
    assert path.read_bytes() == ATTRIBUTES
    assert (report.changed, _inodes(story)) == (False, before)
    what = "was missing" if written is None else "had been changed"
    assert any(f".gitattributes {what} and was put back" in text for text in report.notices)
    assert not any(".gitattributes" in text for text in story.build().notices)
    assert sorted(os.listdir(story.hub.root)) == [".git", "search", "skills"]


def test_a_link_in_its_place_gives_way_and_its_target_stays(tmp_path: Path) -> None:
    """Nothing is written through a link."""
    story = make_story(tmp_path / "hub")
    story.build()
    (tmp_path / "theirs").write_text("precious")
    (story.folder / ".gitattributes").unlink()
    (story.folder / ".gitattributes").symlink_to(tmp_path / "theirs")
    story.build()
    assert not (story.folder / ".gitattributes").is_symlink()
    assert (tmp_path / "theirs").read_text() == "precious"


def test_a_plan_and_a_held_index_leave_it_alone(tmp_path: Path) -> None:
    """A dry run writes nothing, and what is held stays as it is."""
    story = make_story(tmp_path / "hub")
    story.build()
    (story.folder / ".gitattributes").unlink()
    story.build(dry_run=True)
    assert not (story.folder / ".gitattributes").exists()
    (story.folder / "index_hold.json").write_text("{}")
    story.build()
    assert not (story.folder / ".gitattributes").exists()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_full_disk_leaves_the_folder_as_it_was(tmp_path: Path, n: int) -> None:
    """At each step: one error, nothing half-written in the folder or beside it."""
    story = make_story(tmp_path / "hub")
    story.build()
    (story.folder / ".gitattributes").unlink()
    before = story.files()
    disk = CountingDisk(fail_at(n, ENOSPC, for_ever=True, removing_too=False))
    with pytest.raises(PublishError, match="cannot be written"):
        put_attributes(story.folder, disk)
    assert story.files() == before
    assert not (story.folder / ".gitattributes").exists()
    assert sorted(os.listdir(story.hub.root)) == [".git", "search", "skills"]


def test_a_publish_says_why_it_commits_an_unchanged_index(tmp_path: Path) -> None:
    """A branch that lost the file gets it back by a commit of that file alone."""
    world = make_world(tmp_path)
    world.publish()
    world.maintainer.git("pull", "-q")
    world.maintainer.git("rm", "-q", "search/.gitattributes")
    world.maintainer.git("commit", "-q", "-m", "gone")
    world.maintainer.git("push", "-q")
    outcome = world.publish()
    assert git(world.remote, "show", "--format=", "--name-only", "main") == "search/.gitattributes"
    assert any("only .gitattributes or the mode of a file was put right" in text for text in outcome.report.notices)
    assert world.publish().commit is None
