"""Frontmatter in TOML, as site generators write it between `+++` lines: read, and reported with what to write."""

import time

import pytest
from support.skill_reader import parse_text, problem_codes, read_skill

PLAIN = (
    '+++\nname = "tidy-logs"\ndescription = "Sorts old log files."\ntags = ["logs", \'disk\']\n+++\n\n# Tidy\n\nText.\n'
)


def test_name_description_and_tags_are_read() -> None:
    """The skill is found under what its author wrote, and the body begins after the fence."""
    skill = read_skill(PLAIN)
    assert (skill.name, skill.description, skill.keywords) == ("tidy-logs", "Sorts old log files.", ("logs", "disk"))
    assert skill.body == "# Tidy\n\nText."


def test_the_author_is_told_what_to_write_instead() -> None:
    """One warning, on the first line, with the lines that every agent reads."""
    (problem,) = parse_text(PLAIN).problems
    assert (problem.level, problem.line, problem.code) == ("warning", 1, "toml-frontmatter")
    assert problem.fix == (
        "begin the file with the lines '---', 'name: \"tidy-logs\"', 'description: \"Sorts old log files.\"', '---'"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"a \\"quoted\\" word \\u00e9"', 'a "quoted" word é'),
        ("'literal \\n'", "literal \\n"),
        ('"""\nSeveral\nlines."""', "Several\nlines."),
        ('"""\nname = "not a field"\n"""', 'name = "not a field"'),
        ("'''one'''  # a comment", "one"),
        ('"text" # a comment', "text"),
        ('"never closed', "never closed"),
        ('"bad \\q escape"', "bad q escape"),
        ("no quotes at all", "no quotes at all"),
    ],
)
def test_every_way_to_write_a_string(value: str, expected: str) -> None:
    """As TOML reads it; where TOML refuses, what the author meant."""
    skill = read_skill(f'+++\ndescription = {value}\nname = "t"\n+++\nText.\n')
    assert (skill.name, skill.description) == ("t", expected)


def test_a_name_in_a_table_is_not_the_skill_s() -> None:
    """`[author]` has a name of its own."""
    content = '+++\ndescription = "d"\n\n[author]\nname = "somebody"\n+++\nText.\n'
    assert read_skill(content).name == "tidy-logs"
    assert problem_codes(content) == ["toml-frontmatter", "name-missing"]


def test_frontmatter_that_is_never_closed_ends_before_the_text() -> None:
    """The fields are read, the text is the body."""
    skill = read_skill('+++\nname = "t"\ndescription = "d"\n\n# Title\n\nText.\n')
    assert (skill.name, skill.description, skill.body) == ("t", "d", "# Title\n\nText.")


@pytest.mark.parametrize(
    "content",
    [
        "+++\nJust text.\n+++\nMore.\n",
        "+++\n",
        "+++\n+++\nJust text.\n",
        "+++\n\n# Title\n\nJust text.\n",
        "\n\n+++\nname = \"t\"\ndescription = ''\n+++\nJust text.\n",
    ],
)
def test_a_fence_is_never_the_description(content: str) -> None:
    """Not even where nothing between the fences is a field."""
    parsed = parse_text(content)
    assert parsed.skill is None or parsed.skill.description == "Just text."


def test_plus_signs_in_a_text_are_not_frontmatter() -> None:
    """Only the first line of a file opens it."""
    content = '---\nname: a\ndescription: b\n---\n+++\nname = "c"\n+++\n'
    assert read_skill(content).name == "a"
    assert problem_codes(content) == []


@pytest.mark.parametrize(
    "unit",
    ["a.", "[", "k = {a.", 'k = "x\n', 'k = """\n', "k = [\n", "name = [[[[\n", "k = '''x''' '''\n", "\n", "+++x\n"],
)
def test_hostile_toml_stays_linear(unit: str) -> None:
    """Half a megabyte of any unit is read in a moment, closed or not."""
    hostile = unit * (500_000 // len(unit))
    started = time.process_time()
    for end in ("", "\n+++\nText.\n"):
        parse_text(f"+++\n{hostile}{end}")
    assert time.process_time() - started < 2
