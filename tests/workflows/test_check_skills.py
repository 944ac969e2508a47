"""check-skills.yml, replayed on a pull request's merge: what is compared, and what reaches the runner as a command."""

import json
import re
from pathlib import Path

import pytest
from support.builds.publish_world import git
from support.hubs.hub_maker import HubMaker
from support.workflows.workflow_job import Job, write_program

_STEP = "Check what the pull request changes"
_TOOL = """
import json, pathlib, sys
pathlib.Path("note.json").write_text(json.dumps(sys.argv[1:]))
print("::error file=skills/new/SKILL.md,line=3::there is no description")
print("::set-output name=x::taken from a skill")
print("2 skills")
print("::notice file=skills/new/SKILL.md::nearest: skill-0 (0.91)")
print("::add-mask::from the error stream", file=sys.stderr)
sys.exit(4)
"""


@pytest.fixture
def merge(tmp_path: Path) -> HubMaker:
    """A checkout as GitHub makes it: the merge of an old branch into a base that has moved on since."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("skill-0", "Was there before.")
    hub.commit("base")
    hub.git("checkout", "-q", "-b", "topic")
    hub.skill("new", "Comes with the pull request.")
    hub.commit("topic")
    hub.git("checkout", "-q", "main")
    hub.skill("skill-1", "Came to the base meanwhile.")
    hub.commit("meanwhile")
    hub.git("checkout", "-q", "--detach", "main")
    hub.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return hub


def test_what_the_pull_request_itself_changes_is_checked_and_only_annotations_are_commands(
    tmp_path: Path, merge: HubMaker
) -> None:
    """The base is the merge's first parent; every other line of the answer stands where no command is understood."""
    programs = [write_program(tmp_path / "programs", "hub-index", _TOOL)]
    job = Job(tmp_path / "job", "check-skills.yml", {"strict": True}, programs=programs)
    (job.folder / "hub").symlink_to(merge.root)
    outcome = job.script(_STEP)
    change = f"{git(merge.root, 'rev-parse', 'main')}..{git(merge.root, 'rev-parse', 'HEAD')}"
    words = json.loads((job.folder / "note.json").read_text())
    assert words == ["check", change, "--hub", "hub/.", "--format", "github", "--strict"]
    assert git(merge.root, "diff", "--name-only", change) == "skills/new/SKILL.md"
    assert outcome.code == 4
    (token,) = re.findall(r"^::stop-commands::([0-9a-f]{32})$", outcome.log, re.MULTILINE)
    assert outcome.log.splitlines() == [
        "::error file=skills/new/SKILL.md,line=3::there is no description",
        "::notice file=skills/new/SKILL.md::nearest: skill-0 (0.91)",
        f"::stop-commands::{token}",
        "::set-output name=x::taken from a skill",
        "2 skills",
        "::add-mask::from the error stream",
        f"::{token}::",
    ]


@pytest.mark.parametrize(
    ("event", "starts"),
    [("pull_request", True), ("pull_request_target", False), ("push", False), ("schedule", False)],
)
def test_only_a_plain_pull_request_is_answered(tmp_path: Path, event: str, starts: bool) -> None:
    """Never for the event that would run a stranger's files with the hub's rights; forks do use the plain one."""
    assert Job(tmp_path / "job", "check-skills.yml", known={"github.event_name": event}).starts() == starts
