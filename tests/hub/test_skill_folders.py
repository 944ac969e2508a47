"""One folder per way to be broken: what is read from it, and what its author is told, line by line."""

from pathlib import Path

import pytest
from support.hubs.skill_reader import parse_text

SKILLS = Path(__file__).parent.parent / "skills"
USUAL = "Sorts old log files into folders by month."
PARAGRAPH = "This paragraph explains, step by step, what the agent has to do with the files it was given."

# folder → its description (None: not indexed), and `line:code` of every problem
FOLDERS = {
    "anchor": (USUAL, "3:yaml-anchor 4:yaml-alias"),
    "at-start": (USUAL, "4:yaml-sign"),
    "backtick-start": ("`logtidy` sorts old log files into folders.", "3:yaml-sign"),
    "bad-escape": ("Sorts the team's old log files into folders.", "3:yaml-escape"),
    "binary": (None, "0:unreadable"),
    "blank-before": (USUAL, "3:leading-whitespace"),
    "blank-file": (None, "0:empty-file"),
    "bold-keys": (USUAL, "2:yaml-key 3:yaml-key"),
    "bold-start": ("**Sorts** old log files into folders by month.", "3:yaml-asterisk"),
    "bom": (USUAL, "1:bom"),
    "brace-unclosed": (USUAL, "4:yaml-brace"),
    "bracket-start": (USUAL, "4:yaml-bracket"),
    "broken-byte": ("按月份整理旧的日志文件�，很快。", "3:not-utf-8"),
    "code-fence-around": (USUAL, "2:frontmatter-in-code-fence"),
    "colon": ("Sorts logs. Use when: disks are full, or: folders are messy", "3:yaml-colon"),
    "comment-frontmatter": (PARAGRAPH, "2:frontmatter-empty"),
    "crlf": (USUAL, "1:crlf"),
    "dash-start": (USUAL, "4:yaml-dash"),
    "date-description": ("2026-01-02", "3:yaml-typed-value"),
    "description-comment": (PARAGRAPH, "3:description-empty"),
    "description-empty": (PARAGRAPH, "3:description-empty"),
    "description-missing": (PARAGRAPH, "2:description-missing"),
    "duplicate-key": (USUAL, "3:duplicate-key"),
    "empty-file": (None, "0:empty-file"),
    "empty-frontmatter": (PARAGRAPH, "2:frontmatter-empty"),
    "fold-on-one-line": (USUAL, "3:yaml-block-text"),
    "folded": (USUAL, ""),
    "gb18030": ("按月份整理旧的日志文件", "3:not-utf-8"),
    "glued-close": (USUAL, "4:fence-odd"),
    "heading-before": (USUAL, "3:frontmatter-after-heading"),
    "hidden-characters": ("Sorts old log files into folders.", "3:hidden-characters"),
    "indented-key": (USUAL, "3:yaml-key"),
    "latin-1": ("R�sum� for the caf�, and the na�ve fa�ade of logs.", "3:not-utf-8"),
    "list-description": ("Sorts old log files, deletes empty ones", "3:description-not-text"),
    "literal": ("Sorts old log files\ninto folders by month.", ""),
    "long-fences": (USUAL, "1:fence-odd"),
    "map-description": ("what: Sorts old log files, when: disks are full", "3:description-not-text"),
    "metadata-list": (USUAL, "4:metadata-not-map"),
    "name-empty": (USUAL, "2:name-empty"),
    "name-missing": (USUAL, "2:name-missing"),
    "no-frontmatter": (PARAGRAPH, "1:frontmatter-missing"),
    "not-indented": ("Sorts old log files.\n- by month\n- by size", "3:yaml-indentation"),
    "nul-bytes": (USUAL, "3:nul"),
    "number-name": (USUAL, "2:yaml-typed-value"),
    "only-code": ("logtidy --all", "1:frontmatter-missing"),
    "only-heading": ("Sorts old log files", "1:frontmatter-missing"),
    "percent-start": ("%APPDATA% log files are sorted into folders.", "3:yaml-sign"),
    "plain": (USUAL, ""),
    "quote-inside": ('Sorts "old" log files into folders by month.', "3:yaml-quote"),
    "quote-unclosed": (USUAL, "3:yaml-quote"),
    "surrogate-half": ("Sorts old log files � into folders.", "3:yaml-surrogate"),
    "surrogate-pair": ("Sorts old log files 😀 into folders.", "3:yaml-surrogate"),
    "tab-indent": (USUAL, "3:yaml-tab"),
    "tag": (USUAL, "2:yaml-tag"),
    "terminal-escapes": ("Sorts ]52;c;eA== old 31m log files into folders.", "3:control-characters"),
    "text-between-rules": (USUAL, "2:frontmatter-empty"),
    "unclosed": (USUAL, "4:fence-unclosed"),
    "unclosed-with-rule": (USUAL, "5:fence-unclosed"),
    "underlined-heading": (USUAL, "1:frontmatter-missing"),
    "upper-keys": (USUAL, ""),
    "utf-16": (USUAL, "1:utf-16"),
    "utf-16-no-bom": (USUAL, "1:nul"),
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_broken_skill_is_read_and_every_problem_is_reported_with_its_line(folder: str) -> None:
    """Each folder gives the description its author meant and exactly the problems it has."""
    description, reports = FOLDERS[folder]
    parsed = parse_text((SKILLS / folder / "SKILL.md").read_bytes(), folder)
    assert (parsed.skill.description if parsed.skill else None) == description
    assert " ".join(f"{problem.line}:{problem.code}" for problem in parsed.problems) == reports


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_name_is_the_one_written_or_the_folder(folder: str) -> None:
    """No broken value elsewhere in the file costs the skill its name."""
    parsed = parse_text((SKILLS / folder / "SKILL.md").read_bytes(), folder)
    if parsed.skill:
        assert parsed.skill.name == ("8004" if folder == "number-name" else folder)


def test_every_folder_is_in_the_table() -> None:
    """A new folder without an expectation would test nothing."""
    assert {path.parent.name for path in SKILLS.glob("*/SKILL.md")} == set(FOLDERS)


def test_every_report_says_what_where_and_what_next() -> None:
    """Each problem names its file, gives a reason and tells the author what to write."""
    for folder in FOLDERS:
        for problem in parse_text((SKILLS / folder / "SKILL.md").read_bytes(), folder).problems:
            assert problem.path == f"skills/{folder}/SKILL.md"
            assert problem.reason
            assert problem.fix
            assert "\n" not in problem.reason + problem.fix


def test_the_fix_can_be_pasted() -> None:
    """The advice for an unquoted colon is the line that YAML reads as the author meant it."""
    (problem,) = parse_text((SKILLS / "colon" / "SKILL.md").read_bytes(), "colon").problems
    assert problem.fix == (
        'put the value in quotes: description: "Sorts logs. Use when: disks are full, or: folders are messy"'
    )


def test_a_tab_before_a_key_is_to_be_deleted() -> None:
    """Quotes alone would not help: YAML wants the key at the beginning of its line."""
    (problem,) = parse_text((SKILLS / "tab-indent" / "SKILL.md").read_bytes(), "tab-indent").problems
    assert problem.fix.startswith("write it at the beginning of its line, without the tab: description:")
