"""F04 and F05: every scalar stays the string written, and of two equal keys the first wins."""

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill, skill_md

SPELLINGS = [
    "no", "yes", "on", "Off", "true", "False", "y", "N", "1.10", "1e3", "0x1F", "0o17", "017", "1_000", "-5", "+5",
    "2026-01-02", "2026-01-02T03:04:05Z", "12:30:00", ".inf", ".nan", "1.", "3.14159", "00123", "<<",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_f04_a_scalar_is_the_text_that_was_written(spelling: str) -> None:
    """Names, descriptions and keywords that YAML would turn into other types stay as they are."""
    skill = read_skill(skill_md(f"name: {spelling}", f"description: {spelling}", f"tags: [{spelling}]"))
    assert (skill.name, skill.description, skill.keywords) == (spelling, spelling, (spelling,))


@pytest.mark.parametrize("spelling", ["no", "8004", "1.10", "2026-01-02", "12:30:00", "true"])
def test_f04_the_author_is_advised_to_quote_it(spelling: str) -> None:
    """Other readers see a number, a date or a truth value; the advice is the quoted line, and quotes end it."""
    (problem,) = parse_text(skill_md(f"name: {spelling}", "description: Sorts files.")).problems
    assert (problem.level, problem.code, problem.line) == ("advice", "yaml-typed-value", 2)
    assert f'name: "{spelling}"' in problem.fix
    assert problem_codes(skill_md(f'name: "{spelling}"', "description: Sorts files.")) == []


@pytest.mark.parametrize("spelling", ["", "~", "null", "Null", "NULL"])
def test_f04_null_in_all_spellings_is_empty_unless_quoted(spelling: str) -> None:
    """A plain null is not a description, a quoted one is the word."""
    assert read_skill(skill_md("name: a", f"description: {spelling}", body="Text.")).description == "Text."
    if spelling:
        assert read_skill(skill_md("name: a", f"description: '{spelling}'")).description == spelling


def test_f05_of_two_equal_keys_the_first_wins_and_the_second_is_reported() -> None:
    """The second `name` is on line 3 and told so."""
    parsed = parse_text(skill_md("name: first", "name: second", "description: Sorts files."))
    assert parsed.skill is not None
    assert parsed.skill.name == "first"
    (problem,) = parsed.problems
    assert (problem.code, problem.line, problem.level) == ("duplicate-key", 3, "warning")
    assert "line 2" in problem.reason


def test_f05_the_line_wise_layer_keeps_to_it() -> None:
    """The same holds where YAML refuses the block for another reason."""
    content = skill_md("name: first", "name: second", "description: a: b")
    assert read_skill(content).name == "first"
    assert problem_codes(content) == ["duplicate-key", "yaml-colon"]
