"""docs/hub-ci.md shows files that a hub can copy: they fit our workflows, and every choice is on the page."""

import re
from typing import Any

import pytest
import yaml
from support.workflows.workflow_files import FOLDER, load_workflow
from support.workflows.workflow_job import ROOT

PAGE = (ROOT / "docs" / "hub-ci.md").read_text(encoding="utf-8")
BLOCKS: list[str] = re.findall(r"^```yaml\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FIVE_LINES = BLOCKS[0]
JOBS: list[dict[str, Any]] = [job for text in BLOCKS for job in yaml.safe_load(text).get("jobs", {}).values()]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["uses"].rpartition("/")[2])
def test_a_job_of_the_page_calls_a_workflow_of_ours_with_what_it_takes(job: dict[str, Any]) -> None:
    """The file exists, each input and secret too, what is required is given, and the right is the one it needs."""
    name, _, commit = job["uses"].rpartition("/")[2].partition("@")
    assert commit == "COMMIT"
    workflow = load_workflow(name)
    called = workflow["on"]["workflow_call"]
    given = set(job.get("with", {}))
    assert given <= set(called["inputs"])
    assert {choice for choice, about in called["inputs"].items() if about.get("required")} <= given
    assert set(job.get("secrets", {})) <= set(called.get("secrets", {}))
    assert [ours["permissions"] for ours in workflow["jobs"].values()] == [job["permissions"]]


@pytest.mark.parametrize("name", ["build-index.yml", "check-skills.yml", "report-failure.yml"])
def test_every_input_is_on_the_page(name: str) -> None:
    """Nothing that a hub may choose has to be looked up in our workflow."""
    assert f"{FOLDER.parts[-2]}/{FOLDER.parts[-1]}/{name}@COMMIT" in PAGE
    for choice in load_workflow(name)["on"]["workflow_call"]["inputs"]:
        assert re.search(rf"`{choice}\b|{choice}:", PAGE), choice


def test_five_lines_build_at_night_and_after_a_push_of_skills_but_not_after_their_own_commit() -> None:
    """The push is one of Markdown or settings on main; the published files are neither."""
    assert len(FIVE_LINES.splitlines()) == 5
    on = yaml.safe_load(FIVE_LINES)[True]  # YAML's reading of `on`
    assert set(on) == {"push", "schedule", "workflow_dispatch"}
    assert on["push"] == {"branches": ["main"], "paths": ["**.md", "**/hub-index.toml"]}
    for file in ("search/index_manifest.json", "search/index_manifest.json.sig", "search/skills.jsonl"):
        assert not file.endswith((".md", "hub-index.toml"))


def test_the_issue_is_reported_after_every_end_of_the_index_job() -> None:
    """Without always() a failure would skip the very job that tells of it."""
    (report,) = (job for job in JOBS if "report-failure.yml" in job["uses"])
    assert (report["needs"], report["if"]) == ("index", "always()")
    assert report["with"] == {"result": "${{ needs.index.result }}"}
