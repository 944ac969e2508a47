"""A pull request from a fork: it can start the tests, and nothing that holds a secret or may write."""

from support.workflows.workflow_files import FILES, FOLDER, load_workflow


def test_f53_a_pull_request_runs_offline_without_secrets_and_with_a_token_that_only_reads() -> None:
    """ci.yml is all that a fork can start: no secret is named, nothing can be written, no key reaches the tests."""
    workflow = load_workflow("ci.yml")
    text = (FOLDER / "ci.yml").read_text(encoding="utf-8")
    assert "pull_request" in workflow["on"]
    assert workflow["permissions"] == {}
    assert {scope for job in workflow["jobs"].values() for scope in job["permissions"].items()} == {
        ("contents", "read")
    }
    assert "secrets" not in text
    assert "AXON_" not in text


def test_f53_no_workflow_runs_a_strangers_code_with_rights() -> None:
    """pull_request_target is nowhere a trigger, and the workflow that can push refuses pull requests by itself."""
    for file in FILES:
        assert "pull_request_target" not in load_workflow(file.name)["on"]
    workflow = load_workflow("build-index.yml")
    assert not any(trigger.startswith("pull_request") for trigger in workflow["on"])
    (job,) = workflow["jobs"].values()
    assert "github.event_name != 'pull_request'" in job["if"]
    assert "github.event_name != 'pull_request_target'" in job["if"]
    assert job["permissions"] == {"contents": "write"}
