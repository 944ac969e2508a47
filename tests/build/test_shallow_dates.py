"""The dates of a shallow clone: marked in the manifest, and put right by the next build of a full one."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory, make_story
from support.builds.publish_world import git, make_world, read_index
from support.hubs.hub_maker import HubMaker

_DAYS = {"one": "2024-01-01", "two": "2024-01-02", "three": "2024-01-03"}


@pytest.fixture(params=[1, 2], ids=["format 1", "format 2"])
def story(tmp_path: Path, request: pytest.FixtureRequest) -> BuildStory:
    """A hub whose three skills were committed a day apart, and a change elsewhere."""
    made = BuildStory(HubMaker(tmp_path / "hub"))
    made.hub.write("hub-index.toml", f"format = {request.param}\n")
    for name, day in _DAYS.items():
        made.hub.skill(name, f"Says {name}.")
        made.hub.commit(name, when=f"{day}T00:00:00 +0000")
    made.hub.write("README.md", "read me")
    made.hub.commit("elsewhere", when="2024-02-01T00:00:00 +0000")
    return made


def dates(story: BuildStory) -> dict[str, str]:
    """{id: day} of the index as it is."""
    lines = [line for file in sorted(story.folder.glob("skills*.jsonl")) for line in file.read_text().splitlines()]
    return {record["id"]: record["updated_at"][:10] for record in map(json.loads, lines)}


def shallow_build(story: BuildStory, depth: int = 1, **options: Any) -> bool | None:
    """Builds in a clone of so many commits that has the hub's index, takes the result over, and gives its mark."""
    clone = story.hub.root.with_name("shallow")
    shutil.rmtree(clone, ignore_errors=True)
    address = f"file://{story.hub.root}"
    subprocess.run(["git", "clone", "-q", "--depth", str(depth), address, str(clone)], check=True)
    if story.folder.exists():
        shutil.copytree(story.folder, clone / "search", dirs_exist_ok=True)
    BuildStory(HubMaker(clone), story.encoder).build(**options)
    shutil.rmtree(story.folder, ignore_errors=True)
    shutil.copytree(clone / "search", story.folder)
    mark: bool | None = story.manifest().get("shallow")
    return mark


def test_a_full_clone_puts_the_dates_of_a_shallow_one_right(story: BuildStory) -> None:
    """A plain build does it, embeds nothing for it and says how many; then the mark is gone and nothing is to do."""
    assert shallow_build(story)
    assert set(dates(story).values()) == {"2024-02-01"}
    revision = story.hub.git("rev-parse", "HEAD")
    report = story.build()
    assert (report.changed, report.embedded, dates(story)) == (True, 0, _DAYS)
    assert any("3 dates of a shallow clone put right" in notice for notice in report.notices)
    assert "shallow" not in story.manifest()
    assert story.manifest()["hub_revision"] != revision
    assert not story.build().changed


def test_a_dry_run_says_that_a_full_clone_would_change_the_index(story: BuildStory) -> None:
    """`plan` sees the mark as a build does; in another shallow clone there is nothing to do."""
    shallow_build(story)
    before = dates(story)
    assert story.build(dry_run=True).would_change
    assert shallow_build(story)
    assert dates(story) == before


def test_a_shallow_build_keeps_the_dates_that_are_known(story: BuildStory) -> None:
    """Over a full index only what is new has the date at which the clone ends, and a full clone dates that alone."""
    story.build()
    story.hub.skill("two", "Says two.", body="# Another body\n")
    story.hub.skill("four", "Says four.")
    story.hub.commit("edit and add", when="2024-02-02T00:00:00 +0000")
    story.hub.write("README.md", "read it again")
    story.hub.commit("elsewhere again", when="2024-02-03T00:00:00 +0000")
    assert shallow_build(story)
    assert dates(story) == {**_DAYS, "four": "2024-02-03"}
    assert story.build().changed
    assert dates(story) == {**_DAYS, "four": "2024-02-02"}


def test_a_body_that_is_edited_after_a_shallow_build_does_not_hide_its_date(story: BuildStory) -> None:
    """The date at which a clone ended is no change of the file, also where one came later: then that one counts."""
    shallow_build(story)
    story.hub.skill("one", "Says one.", body="# Another body\n")
    story.hub.commit("body", when="2024-02-02T00:00:00 +0000")
    story.build()
    assert dates(story) == {**_DAYS, "one": "2024-02-02"}


def test_a_shallow_clone_that_reaches_back_far_enough_is_not_marked(story: BuildStory) -> None:
    """What changed after the clone's end has its right date: no mark, and nothing to put right."""
    story.build()
    story.hub.skill("four", "Says four.")
    story.hub.commit("add", when="2024-02-02T00:00:00 +0000")
    assert shallow_build(story, depth=2) is None
    assert dates(story) == {**_DAYS, "four": "2024-02-02"}
    assert not story.build().changed


def test_force_puts_dates_right_that_were_never_marked(story: BuildStory) -> None:
    """An index that an earlier version made in a shallow clone."""
    shallow_build(story)
    manifest = story.folder / "index_manifest.json"
    values = story.manifest()
    del values["shallow"]
    manifest.write_text(json.dumps(values))
    assert not story.build().changed
    story.build(force=True)
    assert dates(story) == _DAYS


def test_force_keeps_the_dates_of_a_history_that_was_rewritten(story: BuildStory) -> None:
    """Their commits are gone, so nothing speaks against them, however often --force builds."""
    story.build()
    story.hub.git("reset", "-q", "--soft", "HEAD~2")
    story.hub.skill("two", "Says two again.")
    story.hub.git("commit", "-q", "-a", "--amend", "-m", "rewritten", when="2024-03-01T00:00:00 +0000")
    story.build()
    for _ in range(2):
        story.build(force=True)
        assert dates(story) == {**_DAYS, "two": "2024-03-01"}


def test_publish_from_a_full_clone_puts_the_dates_right(tmp_path: Path) -> None:
    """One job with `fetch-depth: 1` does not fix wrong dates for good."""
    world = make_world(tmp_path)
    full, world.job = world.job, tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{world.remote}", str(world.job)], check=True)
    world.publish()
    assert json.loads(read_index(world.remote, "main").manifest)["shallow"]
    world.job = full
    git(full, "pull", "-q")
    world.publish()
    files = read_index(world.remote, "main")
    assert "shallow" not in json.loads(files.manifest)
    assert files.skills == make_fresh(tmp_path, full)


def make_fresh(folder: Path, hub: Path) -> bytes:
    """The records of an index that a full clone makes from nothing."""
    story = make_story(folder / "unused", skills=0)
    story.hub.root = hub
    story.build(out=folder / "fresh")
    return (folder / "fresh" / "skills.jsonl").read_bytes()
