"""F80: a folder whose name imitates another record's id; the record that the id belongs to stays."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builds.build_story import make_story

from hub_index.hub.config import HubConfig
from hub_index.hub.tree.listing import Listing, select_files
from hub_index.index.format.records import problem_with
from hub_index.models import TreeEntry

WHOLE = HubConfig(roots=("",))


def _select(*paths: str, config: HubConfig | None = None) -> Listing:
    entries = [TreeEntry("100644", "b" * 40, 1, path) for path in paths]
    return select_files(entries, config or HubConfig())


def _files(listing: Listing) -> dict[str, str]:
    return {file.id: file.file for file in listing.files}


@pytest.mark.parametrize(
    ("skill", "document"),
    [
        ("skills/workflows:deploy/SKILL.md", "workflows/deploy.md"),
        ("skills/commands:deploy/SKILL.md", "commands/deploy.md"),
        ("skills/workflows:sub:deploy/SKILL.md", "workflows/sub/deploy.md"),
        ("skills/workflows:deploy/skill.md", "workflows/deploy.MD"),
        (f"skills/workflows:{unicodedata.normalize('NFD', 'café')}/SKILL.md", "workflows/café.md"),
        ("skills/workflows:café/SKILL.md", f"workflows/{unicodedata.normalize('NFD', 'café')}.md"),
    ],
)
def test_f80_a_skill_cannot_take_the_id_of_a_document(skill: str, document: str) -> None:
    """The document is indexed; the skill is an error that says what to rename, whether or not the document is there."""
    listing = _select(skill, document)
    assert list(_files(listing).values()) == [document]
    (problem,) = listing.problems
    assert (problem.level, problem.code, problem.path) == ("error", "name-refused", skill)
    assert "belongs to a workflow, command or agent" in problem.reason
    assert "rename" in problem.fix
    assert list(_files(_select(skill, "skills/other/SKILL.md"))) == ["other"]


@pytest.mark.parametrize("config", [WHOLE, HubConfig(roots=("more", "skills"))])
def test_f80_wherever_the_hub_looks_for_skills(config: HubConfig) -> None:
    """The same in a hub searched whole; with a root in front of it the id is another one, and harmless."""
    listing = _select(
        "workflows:deploy/SKILL.md", "skills/workflows:deploy/SKILL.md", "workflows/deploy.md", config=config
    )
    assert _files(listing) == {
        "workflows:deploy": "workflows/deploy.md",
        "skills/workflows:deploy": "skills/workflows:deploy/SKILL.md",
    }


def test_f80_a_skill_below_workflows_keeps_its_own_id() -> None:
    """In a hub searched whole `workflows/deploy/SKILL.md` is a skill, and no document's id can be like its own."""
    listing = _select("workflows/deploy/SKILL.md", "workflows/deploy.md", "workflows/SKILL.md", config=WHOLE)
    assert sorted(_files(listing)) == ["workflows", "workflows/deploy", "workflows:deploy"]
    assert not listing.problems


@pytest.mark.parametrize("name", ["skill.md", "SKILL.md"])
def test_f80_the_skill_at_the_root_keeps_the_id_root(name: str) -> None:
    """A folder that is called root does not push it out, however the file is spelled; it is reported."""
    listing = _select(name, "root/SKILL.md", config=WHOLE)
    assert _files(listing) == {"root": name}
    assert [(problem.path, problem.code) for problem in listing.problems] == [("root/SKILL.md", "duplicate-id")]


def test_f80_an_id_that_is_a_path_belongs_to_that_path() -> None:
    """Below the first root a folder may be called as the second root; the skill in the second root stays."""
    listing = _select("a/more/x/SKILL.md", "more/x/SKILL.md", config=HubConfig(roots=("a", "more")))
    assert _files(listing) == {"more/x": "more/x/SKILL.md"}
    assert [(problem.path, problem.code) for problem in listing.problems] == [("a/more/x/SKILL.md", "duplicate-id")]


@pytest.mark.parametrize("path", ["skills/workflows:x", "workflows:x", "commands/workflows:x"])
def test_f80_a_reader_refuses_a_document_s_id_at_a_skill_s_path(path: str) -> None:
    """What no build would write, an index of somebody else's may not claim either."""
    assert problem_with("workflows:x", path) == "path is not the place of the workflow, command or agent in the id"
    assert problem_with("workflows:x", "workflows") == ""
    assert problem_with("workflows:x/y", "skills/workflows:x/y") == ""  # no document's id holds a slash
    assert problem_with("Workflows:x", "skills/Workflows:x") == ""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["workflows", "commands", "deploy", ":", ":", "/", "é", "e\u0301"]), max_size=6))
def test_f80_both_sides_agree(parts: list[str]) -> None:
    """Whatever a folder is called: it is listed if and only if a reader accepts its record."""
    name = "".join(parts).strip("/") or "x"
    if "//" in name:
        return
    listing = _select(f"skills/{name}/SKILL.md")
    identity = unicodedata.normalize("NFC", name)
    assert bool(listing.files) == (problem_with(identity, f"skills/{name}") == "")


def test_f80_the_workflow_stays_in_the_built_index(tmp_path: Path) -> None:
    """From a real hub: the record with the id of the workflow is the workflow's."""
    story = make_story(tmp_path / "hub", skills=1)
    story.hub.write("workflows/deploy.md", "---\nname: deploy\ndescription: The real one.\n---\n")
    story.hub.skill("workflows:deploy", "An impostor.")
    story.hub.commit("impostor")
    report = story.build()
    record = next(record for record in story.records() if record["id"] == "workflows:deploy")
    assert (record["path"], record["description"]) == ("workflows", "The real one.")
    assert [problem.path for problem in report.problems if problem.level == "error"] == [
        "skills/workflows:deploy/SKILL.md"
    ]
