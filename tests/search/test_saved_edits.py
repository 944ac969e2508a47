"""Files that are saved and not committed are found by their words, in a hub that the user names or stands in."""

import os
import time
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story
from support.processes.cli_runner import hub_index_here

from hub_index.search import open_index
from hub_index.search.checkout.edits import find_edits
from hub_index.search.checkout.state import read_state
from hub_index.search.index import Index

SKILL = "---\nname: {}\ndescription: {}\n---\n{}\n"


@pytest.fixture
def story(tmp_path: Path) -> BuildStory:
    """A hub of four skills with an index of its commit."""
    story = make_story(tmp_path / "hub", skills=4)
    story.build()
    return story


def first(index: Index, query: str) -> str:
    """The id of the best hit by words; empty without one."""
    hits = index.search(query, mode="keyword").hits
    return hits[0].id if hits else ""


def test_an_edited_description_is_found_at_once(story: BuildStory, tmp_path: Path) -> None:
    """By its new words, with its new description; a notice counts the file."""
    story.hub.write("skills/skill-01/SKILL.md", SKILL.format("skill-01", "Frobnicate wombats", "body"))
    with open_index(hub=story.hub.root, cache_dir=tmp_path / "cache") as index:
        results = index.search("wombats", mode="keyword")
    assert [(hit.id, hit.description) for hit in results.hits] == [("skill-01", "Frobnicate wombats")]
    assert any("1 saved file" in text for text in results.notices)


@pytest.mark.parametrize("path", ["skills/fresh/SKILL.md", "skills/ann/fresh/SKILL.md"])
def test_a_new_skill_is_found_before_git_knows_it(story: BuildStory, tmp_path: Path, path: str) -> None:
    """Also below a new owner's folder; `show` and `list` know it, too."""
    story.hub.write(path, SKILL.format("fresh", "Frobnicate wombats", "body"))
    with open_index(hub=story.hub.root, cache_dir=tmp_path / "cache") as index:
        assert index.search("wombats", mode="keyword").hits[0].name == "fresh"
        assert index.show("fresh").description == "Frobnicate wombats"
    assert "wombats" in hub_index_here("list", cwd=story.hub.root).out


def test_an_open_index_follows_what_is_saved(
    story: BuildStory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `serve` and `mcp` have it open: an edit, a second one of the same size, a new skill, and all of it undone."""
    monkeypatch.setattr("hub_index.search.checkout.edits._LEAST_PAUSE_S", 0.0)
    monkeypatch.setattr("hub_index.search.checkout.edits._IDLE_SHARE", 0)
    file = story.hub.root / "skills/skill-01/SKILL.md"
    before = file.read_text()
    with open_index(hub=story.hub.root, cache_dir=tmp_path / "cache") as index:
        assert first(index, "wombats") == ""
        for word in ("wombats", "badgers"):
            file.write_text(SKILL.format("skill-01", f"Frobnicate {word}", "body"))
            assert first(index, word) == "skill-01"
        assert first(index, "wombats") == ""
        story.hub.write("skills/fresh/SKILL.md", SKILL.format("fresh", "Feed penguins", "body"))
        assert first(index, "penguins") == "fresh"
        file.write_text(before)
        (story.hub.root / "skills/fresh/SKILL.md").unlink()
        assert (first(index, "badgers"), first(index, "penguins")) == ("", "")


def test_a_pause_lies_between_two_looks(story: BuildStory, tmp_path: Path) -> None:
    """So that many requests a second cost few looks; a commit is noticed at once."""
    with open_index(hub=story.hub.root, cache_dir=tmp_path / "cache") as index:
        assert first(index, "wombats") == ""
        story.hub.write("skills/skill-01/SKILL.md", SKILL.format("skill-01", "Frobnicate wombats", "body"))
        assert first(index, "wombats") == ""
        story.hub.commit()
        story.hub.write("skills/skill-01/SKILL.md", SKILL.format("skill-01", "Frobnicate badgers", "body"))
        assert first(index, "badgers") == "skill-01"


def test_a_synced_hub_and_a_no_leave_edits_out(story: BuildStory, tmp_path: Path) -> None:
    """What `sync` keeps is nobody's to write in; `--no-edits` searches what is committed."""
    home = tmp_path / "axon"
    story.hub.commit("index")
    assert hub_index_here("sync", story.hub.root, AXON_HOME=str(home)).code == 0
    for hub in (home / "repo", story.hub.root):
        (hub / "skills/skill-01/SKILL.md").write_text(SKILL.format("skill-01", "Frobnicate wombats", "body"))
    env = {"AXON_HOME": str(home)}
    for hub in (home / "repo", home / "repo/../repo"):
        assert "wombats" not in hub_index_here("list", "--hub", hub, env=env).out
    assert "wombats" not in hub_index_here("list", env=env, cwd=tmp_path).out
    assert "wombats" not in hub_index_here("list", "--hub", story.hub.root, "--no-edits", env=env).out
    assert "wombats" in hub_index_here("list", "--hub", story.hub.root, env=env).out


def test_excluded_and_linked_files_are_no_edits(story: BuildStory, tmp_path: Path) -> None:
    """A new skill counts where a build would take it; nothing outside of the hub is read."""
    story.hub.write("hub-index.toml", 'exclude = ["skills/templates/**"]\n')
    story.hub.commit()
    story.hub.write("skills/templates/x/SKILL.md", SKILL.format("x", "Frobnicate wombats", "body"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text(SKILL.format("y", "Feed penguins", "body"))
    (story.hub.root / "skills/linked").symlink_to(outside)
    (story.hub.root / "skills/skill-02/SKILL.md").unlink()
    (story.hub.root / "skills/skill-02/SKILL.md").symlink_to(outside / "SKILL.md")
    with open_index(hub=story.hub.root, cache_dir=tmp_path / "cache") as index:
        assert (first(index, "wombats"), first(index, "penguins")) == ("", "")


def test_a_touched_file_is_read_once_and_is_no_edit(
    story: BuildStory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copied checkout has other times and the same bytes: these are compared once, then remembered."""
    hub, cache = str(story.hub.root), str(tmp_path / "cache")
    old = time.time() - 60
    for file in story.hub.root.glob("skills/*/SKILL.md"):
        os.utime(file, (old, old))
    state = read_state(hub).stamp
    assert find_edits(hub, cache, state).count == 0
    monkeypatch.setattr("hub_index.search.checkout.edits.read_below", None)  # reading again would fail
    assert find_edits(hub, cache, state).count == 0
