"""What a maintainer sees of building, from the first index to the hundredth."""

from pathlib import Path

import pytest
from support.builds.build_story import make_story

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
    """The body is not part of the text: the manifest's source changes, the vectors do not."""
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
        with pytest.raises(ConfigError, match="holds the hub's own files"):
            story.build(out=folder)
    assert (story.hub.root / "skills").is_dir()


@pytest.mark.parametrize("folder", [".git", ".git/index-here", "skills", "skills/skill-00"])
def test_an_output_folder_that_is_gits_or_the_skills_own_is_refused(tmp_path: Path, folder: str) -> None:
    """--out has the guards that hub-index.toml has."""
    story = make_story(tmp_path / "hub")
    with pytest.raises(ConfigError, match="cannot be written"):
        story.build(out=story.hub.root / folder)
    assert story.hub.git("status", "--porcelain") == ""


def test_a_loop_of_links_is_a_plain_error(tmp_path: Path) -> None:
    """--out through a link to itself ends in one sentence."""
    story = make_story(tmp_path / "hub")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ConfigError, match="cannot be followed"):
        story.build(out=tmp_path / "loop" / "search")


def test_a_bare_repository_needs_a_folder_for_its_index(tmp_path: Path) -> None:
    """Without a work tree there is no place beside the skills."""
    story = make_story(tmp_path / "hub")
    story.hub.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    story.hub.root = tmp_path / "bare.git"
    with pytest.raises(ConfigError, match="--out"):
        story.build()
    assert story.build(out=tmp_path / "search").skills == 4


@pytest.mark.parametrize(
    "alias", ["x", "a:b c", "Bad Provider:x", ":x", "openai:", "local:other", "openai:" + "n" * 200]
)
def test_an_alias_that_no_client_could_match_is_a_usage_error(tmp_path: Path, alias: str) -> None:
    """The model_id is published: it is checked before anything is read."""
    story = make_story(tmp_path / "hub")
    with pytest.raises(ConfigError, match="--model-alias"):
        story.build(model_alias=alias)


def test_an_alias_is_published_and_the_space_still_tells_the_truth(tmp_path: Path) -> None:
    """Another model_id over the same vectors: nothing is embedded, the manifest changes."""
    story = make_story(tmp_path / "hub")
    story.build()
    space = story.manifest()["space"]
    report = story.build(model_alias="openai:usem3")
    assert (report.embedded, report.changed) == (0, True)
    assert (story.manifest()["model_id"], story.manifest()["space"]) == ("openai:usem3", space)


def test_a_plan_says_whether_a_build_would_change_anything(tmp_path: Path) -> None:
    """`would_change` of a dry run speaks of the build to come; a current hub costs nothing."""
    story = make_story(tmp_path / "hub")
    assert story.build(dry_run=True).would_change
    story.build()
    report = story.build(dry_run=True)
    assert (report.would_change, report.tokens, report.cost_usd) == (False, 0, 0.0)


def test_a_hub_that_is_reached_through_a_link_is_built(tmp_path: Path) -> None:
    """Only the index folder itself must not be a link."""
    story = make_story(tmp_path / "hub")
    (tmp_path / "link").symlink_to("hub")
    assert story.build(out=tmp_path / "link" / "search").changed
    assert story.manifest()["count"] == 4
