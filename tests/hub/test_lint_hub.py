"""A whole hub looked over: each cause once, on its line, and only for what an author wrote."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.hubs.skill_reader import skill_md

from hub_index.hub.inspection import inspect_hub

BODY = "Read the folder, group the files by month, move each group, and say what was moved and where it is now.\n"
SENTENCE = "description: Sorts old log files into folders by month."


def lint(root: Path, content: str | bytes, folder: str = "tidy-logs") -> list[tuple[int, str]]:
    """Line and code of every problem of a hub with this one skill."""
    hub = HubMaker(root)
    hub.write(f"skills/{folder}/SKILL.md", content)
    hub.commit()
    return [(problem.line, problem.code) for problem in inspect_hub(root).problems]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (skill_md("name: Tidy: logs", SENTENCE, body=BODY), [(2, "yaml-colon")]),
        (skill_md("name: 2024", SENTENCE, body=BODY), [(2, "yaml-typed-value")]),
        (skill_md("name: [Tidy, logs]", SENTENCE, body=BODY), [(2, "name-not-text")]),
        (skill_md("name: " + "Tidy " * 60, SENTENCE, body=BODY), [(2, "name-cut")]),
        (skill_md("name: tidy-logs", "description: " + "Sorts logs. " * 800, body=BODY), [(3, "description-cut")]),
        (skill_md("name: tidy-logs", "description: " + "Sorts. " * 200, body=BODY), [(3, "description-too-long")]),
        (skill_md("name: tidy_logs", SENTENCE, body=BODY), [(2, "name-not-kebab")]),
    ],
)
def test_one_cause_is_one_problem(tmp_path: Path, content: str, problems: list[tuple[int, str]]) -> None:
    """What is mended by the same line is reported once."""
    assert lint(tmp_path, content) == problems


def test_a_name_that_was_misread_is_told_the_name_to_write(tmp_path: Path) -> None:
    """Quotes would only lead to the next problem."""
    lint(tmp_path, skill_md("name: Tidy: logs", SENTENCE, body=BODY))
    assert [problem.fix for problem in inspect_hub(tmp_path).problems] == ["write `name: tidy-logs`"]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (f"# Tidy\n\nSorts <logs>.\n\n{BODY}", [(1, "frontmatter-missing")]),
        (skill_md(SENTENCE, body=BODY), [(2, "name-missing")]),
        (skill_md("name: tidy-logs", body=f"Sorts <x>.\n\n{BODY}"), [(2, "description-missing")]),
        (skill_md("name: tidy-logs", "description:", body=f"Sorts.\n\n{BODY}"), [(3, "description-empty")]),
    ],
)
def test_what_was_taken_from_elsewhere_is_not_criticised(
    tmp_path: Path, content: str, problems: list[tuple[int, str]]
) -> None:
    """Neither the folder's name nor the body's first line was meant to be the field: it is missing, no more."""
    assert lint(tmp_path, content, "tidy-logs" if "name: tidy" in content else "Tidy Logs") == problems


def test_a_description_that_was_taken_from_elsewhere_is_no_copy(tmp_path: Path) -> None:
    """Two texts may begin alike; and a copy that was written is reported on its line."""
    hub = HubMaker(tmp_path)
    for folder, field in {"a": "license: MIT", "b": "license: MIT", "c": SENTENCE, "d": SENTENCE}.items():
        hub.write(f"skills/{folder}/SKILL.md", skill_md(f"name: {folder}", field, body=BODY))
    hub.commit()
    copies = [problem for problem in inspect_hub(tmp_path).problems if problem.code == "description-copied"]
    assert [(problem.path, problem.line) for problem in copies] == [("skills/d/SKILL.md", 3)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (skill_md("name: tidy-logs", SENTENCE, body="One.\r\n" + BODY), (5, "crlf")),
        (skill_md("name: tidy-logs", SENTENCE, body="\n\nSort them.\n"), (7, "body-short")),
        (skill_md("name: tidy-logs", SENTENCE, body="\n\n\n"), (4, "body-empty")),
        (skill_md("name: tidy-logs", SENTENCE, "tags: " + "x" * 3_000, body=BODY), (4, "keywords-too-long")),
        (skill_md("name: tidy-logs", SENTENCE, body="👩\u200d💻\nOne\u200d.\n" + BODY), (6, "hidden-characters")),
        (skill_md("license: MIT", "name: other", SENTENCE, body=BODY), (3, "name-not-folder")),
        (skill_md("license: MIT", "name: tidy-logs", "description: Sorts.", body=BODY), (4, "description-short")),
    ],
)  # fmt: skip
def test_a_problem_stands_on_the_line_of_the_fault(tmp_path: Path, content: str, problem: tuple[int, str]) -> None:
    """The line of the field, of the first carriage return, of the hidden character that had to go."""
    assert lint(tmp_path, content) == [problem]


def test_no_name_is_advised_that_another_skill_has(tmp_path: Path) -> None:
    """A folder that differs from another one by its capitals only gets a name of its own."""
    hub = HubMaker(tmp_path)
    for folder in ("tidy-logs", "tidy-logs-2", "Tidy-Logs"):
        hub.write(f"skills/{folder}/SKILL.md", skill_md(f"name: {folder}", f"{SENTENCE[:-1]} {folder}.", body=BODY))
    hub.commit()
    fixes = [problem.fix for problem in inspect_hub(tmp_path).problems if problem.code == "name-not-kebab"]
    assert fixes == ["write `name: tidy-logs-3` and rename the folder to `tidy-logs-3`"]
