"""What a listing passes over: each file that somebody may have meant as a skill is named, with what to do."""

import time

import pytest

from hub_index.hub.config import HubConfig
from hub_index.hub.tree.listing import select_files
from hub_index.models import Problem, TreeEntry

LINK, SUBMODULE = "120000", "160000"


def entries_of(*paths: str) -> list[TreeEntry]:
    """A tree; `link:` and `module:` before a path give its mode."""
    modes = {"link": LINK, "module": SUBMODULE}
    entries = []
    for path in paths:
        kind, colon, name = path.partition(":")
        entries.append(TreeEntry(modes[kind] if colon else "100644", "b" * 40, 1, name if colon else path))
    return entries


def reports(*paths: str, config: HubConfig | None = None) -> list[Problem]:
    """The problems of such a tree, in order."""
    problems = select_files(entries_of(*paths), config or HubConfig()).problems
    return sorted(problems, key=lambda problem: (problem.path, problem.code))


def briefly(problems: list[Problem]) -> list[tuple[str, str, str]]:
    """Level, path and code of each."""
    return [(problem.level, problem.path, problem.code) for problem in problems]


def links_of(*paths: str, config: HubConfig | None = None) -> list[str]:
    """The links whose targets must be looked at."""
    return [entry.path for entry in select_files(entries_of(*paths), config or HubConfig()).links]


@pytest.mark.parametrize("path", ["skills/node.js", "skills/v1.2", "skills/plain", "skills/group/socket.io"])
def test_a_link_that_may_be_a_folder_is_looked_at_whatever_its_name(path: str) -> None:
    """A dot in its name does not make it a file."""
    assert links_of("skills/one/SKILL.md", f"link:{path}") == [path]


def test_a_linked_text_is_not_a_folder() -> None:
    """README.md is linked often, and folders are not called so."""
    assert not links_of("skills/one/SKILL.md", "link:skills/README.md")


def test_links_inside_a_skill_are_left_to_it_but_submodules_are_not() -> None:
    """A submodule is another repository, which may hold skills of its own at any depth."""
    paths = ("skills/one/SKILL.md", "link:skills/one/data", "module:skills/one/vendor")
    assert briefly(reports(*paths)) == [("advice", "skills/one/vendor", "submodule-skipped")]
    assert links_of(*paths) == []


def test_a_skill_at_the_root_folder_silences_nothing() -> None:
    """All of the hub's skills lie below `skills/SKILL.md`; links among them do not belong to it."""
    assert links_of("skills/SKILL.md", "skills/one/SKILL.md", "link:skills/two", "link:skills/one/data") == [
        "skills/two"
    ]


def test_links_and_submodules_among_workflows_and_commands_are_looked_at() -> None:
    """There too nothing behind them is read, and the folders themselves may be links."""
    paths = ("skills/one/SKILL.md", "module:commands/shared", "link:workflows", "link:docs/latest")
    assert briefly(reports(*paths)) == [("advice", "commands/shared", "submodule-skipped")]
    assert links_of(*paths) == ["workflows"]


def test_a_root_that_is_itself_behind_a_link_or_submodule_is_named() -> None:
    """Both the empty root and the reason for it are reported."""
    config = HubConfig(roots=("skills", "lib/skills"))
    problems = reports("skills/one/SKILL.md", "module:lib", config=config)
    assert briefly(problems) == [("warning", "hub-index.toml", "root-empty"), ("advice", "lib", "submodule-skipped")]
    config = HubConfig(roots=("skills",))
    assert [problem.code for problem in reports("other/SKILL.md", "link:skills", config=config)] == ["root-empty"]
    assert links_of("other/SKILL.md", "link:skills", config=config) == ["skills"]


def test_links_that_are_excluded_or_in_the_index_folder_are_not_looked_at() -> None:
    """Neither can hold anything to index."""
    config = HubConfig(exclude=("skills/old",))
    assert not links_of("skills/one/SKILL.md", "link:skills/old/x", config=config)
    assert not links_of("one/SKILL.md", "link:search/latest")


