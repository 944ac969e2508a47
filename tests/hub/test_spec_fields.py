"""What the specification's validator refuses in fields, as advice of `lint` alone."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.hubs.skill_reader import skill_file, skill_md
from support.processes.cli_runner import hub_index_here

from hub_index.hub.spec_fields import check_fields

_WRITTEN = ("name: tidy-logs", "description: Sorts old log files by month.")


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("tags: logs", "spec-unknown-field"),
        (f"compatibility: {'c' * 501}", "spec-compatibility"),
        ("allowed-tools: [Read, Grep]", "spec-allowed-tools"),
        ("metadata: {kind: {of: logs}}", "spec-metadata"),
    ],
)
def test_each_rule_is_advice_on_its_line(field: str, code: str) -> None:
    """The field stands on line 4."""
    found = check_fields(skill_file(), skill_md(*_WRITTEN, field).encode())
    assert [(problem.level, problem.line, problem.code) for problem in found] == [("advice", 4, code)]


@pytest.mark.parametrize(
    "field",
    [f"compatibility: {'c' * 500}", "allowed-tools: Read Grep", "metadata: {kind: logs}", "license: MIT"],
)
def test_what_the_specification_allows_gets_no_advice(field: str) -> None:
    """The other side of each rule."""
    assert check_fields(skill_file(), skill_md(*_WRITTEN, field).encode()) == []


def test_lint_lists_it_and_its_exit_code_stays(tmp_path: Path) -> None:
    """0 without --strict."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("skills/tidy-logs/SKILL.md", skill_md(*_WRITTEN, "emoji: x", body="Sort each file by month.\n" * 9))
    hub.commit()
    outcome = hub_index_here("lint", hub.root)
    assert outcome.code == 0
    assert "knows no field “emoji”" in outcome.out
