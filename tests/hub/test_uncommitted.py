"""Skills that nobody committed: one line says how many and names the first, wherever a hub is read."""

import json
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ShrinkRefused
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.hub.uncommitted import uncommitted_files, uncommitted_notice

ONE = "1 skill is not committed (new or changed: skills/new/SKILL.md): only commits are read; `git add` and commit it"
THREE = (
    "3 skills are not committed (new or changed: skills/skill-00/SKILL.md, skills/staged/SKILL.md, "
    "skills/新的/ unknown/SKILL.md): only commits are read; `git add` and commit them"
)


@pytest.fixture
def story(tmp_path: Path) -> BuildStory:
    """A committed hub of two skills."""
    return make_story(tmp_path / "hub", skills=2)


def count(hub: Path, rev: str = "HEAD") -> int:
    """What the hub's maintainer would be told."""
    repo = open_repository(hub)
    with uncommitted_files(repo, rev) as uncommitted:
        return len(uncommitted.find_skills(read_hub(repo, rev).config))


def leave_three_uncommitted(story: BuildStory) -> None:
    """One that git does not know, one that is staged, one that is edited."""
    story.hub.skill("staged")
    story.hub.git("add", "skills/staged")
    story.hub.skill("新的/ unknown")
    story.hub.skill("skill-00", "Does another thing.")


def test_new_staged_and_edited_skills_count_once_each(story: BuildStory) -> None:
    """Also one that was staged and edited again; a skill that was only deleted is not new or changed."""
    assert count(story.hub.root) == 0
    leave_three_uncommitted(story)
    story.hub.skill("staged", "Edited again.")
    (story.hub.root / "skills/skill-01/SKILL.md").unlink()
    assert count(story.hub.root) == 3


def test_only_what_would_be_indexed_counts(story: BuildStory) -> None:
    """Not ignored files, other files, files outside of the roots or excluded; a workflow does."""
    story.hub.write("hub-index.toml", 'roots = ["skills"]\nexclude = ["skills/old/**"]\n')
    story.hub.write(".gitignore", "skills/ignored/\n")
    story.hub.commit("settings")
    for path in ("skills/ignored/SKILL.md", "skills/old/x/SKILL.md", "skills/x/notes.md", "x/SKILL.md", "README.md"):
        story.hub.write(path, "# X\n")
    assert count(story.hub.root) == 0
    story.hub.write("workflows/deploy.md", "# Deploy\n")
    assert count(story.hub.root) == 1


def test_another_revision_and_a_bare_repository_have_no_work_tree(story: BuildStory, tmp_path: Path) -> None:
    """What is checked out says nothing of them; a touched file is no change."""
    leave_three_uncommitted(story)
    assert count(story.hub.root, "HEAD~0") == 0
    story.hub.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert count(tmp_path / "bare.git") == 0
    story.hub.git("clone", "-q", ".", str(tmp_path / "clone"))
    (tmp_path / "clone/skills/skill-00/SKILL.md").touch()
    assert count(tmp_path / "clone") == 0


def test_a_hub_in_a_folder_counts_its_own(tmp_path: Path) -> None:
    """Paths are the hub's, and what lies beside it is another's."""
    story = make_story(tmp_path / "all", skills=1)
    for hub in ("first", "second"):
        story.hub.write(f"{hub}/skills/a/SKILL.md", "# A\n")
    story.hub.commit("hubs")
    for path in ("first/skills/b/SKILL.md", "second/skills/b/SKILL.md", "skills/b/SKILL.md"):
        story.hub.write(path, "# B\n")
    assert count(story.hub.root / "first") == 1


def test_a_broken_work_tree_keeps_nobody_from_building(story: BuildStory) -> None:
    """git cannot read its index: the commit is built, and nothing is said."""
    (story.hub.root / ".git/index").write_bytes(b"broken")
    assert count(story.hub.root) == 0
    assert story.build().skills == 2


def test_the_line_is_english_and_short() -> None:
    """One skill is, many skills are, no skill is no line; of many the first three are named, in plain letters."""
    assert [uncommitted_notice(paths) for paths in ([], ["skills/new/SKILL.md"])] == ["", ONE]
    line = uncommitted_notice(["a\n\x1b[1m", "b" * 5_000, *"cde"])
    assert line.startswith("5 skills are not committed (new or changed: a\\x0a\\x1b[1m, bbb")
    assert "…, c and 2 more): only" in line
    assert len(line) < 400


def test_build_plan_and_lint_say_so(story: BuildStory) -> None:
    """A new index, an unchanged one, a plan; in JSON as a number too."""
    leave_three_uncommitted(story)
    for verb in ("plan", "build", "build", "lint"):
        assert hub_index_here(verb, story.hub.root).err == f"note: {THREE}\n"
        said = json.loads(hub_index_here(verb, story.hub.root, "--json").out)
        assert said["uncommitted"] == 3
        assert verb == "lint" or THREE in said["notices"]
    assert hub_index_here("build", story.hub.root, "--commit").err == f"note: {THREE}\n"
    assert hub_index_here("lint", story.hub.root, "--rev", "main").err == ""


def test_the_doctor_says_so(story: BuildStory) -> None:
    """Beside the number of files; it is not a fault."""
    story.hub.skill("new")
    found = json.loads(hub_index_here("doctor", "--json", "--hub", story.hub.root).out)["findings"]
    (hub,) = [finding for finding in found if finding["what"] == "hub"]
    assert hub["state"] == "ok"
    assert hub["detail"].endswith(f"; {ONE}")


def test_a_hub_whose_skills_are_all_uncommitted_is_told_so(tmp_path: Path) -> None:
    """An empty index is not what it wants."""
    story = make_story(tmp_path / "hub", skills=0)
    story.hub.skills(3)
    with pytest.raises(ShrinkRefused) as refused:
        story.build()
    assert str(refused.value).startswith("the hub has no skill in its commits: 3 skills are not committed (new or")
