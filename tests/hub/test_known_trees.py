"""A tree that was looked at before: the same answer without listing it again."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.hubs.hub_maker import HubMaker

from hub_index.hub import known_trees, snapshot
from hub_index.hub.git.repository import ChangedFiles, Repository, open_repository
from hub_index.hub.known_trees import KnownTrees
from hub_index.hub.snapshot import HubState, read_hub
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.reporting.report import BuildReport
from hub_index.models import TreeEntry


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with settings, a folder that cannot be a skill's, and two skills."""
    maker = HubMaker(tmp_path / "hub")
    maker.write("hub-index.toml", 'roots = ["skills"]\nexclude = ["skills/old/**"]\n')
    maker.skill("alpha")
    maker.skill("beta")
    maker.skill("with\\backslash")
    maker.commit()
    return maker


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commits whose trees are listed from now on."""
    seen: list[str] = []
    whole = snapshot.read_tree

    def watched(repo: Repository, revision: str, entries: list[TreeEntry]) -> HubState:
        seen.append(revision)
        return whole(repo, revision, entries)

    monkeypatch.setattr(snapshot, "read_tree", watched)
    return seen


def read_known(hub: HubMaker, cache: Path, rev: str = "HEAD") -> HubState:
    """The hub's state, with the notes of that cache."""
    return read_hub(open_repository(hub.root), rev, KnownTrees(str(cache)))


def test_a_known_tree_is_the_same_state_and_is_not_listed(hub: HubMaker, tmp_path: Path, listed: list[str]) -> None:
    """Settings, digest, count and problems are those of the listing; files are listed when one is asked for."""
    first, second = read_known(hub, tmp_path), read_known(hub, tmp_path)
    assert len(listed) == 1
    assert first.snapshot.problems
    assert (second.config, len(second.snapshot.files)) == (first.config, len(first.snapshot.files))
    for name in ("revision", "problems", "source_digest", "shallow", "outside"):
        assert getattr(second.snapshot, name) == getattr(first.snapshot, name)
    assert list(second.snapshot.files) == list(first.snapshot.files)
    assert second.snapshot.files[0].id == "alpha"
    assert len(listed) == 2


def test_another_tree_is_listed_and_a_commit_that_changes_nothing_is_not(
    hub: HubMaker, tmp_path: Path, listed: list[str]
) -> None:
    """The note goes by what the commit holds, not by the commit."""
    old = read_known(hub, tmp_path).snapshot
    hub.git("commit", "-q", "--allow-empty", "-m", "nothing")
    same = read_known(hub, tmp_path).snapshot
    assert (len(listed), same.source_digest) == (1, old.source_digest)
    assert same.revision == hub.git("rev-parse", "HEAD") != old.revision
    hub.skill("gamma")
    hub.commit()
    assert read_known(hub, tmp_path).snapshot.source_digest != old.source_digest
    assert read_known(hub, tmp_path, "HEAD~1").snapshot.source_digest == old.source_digest
    assert len(listed) == 2


@pytest.mark.parametrize("damage", ["cut", "other", "others-write", "no-folder"])
def test_a_note_in_doubt_is_not_believed(hub: HubMaker, tmp_path: Path, listed: list[str], damage: str) -> None:
    """Cut, of another shape, or where others may write: the tree is listed."""
    cache = tmp_path / "cache"
    if damage == "no-folder":
        cache.write_bytes(b"a file stands in its place")
    state = read_known(hub, cache)
    for note in (cache / "trees").iterdir() if cache.is_dir() else ():
        if damage == "cut":
            note.write_bytes(note.read_bytes()[:-20])
        elif damage == "other":
            note.write_text('{"config": {"roots": 1, "colour": "red"}, "count": 9, "source_digest": "x"}')
        else:
            note.chmod(0o666)
    assert list(read_known(hub, cache).snapshot.files) == list(state.snapshot.files)
    assert len(listed) == 2


