"""What lint tells an author to write is what the next lint accepts, and says the same."""

import re

import pytest
from support.hubs.skill_reader import skill_file, skill_md

from hub_index.base.characters import clean_line
from hub_index.hub.lint import check_specification, one_per_cause
from hub_index.hub.skill.skill import parse_skill
from hub_index.models import Problem, Skill

BODY = "Read the folder, group the files by month, move each group, and say what was moved and where it is now.\n"
NAME, SENTENCE = "name: tidy-logs", "description: Sorts old log files by month."
TEXTS = [
    "Sorts: old log files by month",
    "- Sorts old log files by month",
    "-Sorts: old log files by month",
    "> Sorts old log files by month",
    "| Sorts: old log files by month",
    ">-\nSorts old log files: by month\nor by size",
    "Sorts old log files\nby month, or\nby size",
    "Sorts: old log files\nby month or by size",
    "*Sorts* old log files by month",
    "*all old log files by month",
    "`logtidy` sorts old files",
    "@ann sorts old log files",
    "%APPDATA% log files are sorted",
    "&old Sorts old log files",
    "!text Sorts old log files",
    "[Sorts] old log files by month",
    "{Sorts old log files by month",
    "[Sorts, old, log files",
    '"Sorts" old log files by month',
    '"Sorts "old" log files by month"',
    "'Sorts the team's old log files'",
    '"Sorts old log files by month',
    r'"Sorts C:\docs\new and D:\temp for you"',
    r'"Sorts C:\users\ann and \\server\share"',
    r'"Sorts files called \d+\.log for you"',
    r'"Sorts the team\'s caf\u00e9 logs, \x41 to Z"',
    r'"Sorts \U0001F600 and \U99999999 logs for you"',
    ", Sorts old log files by month",
    "? Sorts: old log files by month",
    "2026-01-02",
    "Sorts 'old' and \"new\": logs with C:\\docs\\new",
]
LISTS = ["[logs, tidy", "- logs", "*logs, tidy", "[logs, 'old files'] tidy", "&a [logs, tidy]", "@logs, tidy: both"]
FIELD = re.compile(r"""\b(name|description|tags|license): ("[^"]*"|'(?:[^']|'')*'|\[.*\]|[a-z0-9-]+)""")


def lint(content: str) -> tuple[Skill, tuple[Problem, ...]]:
    """What is read from a file, and all that is said about it."""
    parsed = parse_skill(skill_file(), content.encode())
    assert parsed.skill is not None
    return parsed.skill, one_per_cause(parsed.problems, check_specification(skill_file(), parsed.skill, parsed.lines))


def apply_fix(content: str, problem: Problem) -> str:
    """The file with the advised field in place of the last one."""
    if problem.fix.startswith("indent the lines below"):
        head, lines, tail = re.split(r"(?<=>-\n)|(?=\n---\n)", content, maxsplit=2)
        return head + re.sub("(?m)^", "  ", lines) + tail
    field = FIELD.search(problem.fix)
    assert field, problem.fix
    lines = content.split("\n")
    end = lines.index("---", 1)
    return "\n".join([*lines[: problem.line - 1], field[0], *lines[end:]])


@pytest.mark.parametrize("text", TEXTS)
def test_a_description_as_advised_is_read_as_the_same_text(text: str) -> None:
    """Each problem of the field, once its advice is followed, is gone, and no word is lost."""
    content = skill_md(NAME, f"description: {text}", body=BODY)
    skill, problems = lint(content)
    assert [problem.line for problem in problems if problem.code != "description-short"] == [3]
    mended, left = lint(apply_fix(content, problems[0]))
    assert clean_line(mended.description) == clean_line(skill.description)
    assert [problem.code for problem in left] == (["description-short"] if text == "2026-01-02" else [])


@pytest.mark.parametrize("text", TEXTS)
def test_a_name_as_advised_leaves_nothing_to_say(text: str) -> None:
    """Whatever is wrong with a name, one line mends all of it."""
    content = skill_md(SENTENCE, f"name: {text}", body=BODY)
    _, problems = lint(content)
    assert len(problems) == 1
    assert lint(apply_fix(content, problems[0]))[1] == ()


@pytest.mark.parametrize("value", LISTS)
def test_a_list_as_advised_has_the_same_keywords(value: str) -> None:
    """Keys that hold lists are advised to hold lists."""
    content = skill_md(NAME, SENTENCE, f"tags: {value}", body=BODY)
    skill, problems = lint(content)
    mended, left = lint(apply_fix(content, problems[0]))
    assert (mended.keywords, left) == (skill.keywords, ())


@pytest.mark.parametrize("value", ["{a: [b", "a: b: c", "- a", "*a b"])
def test_metadata_is_never_advised_to_be_text(value: str) -> None:
    """Text there is the next problem."""
    (problem,) = lint(skill_md(NAME, SENTENCE, f"metadata: {value}", body=BODY))[1]
    assert problem.fix == "write '  key: value' lines below `metadata:`"


@pytest.mark.parametrize("line", ["\tname: Tidy: logs", "**Name:** tidy-logs", "name：tidy-logs"])
def test_an_odd_key_as_advised_is_read_as_the_same_name(line: str) -> None:
    """The whole line is given, not only where it begins."""
    content = skill_md(SENTENCE, line, body=BODY)
    _, problems = lint(content)
    assert lint(apply_fix(content, problems[0]))[1] == ()


def test_a_file_without_frontmatter_begins_as_advised() -> None:
    """The template is itself a skill that nothing is said about."""
    (problem,) = lint(BODY)[1]
    lines = re.findall("'([^']*)'", problem.fix)
    assert lint("\n".join([*lines, BODY]))[1] == ()


def test_backslashes_that_yaml_refuses_are_kept() -> None:
    r"""`"C:\docs\new"` was a path: `\n` in it is no line end."""
    skill, (problem,) = lint(skill_md(NAME, r'description: "Sorts C:\docs\new for you"', body=BODY))
    assert skill.description == r"Sorts C:\docs\new for you"
    assert problem.fix == r"put the value in quotes: description: 'Sorts C:\docs\new for you'"
