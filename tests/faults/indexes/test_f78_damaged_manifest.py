"""F78, the other side: an index with a damaged manifest is built again without handwork where it is certainly ours."""

import json
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story
from support.builds.publish_world import git, make_world

from hub_index.errors import ConfigError
from hub_index.index.build_tools import BuildOptions

MANIFEST = "index_manifest.json"


def _committed(tmp_path: Path, **settings: str) -> BuildStory:
    story = make_story(tmp_path / "hub")
    for name, text in settings.items():
        story.hub.write(f"{name}.toml".replace("_", "-"), text)
    story.hub.commit("settings")
    story.build()
    story.hub.commit("index")
    return story


@pytest.mark.parametrize("kept", [60, 200])
def test_f78_a_truncated_manifest_that_begins_like_ours_is_built_again(tmp_path: Path, kept: int) -> None:
    """No commit need have it: what is left of it says whose folder it is."""
    story = make_story(tmp_path / "hub")
    story.build()
    good = story.files()
    (story.folder / MANIFEST).write_bytes(good[MANIFEST][:kept])
    report = story.build()
    assert report.changed
    assert "cannot be used, and everything is built anew" in report.notices[0]
    assert story.files() == good | {MANIFEST: story.files()[MANIFEST]}
    assert not story.build().changed


@pytest.mark.parametrize("damage", [b"", b"\0" * 700, b"{", b"<<<<<<< HEAD\n{}", None])
@pytest.mark.parametrize("settings", ["", "format = 2\n"])
@pytest.mark.parametrize("is_committed", [False, True])
def test_f78_a_damaged_manifest_of_a_committed_index_is_built_again(
    tmp_path: Path, damage: bytes | None, settings: str, is_committed: bool
) -> None:
    """The hub's history knows the index, also when the damage is committed; a missing one only where it is not."""
    story = _committed(tmp_path, hub_index=settings)
    good = {path.name: path.read_bytes() for path in story.folder.iterdir()}
    (story.folder / MANIFEST).unlink()
    if damage is not None:
        (story.folder / MANIFEST).write_bytes(damage)
    if is_committed:
        story.hub.commit("damage")
    if damage is None and is_committed:
        with pytest.raises(ConfigError, match="or remove these files"):
            story.build()
        return
    assert story.build().changed
    now = {path.name: path.read_bytes() for path in story.folder.iterdir()}
    assert {name for name in good if now[name] != good[name]} == {MANIFEST}
    assert now.keys() == good.keys()


def test_f78_a_file_that_the_committed_index_does_not_have_is_not_ours(tmp_path: Path) -> None:
    """A damaged manifest in the history of which no such file stands is not enough."""
    story = _committed(tmp_path)
    (story.folder / MANIFEST).write_bytes(b"damaged")
    (story.folder / "skills-0.jsonl").write_text("precious")
    with pytest.raises(ConfigError, match=r"skills-0\.jsonl, which may be somebody else's"):
        story.build()
    assert (story.folder / "skills-0.jsonl").read_text() == "precious"


def test_f78_strangers_files_stay_after_the_hub_removed_its_index(tmp_path: Path) -> None:
    """An index that a commit has taken away says nothing about the files that came after it."""
    story = _committed(tmp_path)
    story.hub.git("rm", "-r", "-q", "search")
    story.hub.commit("no index any more")
    story.hub.write("search/index_manifest.json", "precious")
    story.hub.commit("theirs")
    story.hub.write("search/skills.jsonl", "precious")
    with pytest.raises(ConfigError, match="which may be somebody else's"):
        story.build()
    assert story.files() == {MANIFEST: b"precious", "skills.jsonl": b"precious"}


def test_f78_a_later_format_is_not_damage(tmp_path: Path) -> None:
    """Its hub has a newer hub-index: refused with that advice, though the history has an index of ours."""
    story = _committed(tmp_path)
    manifest = story.manifest() | {"index_version": 3}
    (story.folder / MANIFEST).write_text(json.dumps(manifest, indent=2))
    with pytest.raises(ConfigError, match=r"reads 2: upgrade hub-index, or name another folder"):
        story.build()


def test_f78_an_index_elsewhere_in_the_hub_has_a_history_too(tmp_path: Path) -> None:
    """--out names a folder of the hub; outside of it git has nothing to say."""
    story = make_story(tmp_path / "hub")
    for out in (story.hub.root / "other" / "place", tmp_path / "outside"):
        story.build(out=out)
        story.hub.commit("index")
        (out / MANIFEST).write_bytes(b"damaged")
    assert story.build(out=story.hub.root / "other" / "place").changed
    with pytest.raises(ConfigError, match="remove these files"):
        story.build(out=tmp_path / "outside")


@pytest.mark.parametrize("push", [False, True])
@pytest.mark.parametrize("damage", ["", "damaged", '{\n  "index_version": 1,\n  "created_at": "20'])
def test_f78_a_published_manifest_that_is_damaged_is_published_again(tmp_path: Path, push: bool, damage: str) -> None:
    """In the branch and in its checkout: one commit puts it right."""
    world = make_world(tmp_path)
    world.publish()
    world.maintainer.git("pull", "-q")
    world.maintainer.write(f"search/{MANIFEST}", damage)
    world.maintainer.commit("damage")
    world.maintainer.git("push", "-q")
    git(world.job, "pull", "-q")
    assert world.publish(push=push).commit is not None
    git(world.job, "pull", "-q") if push else git(world.job, "push", "-q")
    assert world.ids()
    assert git(world.job, "status", "--porcelain") == ""


def test_f78_what_a_refused_publish_advises_works(tmp_path: Path) -> None:
    """Followed to the letter: `git rm -r`, commit and push, then publish."""
    world = make_world(tmp_path)
    world.maintainer.write("search/skills.jsonl", "theirs\n")
    world.maintainer.commit("theirs")
    world.maintainer.git("push", "-q")
    with pytest.raises(ConfigError, match=r"or `git rm -r search`, commit and push that if it is an old index"):
        world.publish(BuildOptions())
    world.maintainer.git("rm", "-r", "-q", "search")
    world.maintainer.git("commit", "-q", "-m", "gone")
    world.maintainer.git("push", "-q")
    assert world.publish().commit == world.head()
