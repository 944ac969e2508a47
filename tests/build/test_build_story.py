"""What a maintainer sees of building, from the first index to the hundredth."""

from pathlib import Path

import pytest
from build_story import make_story

from hub_index.errors import ConfigError


def test_a_first_build_embeds_every_text_and_writes_a_complete_index(tmp_path: Path) -> None:
    """A hub without an index gets one: a record and a vector per skill, sorted by id."""
    story = make_story(tmp_path / "hub")
    report = story.build()
    assert (report.skills, report.embedded, report.reused, report.changed) == (4, 4, 0, True)
    assert [record["id"] for record in story.records()] == ["skill-00", "skill-01", "skill-02", "skill-03"]
    assert story.manifest()["count"] == 4
    assert (story.folder / ".gitattributes").read_text().startswith("* -text -diff -merge\n")


def test_an_unchanged_hub_changes_no_byte_and_embeds_nothing(tmp_path: Path) -> None:
    """A second build of the same hub writes nothing, whatever the clock says."""
    story = make_story(tmp_path / "hub")
    story.build()
    before = story.files()
    report = story.build()
    assert (report.embedded, report.changed, report.reused) == (0, False, 4)
    assert story.files() == before


def test_one_edited_description_is_the_only_text_embedded(tmp_path: Path) -> None:
    """Only the skill whose text changed is embedded, and only its file is read."""
    story = make_story(tmp_path / "hub")
    story.build()
    story.hub.skill("skill-02", "Does something else.")
    story.hub.commit("edit")
    report = story.build()
    assert story.encoder.texts == ["name: skill-02\ndescription: Does something else."]
    assert (report.embedded, report.reused, report.edited, report.files_read) == (1, 3, ("skill-02",), 1)


def test_a_body_edit_makes_a_new_manifest_and_keeps_the_vectors(tmp_path: Path) -> None:
    """The body is no part of the text: the manifest's source changes, the vectors do not."""
    story = make_story(tmp_path / "hub")
    story.build()
    before, manifest = story.files(), story.manifest()
    story.hub.skill("skill-01", "Does thing number 1.", body="# Other body\n")
    commit = story.hub.commit("body")
    report = story.build()
    assert (report.embedded, report.changed) == (0, True)
    assert story.files()["vectors.f32"] == before["vectors.f32"]
    assert story.files()["skills.jsonl"] == before["skills.jsonl"]
    assert story.manifest()["source_digest"] != manifest["source_digest"]
    assert story.manifest()["hub_revision"] == commit


def test_force_embeds_everything_again_and_equal_content_keeps_its_manifest(tmp_path: Path) -> None:
    """--force asks for every vector; where the answers are the same, not a byte changes."""
    story = make_story(tmp_path / "hub")
    story.build()
    before = story.files()
    report = story.build(force=True)
    assert (report.embedded, len(story.encoder.texts), report.changed) == (4, 4, False)
    assert story.files() == before


def test_plan_says_what_a_build_would_do_and_writes_nothing(tmp_path: Path) -> None:
    """A dry run counts texts and tokens and leaves the hub as it was."""
    story = make_story(tmp_path / "hub")
    report = story.build(dry_run=True)
    assert (report.embedded, report.changed, story.encoder.texts) == (4, False, [])
    assert report.tokens
    assert not story.folder.exists()


def test_updated_at_is_the_time_of_the_commit_that_brought_the_text(tmp_path: Path) -> None:
    """A body edit does not make a text newer; a new description does."""
    story = make_story(tmp_path / "hub", skills=1)
    story.build()
    first = story.records()[0]["updated_at"]
    story.hub.skill("skill-00", "Does thing number 0.", body="later body\n")
    story.hub.git("add", "-A")
    story.hub.git("-c", "user.name=x", "commit", "-q", "-m", "body")
    story.build()
    assert story.records()[0]["updated_at"] == first
    assert first.endswith("Z")


def test_the_hub_may_be_a_folder_of_a_repository(tmp_path: Path) -> None:
    """Paths count from the hub's root, wherever that lies in its repository."""
    story = make_story(tmp_path / "repo", skills=1)
    story.hub.write("deep/hub/skills/inner/SKILL.md", "---\nname: inner\ndescription: An inner one.\n---\n")
    story.hub.commit("hub in a folder")
    story.hub.root = story.hub.root / "deep" / "hub"
    report = story.build()
    assert report.skills == 1
    assert story.records()[0]["path"] == "skills/inner"


def test_the_hubs_own_file_sets_the_output_folder(tmp_path: Path) -> None:
    """hub-index.toml may move the index inside the hub."""
    story = make_story(tmp_path / "hub")
    story.hub.write("hub-index.toml", 'output = "published/index"\n')
    story.hub.commit("config")
    story.build()
    assert (story.hub.root / "published/index/skills.jsonl").exists()
    assert not story.folder.exists()


def test_a_committed_index_does_not_make_itself_stale(tmp_path: Path) -> None:
    """The commit that contains the index changes nothing of what the index was made from."""
    story = make_story(tmp_path / "hub")
    story.build()
    before = story.files()
    story.hub.commit("the index")
    assert not story.build().changed
    assert story.files() == before


def test_an_output_folder_that_a_link_leads_out_of_the_hub_is_refused(tmp_path: Path) -> None:
    """The hub's own file is untrusted: with a committed link it must not make us write elsewhere."""
    story = make_story(tmp_path / "hub")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (story.hub.root / "published").symlink_to(elsewhere)
    story.hub.write("hub-index.toml", 'output = "published/index"\n')
    story.hub.commit("link")
    with pytest.raises(ConfigError, match="leads out of the hub"):
        story.build()
    assert list(elsewhere.iterdir()) == []


def test_an_output_folder_that_holds_the_hub_is_refused(tmp_path: Path) -> None:
    """--out naming the hub, or a folder above it, would swap the hub away."""
    story = make_story(tmp_path / "hub")
    for folder in (story.hub.root, tmp_path):
        with pytest.raises(ConfigError, match="holds the hub"):
            story.build(out=folder)
    assert (story.hub.root / "skills").is_dir()
