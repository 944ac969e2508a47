"""F15 and F16: a name that differs from its folder, and names or descriptions that are not there."""

import pytest
from support.hubs.skill_reader import parse_text, read_skill, skill_file, skill_md

from hub_index.hub.lint import check_specification


def test_f15_the_folder_is_the_id_and_another_name_is_reported() -> None:
    """The record keeps the author's name; the specification's rule is told with what to write."""
    content = skill_md("name: log-sorter", "description: Sorts old log files into folders.")
    parsed = parse_text(content, "ann/tidy-logs")
    skill = read_skill(content, "ann/tidy-logs")
    assert (skill.id, skill.name) == ("ann/tidy-logs", "log-sorter")
    file = skill_file("ann/tidy-logs")
    problems = {problem.code: problem for problem in check_specification(file, skill, parsed.lines)}
    assert problems["name-not-folder"].level == "advice"
    assert problems["name-not-folder"].fix == "write `name: tidy-logs`"


@pytest.mark.parametrize("name", [[], ["name:"], ["name: ''"], ["name: ~"], ['name: "  "'], ["name: '\u200b'"]])
def test_f16_a_missing_name_is_the_folder_s(name: list[str]) -> None:
    """The last part of the id stands in, and the author is told which line to write."""
    parsed = parse_text(skill_md(*name, "description: Sorts files."), "ann/tidy-logs")
    assert parsed.skill is not None
    assert parsed.skill.name == "tidy-logs"
    report = next(problem for problem in parsed.problems if problem.code.startswith("name-"))
    assert report.fix == "write `name: tidy-logs`"


@pytest.mark.parametrize(
    "description", [[], ["description:"], ["description: ''"], ["description: []"], ["description: >-"]]
)
def test_f16_a_missing_description_is_the_first_paragraph(description: list[str]) -> None:
    """The first readable line stands in and the line to write is given."""
    parsed = parse_text(skill_md("name: a", *description, body="# Title\n\n---\n\nSorts files.\n"))
    assert parsed.skill is not None
    assert parsed.skill.description == "Sorts files."
    report = next(
        problem for problem in parsed.problems if problem.code in ("description-missing", "description-empty")
    )
    assert report.fix == 'write description: "Sorts files."'


@pytest.mark.parametrize(
    "content",
    ["---\nname: a\n---\n---\n", "---\nname: a\n---\n***\n===\n", "---\nname: a\n---\n```\n```\n", "---\nname: a\n"],
)
def test_f16_a_placeholder_is_never_a_description(content: str) -> None:
    """Rules and fences are not text: the name says more."""
    assert read_skill(content).description == "a"
