"""The hook that hubs may use with pre-commit."""

import re
import tomllib

import pytest
import yaml
from support.workflows.workflow_job import ROOT

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_hook_runs_our_program_on_what_is_staged() -> None:
    """It is installed by pip from this repository, and reads git's index itself instead of being handed file names."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    program, *words = HOOK["entry"].split()
    assert program in scripts
    assert words == ["check", "--staged"]
    assert (HOOK["id"], HOOK["language"], HOOK["pass_filenames"]) == ("hub-index-check", "python", False)
    assert f"id: {HOOK['id']} " in (ROOT / "docs" / "hub-ci.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        ("skills/a/SKILL.md", True),
        ("SKILL.md", True),
        ("team/a/Skill.MD", True),
        ("workflows/deep/release.md", True),
        ("commands/go.md", True),
        ("hub-index.toml", True),
        ("hubs/team/hub-index.toml", True),
        ("README.md", False),
        ("skills/a/NOT-A-SKILL.md", False),
        ("search/skills.jsonl", False),
    ],
)
def test_only_a_commit_that_touches_skills_waits_for_it(path: str, matters: bool) -> None:
    """pre-commit asks the pattern for each file that is about to be committed."""
    assert bool(re.search(HOOK["files"], path)) == matters