def test_a_root_without_a_skill_is_named() -> None:
    """A wrong letter in `roots` loses every skill of that folder."""
    (problem,) = reports("skills/one/SKILL.md", "skills2/two/SKILL.md", config=HubConfig(roots=("skills", "skils2")))
    assert (problem.level, problem.path, problem.code) == ("warning", "hub-index.toml", "root-empty")
    assert "`skils2`" in problem.reason
    (problem,) = reports("README.md", config=HubConfig(roots=("",)))
    assert "`.`" in problem.reason


def test_a_root_whose_skills_all_have_problems_is_not_empty() -> None:
    """They are reported one by one already."""
    config = HubConfig(roots=("skills", "more"))
    assert not reports("skills/one/SKILL.md", "link:more/a/SKILL.md", config=config)
    assert links_of("skills/one/SKILL.md", "link:more/a/SKILL.md", config=config) == ["more/a/SKILL.md"]


def test_an_exclude_that_leaves_nothing_out_is_named() -> None:
    """A place that is not there is a mistake or a leftover; `**/…` may wait for its first match."""
    config = HubConfig(exclude=("skills/old", "skills/gone", "**/draft-*", "skills/linked", "more"))
    problems = reports(
        "skills/one/SKILL.md",
        "skills/old/two/SKILL.md",
        "link:skills/linked",
        "more/x/SKILL.md",
        config=config,
    )
    assert briefly(problems) == [("advice", "hub-index.toml", "exclude-unused")]
    assert "`skills/gone`" in problems[0].reason


@pytest.mark.parametrize(
    "name", ["SKILLS.md", "SKILL.markdown", "SKILL.md.txt", "skill.mdx", "Skills.MD", "skill.txt", "SKILL.md.md"]
)
def test_a_name_that_is_nearly_right_is_named(name: str) -> None:
    """The folder has no SKILL.md, so this was meant as one."""
    (problem,) = reports("skills/one/SKILL.md", f"skills/two/{name}")
    assert (problem.level, problem.path, problem.code) == ("advice", f"skills/two/{name}", "file-name-near")
    assert problem.reason.startswith("not indexed")
    assert "SKILL.md" in problem.fix


def test_a_name_that_is_nearly_right_is_left_alone_where_a_skill_is_near() -> None:
    """Beside a SKILL.md, inside a skill, above the skills that it may list, excluded, or outside of the roots."""
    config = HubConfig(exclude=("skills/old",))
    assert not reports(
        "skills/one/SKILL.md",
        "skills/one/SKILLS.md",
        "skills/one/references/skill.txt",
        "skills/ann/two/SKILL.md",
        "skills/ann/SKILLS.md",
        "skills/SKILLS.md",
        "skills/old/SKILLS.md",
        "docs/SKILLS.md",
        "skills/three/skillful.md",
        config=config,
    )


def test_a_hub_of_nothing_but_near_names_learns_it() -> None:
    """Nothing is indexed, and the listing says why."""
    assert briefly(reports("skills/one/SKILLS.md", "two/skill.mdx")) == [
        ("advice", "skills/one/SKILLS.md", "file-name-near"),
        ("advice", "two/skill.mdx", "file-name-near"),
    ]


def test_looking_for_what_is_passed_over_stays_linear() -> None:
    """50,000 skills outside of the root, as many near names and links, are reported in a moment."""
    paths = [f"skills/s{n}/SKILL.md" for n in range(10_000)]
    paths += [f"more/m{n % 97}/o{n}/SKILL.md" for n in range(50_000)]
    paths += [f"skills/near{n}/SKILLS.md" for n in range(25_000)] + [f"link:skills/link{n}" for n in range(25_000)]
    started = time.process_time()
    assert len(reports(*paths)) == 25_000
    assert time.process_time() - started < 4
