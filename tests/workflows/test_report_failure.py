"""report-failure.yml, replayed night by night with a stand-in for GitHub's command line that remembers issues."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.workflows.workflow_job import Job, StepOutcome, write_program

_TITLE = "The search index is not being updated"
_GH = """
import json, os, pathlib, sys
assert os.environ["GH_TOKEN"] == "not-a-token" and os.environ["GH_REPO"] == "team/hub"
words = sys.argv[1:]
file = pathlib.Path(__file__).parent / "issues.json"
issues = json.loads(file.read_text()) if file.exists() else []
option = lambda name: words[words.index(name) + 1]
if words[0] == "api":
    assert words[1:4] == ["--method", "GET", "repos/team/hub/issues"] and "state=open" in words
    assert "labels=hub-index" in words
    for issue in issues:
        if issue["open"] and issue["label"] == "hub-index":
            print(issue["number"], issue["title"])
elif words[:2] == ["label", "create"]:
    sys.exit("it exists already")
elif words[:2] == ["issue", "create"]:
    new = {"number": len(issues) + 1, "title": option("--title"), "label": option("--label"), "open": True}
    issues.append(new | {"body": option("--body"), "comment": ""})
elif words[:2] == ["issue", "close"]:
    issues[int(words[2]) - 1] |= {"open": False, "comment": option("--comment")}
else:
    sys.exit(f"not expected: {words}")
file.write_text(json.dumps(issues))
"""


class Nights:
    """A hub's repository and the runs of its schedule."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = [write_program(folder / "programs", "gh", _GH)]
        self.count = 0

    @property
    def issues(self) -> list[dict[str, Any]]:
        """What the stand-in remembers."""
        file = self.folder / "programs" / "issues.json"
        remembered: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
        return remembered

    def stranger_opens(self, title: str, label: str = "") -> None:
        """An issue of somebody else's."""
        new = {"number": len(self.issues) + 1, "title": title, "label": label, "open": True, "body": "", "comment": ""}
        (self.folder / "programs" / "issues.json").write_text(json.dumps([*self.issues, new]))

    def end_with(self, result: str, **inputs: object) -> StepOutcome:
        """One night: the index job ended like this."""
        self.count += 1
        job = Job(
            self.folder / f"night-{self.count}",
            "report-failure.yml",
            {"result": result, **inputs},
            programs=self.programs,
        )
        outcome = job.script("Open or close the issue")
        assert outcome.code == 0, outcome
        return outcome


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A hub without an issue."""
    return Nights(tmp_path)


def test_one_issue_is_opened_and_closed_by_the_next_good_night(nights: Nights) -> None:
    """Three failing nights are one issue with the first run's address; the good night closes it, once."""
    nights.end_with("success")
    assert nights.issues == []
    for _ in range(3):
        nights.end_with("failure")
    (issue,) = nights.issues
    assert (issue["title"], issue["open"]) == (_TITLE, True)
    assert "https://github.invalid/team/hub/actions/runs/7" in issue["body"]
    assert "\n" not in issue["body"]
    nights.end_with("success")
    nights.end_with("success")
    (issue,) = nights.issues
    assert not issue["open"]
    assert issue["comment"].endswith("https://github.invalid/team/hub/actions/runs/7")
    nights.end_with("failure")
    assert [issue["open"] for issue in nights.issues] == [False, True]


@pytest.mark.parametrize("result", ["cancelled", "skipped"])
def test_a_run_that_says_nothing_about_the_index_changes_nothing(nights: Nights, result: str) -> None:
    """A run that gave way to a newer one, or did not start, neither opens nor closes."""
    nights.end_with(result)
    assert nights.issues == []
    nights.end_with("failure")
    nights.end_with(result)
    assert [issue["open"] for issue in nights.issues] == [True]


def test_issues_of_others_are_left_alone(nights: Nights) -> None:
    """The same title without the label, or another title with it, is not ours to close and keeps ours from nothing."""
    nights.stranger_opens(_TITLE)
    nights.stranger_opens(f"{_TITLE} at weekends", "hub-index")
    nights.end_with("failure")
    nights.end_with("success")
    assert [issue["open"] for issue in nights.issues] == [True, True, False]


def test_two_hubs_of_a_repository_have_an_issue_each(nights: Nights) -> None:
    """The title is the caller's, and whatever it holds is not run."""
    nights.end_with("failure", title="$(touch ran) `touch ran` hub a")
    nights.end_with("failure", title="hub b")
    nights.end_with("success", title="hub b")
    assert [(issue["title"], issue["open"]) for issue in nights.issues] == [
        ("$(touch ran) `touch ran` hub a", True),
        ("hub b", False),
    ]
    assert not list(nights.folder.rglob("ran"))


@pytest.mark.parametrize(
    ("event", "fork", "starts"),
    [("schedule", False, True), ("schedule", True, False), ("push", False, False), ("workflow_dispatch", False, False)],
)
def test_only_the_schedule_of_the_hub_itself_is_reported(tmp_path: Path, event: str, fork: bool, starts: bool) -> None:
    """Whoever pushes or starts a run sees how it ends, and a fork has nobody to tell."""
    about = {"github.event_name": event, "github.event.repository.fork": fork}
    assert Job(tmp_path / "job", "report-failure.yml", {"result": "failure"}, known=about).starts() == starts
