"""The GitHub workflows, parsed: what is pinned, what reaches a shell, who sees the key."""

import re

import pytest
from support.workflows.workflow_files import FILES, FOLDER, load_workflow, steps_of


@pytest.mark.parametrize("name", [file.name for file in FILES])
def test_every_action_is_pinned_to_a_commit_and_keeps_no_credentials(name: str) -> None:
    """A tag can be moved; a clone's settings can be read by every later step."""
    for step in steps_of(name):
        if "uses" not in step:
            continue
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("name", [file.name for file in FILES])
def test_no_input_reaches_a_shell_as_text(name: str) -> None:
    """Values go through the environment: an expression inside a script would be code."""
    for step in steps_of(name):
        assert "${{" not in step.get("run", "")


def test_one_index_build_at_a_time_and_none_is_cut_off() -> None:
    """A second run waits; it never ends one that is about to push."""
    concurrency = load_workflow("build-index.yml")["concurrency"]
    assert "github.repository" in concurrency["group"]
    assert concurrency["cancel-in-progress"] is False


def test_the_key_is_in_the_environment_of_one_step_only() -> None:
    """Neither the install nor the cache sees the provider's key, the signing key or the token to push with."""
    for step in steps_of("build-index.yml"):
        values = str(step.get("env", {})) + str(step.get("with", {}))
        secret = "secrets." in values or "github.token" in values
        assert secret == (step.get("id") == "publish")


def test_called_and_manual_runs_offer_the_same_choices() -> None:
    """What one may want for a single run exists in both, and neither a schedule nor a caller of old needs any."""
    on = load_workflow("build-index.yml")["on"]
    manual, called = on["workflow_dispatch"]["inputs"], on["workflow_call"]["inputs"]
    assert set(manual) == {"force", "model", "dry-run", "allow-shrink", "accept"}
    assert set(manual) < set(called)
    assert all("default" in choice for choice in called.values())
    assert not any(secret["required"] for secret in on["workflow_call"]["secrets"].values())
    assert on["schedule"]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("build-index.yml", {"contents": "write"}),
        ("report-failure.yml", {"issues": "write"}),
        ("check-skills.yml", {"contents": "read"}),
    ],
)
def test_a_workflow_for_hubs_has_the_one_right_that_it_needs(name: str, right: dict[str, str]) -> None:
    """Whoever calls it can grant no more by mistake, and pushing and telling are two jobs with a right each."""
    workflow = load_workflow(name)
    assert workflow["permissions"] == {}
    assert [job["permissions"] for job in workflow["jobs"].values()] == [right]


def test_a_pull_request_meets_no_secret() -> None:
    """check-skills names neither a secret nor the token, and takes none from its caller."""
    text = (FOLDER / "check-skills.yml").read_text(encoding="utf-8")
    expressions = re.findall(r"\$\{\{(.*?)\}\}", text)
    assert expressions
    assert not any("secrets" in expression or "token" in expression for expression in expressions)
    assert set(load_workflow("check-skills.yml")["on"]["workflow_call"]) == {"inputs"}
