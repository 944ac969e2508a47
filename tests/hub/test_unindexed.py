"""What a listing passes over: each file that somebody may have meant as a skill is named, with what to do."""

import time

import pytest

from hub_index.hub.config import HubConfig, parse_config
from hub_index.hub.tree.listing import select_files
from hub_index.models import Problem, TreeEntry

LINK, SUBMODULE = "120000", "160000"


def reports(*paths: str, config: HubConfig | None = None) -> list[Problem]:
    """The problems of a tree; `link:` and `module:` before a path give its mode."""
    modes = {"link": LINK, "module": SUBMODULE}
    entries = []
    for path in paths:
        kind, colon, name = path.partition(":")
        entries.append(TreeEntry(modes[kind] if colon else "100644", "b" * 40, 1, name if colon else path))
    return list(select_files(entries, config or HubConfig()).problems)


def briefly(problems: list[Problem]) -> list[tuple[str, str, str]]:
    """Level, path and code of each."""
    return [(problem.level, problem.path, problem.code) for problem in problems]


def test_skills_beside_the_skills_folder_are_named_with_the_line_that_would_add_them() -> None:
    """Only one root is read; the problem names each skill outside of it."""
    problems = reports(
        "skills/one/SKILL.md", "plugins/p/skills/two/SKILL.md", ".claude/skills/three/skill.md", "lone/SKILL.md"
    )
    assert briefly(problems) == [
        ("advice", ".claude/skills/three/skill.md", "outside-roots"),
        ("advice", "lone/SKILL.md", "outside-roots"),
        ("advice", "plugins/p/skills/two/SKILL.md", "outside-roots"),
    ]
    assert problems[0].reason == "not indexed: it lies outside of the hub's roots (skills)"
    assert 'roots = ["skills", ".claude/skills"]' in problems[0].fix
    assert 'roots = ["skills", "lone"]' in problems[1].fix
    assert 'roots = ["skills", "plugins/p/skills"]' in problems[2].fix
    assert 'exclude = ["plugins/p/skills"]' in problems[2].fix


def test_the_line_that_is_shown_is_one_that_the_settings_accept_and_that_brings_the_skill_in() -> None:
    """Folders inside one another are covered by the outermost: roots may not overlap."""
    paths = ("skills/one/SKILL.md", "a/b/SKILL.md", "a/b/c/d/SKILL.md", 'q"q/x/SKILL.md')
    for problem in reports(*paths):
        line = problem.fix[problem.fix.index("roots = ") :].partition("]")[0] + "]"
        config = parse_config(line.encode())
        files = select_files([TreeEntry("100644", "b" * 40, 1, path) for path in paths], config).files
        assert problem.path in [file.file for file in files]
    assert {problem.fix for problem in reports(*paths[:3])} == {reports(*paths[:3])[0].fix}


def test_a_skill_at_the_hub_s_own_root_can_only_be_had_by_searching_the_whole_hub() -> None:
    """No second root may stand beside the hub itself."""
    (problem,) = reports("skills/one/SKILL.md", "SKILL.md")
    assert (problem.path, problem.code) == ("SKILL.md", "outside-roots")
    assert 'roots = ["."]' in problem.fix
    assert 'exclude = ["SKILL.md"]' in problem.fix


def test_outside_of_roots_what_is_excluded_or_in_the_index_folder_or_a_document_is_not_named() -> None:
    """Nor is a link, which is mostly a second way to a skill that is indexed."""
    config = HubConfig(exclude=("old",))
    assert not reports(
        "skills/one/SKILL.md",
        "old/two/SKILL.md",
        "search/SKILL.md",
        "workflows/x/SKILL.md",
        "link:.claude/skills/one/SKILL.md",
        "docs/notes/README.md",
        config=config,
    )


def test_roots_that_a_hub_has_set_are_its_own_choice() -> None:
    """Whoever wrote `roots` knows what is outside of them."""
    assert not reports("skills/one/SKILL.md", "other/two/SKILL.md", config=HubConfig(roots=("skills",)))


@pytest.mark.parametrize("path", ["skills/node.js", "skills/v1.2", "skills/plain", "skills/group/socket.io"])
def test_a_link_that_may_be_a_folder_is_named_whatever_its_name(path: str) -> None:
    """A dot in its name does not make it a file."""
    assert briefly(reports("skills/one/SKILL.md", f"link:{path}")) == [("advice", path, "symbolic-link-skipped")]


def test_a_linked_text_is_not_a_folder() -> None:
    """README.md is linked often, and folders are not called so."""
    assert not reports("skills/one/SKILL.md", "link:skills/README.md")


def test_links_inside_a_skill_are_left_to_it_but_submodules_are_not() -> None:
    """A submodule is another repository, which may hold skills of its own at any depth."""
    problems = reports("skills/one/SKILL.md", "link:skills/one/data", "module:skills/one/vendor")
    assert briefly(problems) == [("advice", "skills/one/vendor", "submodule-skipped")]


def test_a_skill_at_the_root_folder_silences_nothing() -> None:
    """All of the hub's skills lie below `skills/SKILL.md`; links among them do not belong to it."""
    problems = reports("skills/SKILL.md", "skills/one/SKILL.md", "link:skills/two", "link:skills/one/data")
    assert briefly(problems) == [("advice", "skills/two", "symbolic-link-skipped")]


def test_links_and_submodules_among_workflows_and_commands_are_named() -> None:
    """There too nothing behind them is read, and the folders themselves may be links."""
    problems = reports("skills/one/SKILL.md", "module:commands/shared", "link:workflows", "link:docs/latest")
    assert briefly(problems) == [
        ("advice", "commands/shared", "submodule-skipped"),
        ("advice", "workflows", "symbolic-link-skipped"),
    ]


def test_a_root_that_is_itself_behind_a_link_or_submodule_is_named() -> None:
    """Both the empty root and the reason for it are reported."""
    config = HubConfig(roots=("skills", "lib/skills"))
    problems = reports("skills/one/SKILL.md", "module:lib", config=config)
    assert briefly(problems) == [("warning", "hub-index.toml", "root-empty"), ("advice", "lib", "submodule-skipped")]
    problems = reports("other/SKILL.md", "link:skills", config=HubConfig(roots=("skills",)))
    assert [problem.code for problem in problems] == ["root-empty", "symbolic-link-skipped"]


def test_links_that_are_excluded_or_in_the_index_folder_are_not_named() -> None:
    """Neither can hold anything to index."""
    config = HubConfig(exclude=("skills/old",))
    assert not reports("skills/one/SKILL.md", "link:skills/old/x", config=config)
    assert not reports("one/SKILL.md", "link:search/latest")


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
    problems = reports("skills/one/SKILL.md", "link:more/a/SKILL.md", config=config)
    assert [problem.code for problem in problems] == ["not-a-file"]


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
    assert len(reports(*paths)) == 100_000
    assert time.process_time() - started < 4
