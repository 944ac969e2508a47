"""F06: a fence is a whole line, and an open one ends where the fields end."""

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill


@pytest.mark.parametrize(
    "description", ["before --- after", "--- first", "ends with ---", "a----b", '"---"', "'--- x'"], ids=repr
)
def test_f06_dashes_inside_a_description_are_text(description: str) -> None:
    """The whole description is kept, and what comes after it too."""
    content = f"---\nname: dd\ndescription: {description}\ntags: x\n---\n# Body\n"
    skill = read_skill(content)
    assert skill.description == description.strip("\"'")
    assert skill.keywords == ("x",)
    assert problem_codes(content) == []


def test_f06_an_indented_rule_in_a_block_scalar_is_text() -> None:
    """`---` below `|` belongs to the description."""
    skill = read_skill("---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nBody.\n")
    assert (skill.description, skill.body) == ("one\n---\ntwo", "Body.")


@pytest.mark.parametrize("fence", ["---", "--- ", "---\t"])
def test_f06_spaces_after_a_fence_do_no_harm(fence: str) -> None:
    """A fence with trailing blanks closes."""
    skill = read_skill(f"---\nname: a\ndescription: b\n{fence}\nBody.\n")
    assert (skill.description, skill.body) == ("b", "Body.")


@pytest.mark.parametrize(
    ("rest", "body"),
    [
        ("body\n", "body"),
        ("\n# Title\n\nText.\n", "# Title\n\nText."),
        ("", ""),
        ("\nUsage: run it\n", "Usage: run it"),
        ("* point\n", "* point"),
    ],
)
def test_f06_an_open_frontmatter_ends_before_the_first_line_that_is_no_field(rest: str, body: str) -> None:
    """Fields and their continuations are read, the rest is the body, and the missing fence is reported."""
    content = f"---\nname: nc\ndescription: never\n  closed\ntags:\n  - t\n{rest}"
    parsed = parse_text(content)
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description, parsed.skill.keywords) == ("nc", "never closed", ("t",))
    assert parsed.skill.body == body
    (problem,) = parsed.problems
    assert (problem.code, problem.line) == ("fence-unclosed", 7)


def test_f06_a_rule_in_the_body_does_not_close_an_open_frontmatter() -> None:
    """Text and a rule further down are body, though the rule looks like the missing fence."""
    content = "---\nname: a\ndescription: b\n\n# Title\n\nSome text.\n\n---\n\nMore.\n"
    skill = read_skill(content)
    assert (skill.name, skill.description) == ("a", "b")
    assert skill.body == "# Title\n\nSome text.\n\n---\n\nMore."
    assert problem_codes(content) == ["fence-unclosed"]


def test_f06_a_rule_after_a_heading_is_no_frontmatter() -> None:
    """Only a block with name or description counts as frontmatter once other text came first."""
    content = "# Title\n\n---\n\n## Part\n\nSome text.\n\n---\n\nMore.\n"
    assert read_skill(content).description == "Some text."
    assert problem_codes(content) == ["frontmatter-missing"]