def test_an_unchanged_build_lists_nothing_and_reports_the_same(tmp_path: Path, listed: list[str]) -> None:
    """Two builds of one tree: the second says what it would have said, and an edit is seen at once."""
    story = make_story(tmp_path / "hub", skills=3)
    story.hub.skill("with\\backslash")
    story.hub.commit()

    def build() -> BuildReport:
        tools = BuildTools(encoder_for=lambda _: story.encoder, known_trees=KnownTrees(str(tmp_path / "cache")))
        return build_index(story.hub.root, BuildOptions(), tools).report

    build()
    known = build()
    assert len(listed) == 1
    assert known == story.build()
    story.hub.skill("skill-00", "Does another thing.")
    story.hub.commit()
    assert build().edited == ("skill-00",)


@pytest.mark.parametrize(
    "new", ["skills/group/new/SKILL.md", "skills/new/SKILL.md", "skills/group/SKILL.md", "workflows/new.md"]
)
def test_new_skills_of_a_big_hub_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str) -> None:
    """git looks for new files only where a folder holds other names than the commit's, and then finds them."""
    monkeypatch.setattr(known_trees, "MANY_FILES", 1)
    story = make_story(tmp_path / "hub", skills=2)
    for name in ("group/one", "group/two/deeper", "notes/three"):
        story.hub.skill(name)
    story.hub.write("skills/notes/references/more.md", "More.\n")
    story.hub.commit()
    asked = watch_status(monkeypatch)

    count = counter(story.hub.root, tmp_path / "cache")
    assert [count(), count()] == [0, 0]
    story.hub.skill("skill-00", "Does another thing.")
    assert count() == 1
    assert asked == [True, False, False]
    story.hub.write(new, "# New\n")
    assert count() == 2
    assert asked[3:] == [True]


def test_after_an_edit_git_is_not_asked_for_new_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names are those of the tree before; a commit that changes names makes git look again, and find."""
    monkeypatch.setattr(known_trees, "MANY_FILES", 1)
    story = make_story(tmp_path / "hub", skills=3)
    asked = watch_status(monkeypatch)
    count = counter(story.hub.root, tmp_path / "cache")
    assert count() == 0
    story.hub.skill("skill-00", "Does another thing.")
    story.hub.commit("an edit")
    assert count() == 0
    story.hub.git("rm", "-q", "--cached", "skills/skill-01/SKILL.md")
    story.hub.git("commit", "-q", "-m", "gone, but still in its folder")
    assert count() == 1
    assert asked == [True, False, True]


def counter(hub: Path, cache: Path) -> Callable[[], int]:
    """Counts the skills that are not committed, with a memory for trees."""

    def count() -> int:
        repo, known = open_repository(hub), KnownTrees(str(cache))
        with uncommitted_files(repo, "HEAD", known) as uncommitted:
            return len(uncommitted.find_skills(read_hub(repo, "HEAD", known).config))

    return count


def test_a_file_that_was_only_touched_is_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a big hub too; its index may be uncommitted, and of two hundred edits each counts."""
    monkeypatch.setattr(known_trees, "MANY_FILES", 1)
    story = make_story(tmp_path / "hub", skills=120)
    story.hub.write("search/vectors.f32", "old")
    story.hub.commit()
    count = counter(story.hub.root, tmp_path / "cache")
    assert count() == 0
    os.utime(story.hub.root / "skills/skill-00/SKILL.md", (1, 1))
    story.hub.write("search/vectors.f32", "newer")
    assert count() == 0
    for number in range(120):
        story.hub.skill(f"skill-{number:02}", "Does another thing.")
    assert count() == 120


def watch_status(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether git was asked for new files, each time that it is asked from now on."""
    asked: list[bool] = []
    whole = Repository.changed_files

    def watched(self: Repository, *, with_new: bool = True) -> "AbstractContextManager[ChangedFiles]":
        asked.append(with_new)
        return whole(self, with_new=with_new)

    monkeypatch.setattr(Repository, "changed_files", watched)
    return asked
