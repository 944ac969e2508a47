"""Texts in the place of skills: each gets a hint where to put it, and a hub's own notes get none."""

import time

import pytest

from hub_index.hub.config import HubConfig
from hub_index.hub.tree.listing import select_files
from hub_index.models import Problem, TreeEntry


def hints(*paths: str, config: HubConfig | None = None) -> list[Problem]:
    """The hints for a tree of these files, beside `skills/one/SKILL.md`."""
    entries = [TreeEntry("100644", "b" * 40, 1, path) for path in ("skills/one/SKILL.md", *paths)]
    return [
        problem
        for problem in select_files(entries, config or HubConfig()).problems
        if problem.code in ("file-flat", "readme-only")
    ]


def test_a_text_directly_in_a_root_is_told_its_folder() -> None:
    """The hint is the path to move it to."""
    (problem,) = hints("skills/flat.md")
    assert (problem.level, problem.path, problem.line, problem.code) == ("advice", "skills/flat.md", 0, "file-flat")
    assert problem.reason.startswith("not indexed")
    assert problem.fix == "move it to skills/flat/SKILL.md"


def test_a_folder_with_a_readme_only_is_told_to_rename_it() -> None:
    """Other files beside it change nothing; a README.md further inside belongs to the same folder."""
    (problem,) = hints("skills/two/README.md", "skills/two/run.py", "skills/two/more/README.md")
    assert (problem.level, problem.path, problem.code) == ("advice", "skills/two/README.md", "readme-only")
    assert "rename README.md to SKILL.md" in problem.fix


def test_a_hub_of_flat_texts_only_learns_it() -> None:
    """Without any SKILL.md the folder `skills` is still looked into."""
    entries = [TreeEntry("100644", "b" * 40, 1, path) for path in ("skills/flat.md", "README.md", "docs/x/README.md")]
    assert [problem.path for problem in select_files(entries, HubConfig()).problems] == ["skills/flat.md"]


def test_roots_that_a_hub_has_set_are_looked_into() -> None:
    """And nothing else is."""
    found = hints("agents/flat.md", "agents/x/SKILL.md", "other/flat.md", config=HubConfig(roots=("skills", "agents")))
    assert [problem.fix for problem in found] == ["move it to agents/flat/SKILL.md"]


@pytest.mark.parametrize(
    "path",
    [
        "skills/README.md", "skills/readme.zh-CN.md", "skills/README_CN.md", "skills/index.md",
        "skills/CONTRIBUTING.md", "skills/LICENSE.md", "skills/AGENTS.md", "skills/SKILLS.md", "skills/SKILL.md",
        "skills/_draft.md", "skills/.notes.md", "skills/one.md", "skills/flat.txt", "skills/one/notes.md",
        "skills/one/README.md", "skills/one/references/README.md", "skills/docs/README.md",
        "skills/.github/README.md", "README.md", "flat.md", "docs/flat.md", "docs/x/README.md",
        "search/README.md", "workflows/README.md",
    ],
)  # fmt: skip
def test_notes_catalogues_and_what_belongs_to_a_skill_get_no_hint(path: str) -> None:
    """Nobody meant them as skills of their own."""
    assert not hints(path)


def test_a_folder_that_groups_skills_may_have_a_readme() -> None:
    """At any depth above them; and what is excluded is not mentioned."""
    config = HubConfig(exclude=("skills/old",))
    assert not hints(
        "skills/group/README.md",
        "skills/group/deep/README.md",
        "skills/group/deep/two/SKILL.md",
        "skills/old/README.md",
        config=config,
    )


def test_a_folder_whose_skill_has_another_problem_has_only_that() -> None:
    """A link, which is followed later, or a name that is nearly right needs no hint beside it."""
    assert not hints("skills/two/SKILLS.md", "skills/two/README.md")
    assert not hints("skills/two/skill.txt", "skills/two/README.md")
    entries = [
        TreeEntry("120000", "b" * 40, 1, "skills/x/SKILL.md"),
        TreeEntry("100644", "b" * 40, 1, "skills/x/README.md"),
    ]
    assert not select_files(entries, HubConfig()).problems


def test_texts_beside_a_skill_in_the_root_itself_belong_to_it() -> None:
    """`skills/SKILL.md` is a skill whose files lie around it; `skills/SKILLS.md` is a list."""
    assert not hints("skills/SKILL.md", "skills/flat.md")
    assert len(hints("skills/SKILLS.md", "skills/flat.md")) == 1


def test_many_are_one_problem_with_their_count() -> None:
    """Ten are named one by one, eleven are not."""
    assert len(hints(*[f"skills/flat{n}.md" for n in range(10)])) == 10
    flat, readmes = hints(
        *[f"skills/flat{n:02}.md" for n in range(11)], *[f"skills/folder{n:02}/README.md" for n in range(1_200)]
    )
    assert (flat.path, flat.code) == ("skills", "file-flat")
    assert "11 texts" in flat.reason
    assert "skills/flat00.md" in flat.reason
    assert flat.fix == "if they are skills, move each to skills/NAME/SKILL.md"
    assert (readmes.path, readmes.code) == ("skills", "readme-only")
    assert "1,200 folders" in readmes.reason


def test_looking_for_them_stays_linear() -> None:
    """100,000 texts take a moment."""
    paths = [f"skills/g{n % 97}/f{n}/README.md" for n in range(50_000)] + [f"skills/t{n}.md" for n in range(50_000)]
    started = time.process_time()
    assert len(hints(*paths)) == 2
    assert time.process_time() - started < 4
