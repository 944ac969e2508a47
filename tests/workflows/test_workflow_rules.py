"""The GitHub workflows, parsed: what is pinned, what reaches a shell, who sees the key."""

import re

import pytest
from support.workflow_files import FILES, load_workflow, steps_of


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
    """Neither the install nor the cache sees the provider's key or the token to push with."""
    for step in steps_of("build-index.yml"):
        secret = "secrets." in str(step) or "github.token" in str(step)
        assert secret == (step.get("id") == "publish")


def test_called_and_manual_runs_offer_the_same_choices() -> None:
    """force, model and dry-run exist in both, and a schedule needs none of them."""
    on = load_workflow("build-index.yml")["on"]
    manual, called = on["workflow_dispatch"]["inputs"], on["workflow_call"]["inputs"]
    assert set(manual) == {"force", "model", "dry-run"}
    assert set(manual) < set(called)
    assert all("default" in choice for choice in called.values())
    assert on["schedule"]
