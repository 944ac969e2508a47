"""Frontmatter beyond the caps: said once, truly, and name and description are found all the same."""

import time

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill, skill_md

from hub_index.limits import MAX_FRONTMATTER_CHARS, MAX_SKILL_BYTES, MAX_YAML_NODES

MANY = [f"k{number}: v" for number in range(60_000)]
LONG = "x" * MAX_FRONTMATTER_CHARS


def test_name_and_description_are_found_behind_any_number_of_fields() -> None:
    """60,000 fields before them, no text below: one problem, and it is true."""
    content = "\n".join(["---", *MANY, "name: c", "description: fine", "---", ""])
    parsed = parse_text(content)
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("c", "fine")
    (problem,) = parsed.problems
    assert (problem.level, problem.line, problem.code) == ("warning", 2, "frontmatter-too-large")
    assert f"{MAX_FRONTMATTER_CHARS:,}" in problem.reason


@pytest.mark.parametrize("count", [MAX_YAML_NODES + 10, 5_500])
def test_more_values_than_yaml_is_asked_for(count: int) -> None:
    """Short lines, thousands of them: no value is called wrong that is not."""
    content = skill_md(*MANY[:count], "name: d", "description: fine")
    skill = read_skill(content)
    assert (skill.name, skill.description) == ("d", "fine")
    assert problem_codes(content) == ["frontmatter-too-large"]


def test_one_list_of_too_many_values_is_not_called_broken() -> None:
    """A long list is not a text that needs quotes."""
    content = skill_md("name: a", "description: b", "x: [" + "1," * 10_001 + "]")
    assert problem_codes(content) == ["frontmatter-too-large"]
    assert problem_codes(skill_md("name: a", "description: b", "x: " + "[" * 33 + "]" * 33)) == ["yaml-too-deep"]


def test_a_broken_value_in_large_frontmatter_is_still_reported() -> None:
    """Where YAML was asked about a field and refused it, its author is told."""
    content = skill_md("name: a", "description: Use when: needed", *MANY)
    assert problem_codes(content) == ["frontmatter-too-large", "yaml-colon"]
    content = skill_md(*MANY, "description: Use when: needed", "name: a")
    assert read_skill(content).description == "Use when: needed"
    assert problem_codes(content) == ["frontmatter-too-large", "yaml-colon"]
    (_, problem) = parse_text(content).problems
    assert problem.line == 60_002


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['description: "quoted', '  over lines"', "name: a"], "quoted over lines"),
        (["description: >-", "  folded", "  text", "name: a"], "folded text"),
        (["Description: other case", "name: a"], "other case"),
        (['"description": in quotes', "name: a"], "in quotes"),
        (["description: first", "description: second", "name: a"], "first"),
    ],
)
def test_a_description_beyond_the_cap_may_be_written_in_any_way(lines: list[str], expected: str) -> None:
    """The field is read as it would be further up."""
    skill = read_skill(skill_md(*MANY, *lines))
    assert (skill.name, skill.description) == ("a", expected)


def test_a_name_within_another_field_is_not_the_skill_s() -> None:
    """Indented lines belong to the field above them, beyond the cap as before it."""
    content = skill_md("name: a", "description: b", *MANY, "authors:", "  - name: somebody", "  description: else")
    assert (read_skill(content).name, read_skill(content).description) == ("a", "b")
    assert "name-missing" in problem_codes(skill_md("description: b", *MANY, "authors:", "  name: somebody"))


@pytest.mark.parametrize("value", [f'"{LONG}"', f"'{LONG}'", LONG, f"[{LONG}]", f"|\n  {LONG}", f'"{LONG}\n  more"'])
def test_a_value_that_runs_beyond_the_cap_is_cut_and_not_called_broken(value: str) -> None:
    """The quote that closes it was never looked at."""
    reported = problem_codes(skill_md("name: a", f"description: {value}"))
    assert reported == ["frontmatter-too-large", "description-cut"]
    assert read_skill(skill_md("name: a", f"x: {value}", "description: fine")).description == "fine"
    assert problem_codes(skill_md("name: a", f"x: {value}", "description: fine")) == ["frontmatter-too-large"]


def test_frontmatter_that_is_never_closed_before_a_long_text_is_cut_at_its_heading() -> None:
    """A rule far down in the text is not a fence, however long the text is."""
    content = "---\nname: a\ndescription: b\n\n# Title\n\n" + "Some text.\n" * 10_000 + "\n---\n\nMore.\n"
    skill = read_skill(content)
    assert (skill.name, skill.description) == ("a", "b")
    assert skill.body.startswith("# Title")
    assert skill.body.endswith("More.")
    assert problem_codes(content) == ["fence-unclosed"]
    comment = skill_md("name: a", "", "# more", *MANY, "description: b")
    assert read_skill(comment).description == "b"


def test_both_sides_of_the_cap() -> None:
    """Exactly the cap is read by YAML, one more is not."""
    short = skill_md("name: a", "description: b", "x: ")
    block = len(short[4 : short.index("\n---\n")])
    fits = skill_md("name: a", "description: b", "x: " + "y" * (MAX_FRONTMATTER_CHARS - block))
    assert problem_codes(fits) == ["frontmatter-large"]
    assert problem_codes(fits.replace("x: y", "x: yy")) == ["frontmatter-too-large"]


@pytest.mark.parametrize(
    "unit", ["k: v\n", "name: x\n", "description: &a *a\n", 'name: "x\n', "\tname\n", "name\n", "n", "name:x\n", "\n"]
)
def test_the_largest_file_takes_a_moment(unit: str) -> None:
    """Two megabytes of any line are read in less than a second, whatever stands at the end."""
    content = "---\n" + unit * (MAX_SKILL_BYTES // len(unit)) + "\nname: a\ndescription: b\n---\n"
    started = time.process_time()
    parse_text(content)
    assert time.process_time() - started < 1


def test_fields_without_a_name_or_text_are_told_so() -> None:
    """A clean file that says nothing is not called unreadable bytes."""
    (problem,) = parse_text("---\nk: v\n---\n").problems
    assert (problem.level, problem.code) == ("error", "unreadable")
    assert problem.reason == "the file has neither a name nor a description nor any text"
