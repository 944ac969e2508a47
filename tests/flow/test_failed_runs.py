"""A run that fails says so where operators look: its name, its table, what it has cost."""

import re
from pathlib import Path
from typing import Any

from support.builds.publish_world import PublishWorld, make_world
from support.flows.prefect_server import PrefectServer
from support.models.provider_world import CANARY, MODEL
from support.models.scripted_server import ScriptedServer, edited, ok
from support.processes.cli_runner import hub_index

from hub_index.hub.git.address import name_hub
from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE

OPTIONS = ("--model", f"openai:{MODEL}", "--batch-size", "2", "--concurrency", "1")


def break_answer(payload: dict[str, Any]) -> dict[str, Any]:
    """One vector too few, for the same price."""
    return payload | {"data": payload["data"][:-1]}


def check_table(table: str, world: PublishWorld, provider: ScriptedServer) -> None:
    """Why, the hub, its commit, every token that was charged, and what is kept."""
    plain = table.replace("\\", "")
    charged = sum(len(text.split()) for request in provider.requests for text in request.texts)
    assert re.search(r"\| Failed \| “openai:.*”: the answer holds 1 vector for 2 texts", plain)
    assert f"| Hub | {name_hub(world.job)} at {world.head()} |" in plain
    assert "| Embedded | 2 texts (2 kept in the cache) |" in plain
    assert f"| Tokens | {charged} |" in plain
    assert "| Cost | unknown |" in plain
    assert CANARY not in table


def test_a_failed_flow_leaves_its_table_and_a_name_with_hub_and_revision(
    tmp_path: Path, prefect: PrefectServer
) -> None:
    """The second answer is refused: the artifact has the error and the tokens of both."""
    world = make_world(tmp_path, skills=6)
    with ScriptedServer("openai") as provider:
        provider.script = [ok, edited(break_answer)]
        environment = {KEY_VARIABLE: CANARY, BASE_URL_VARIABLE: provider.url, "HUB_INDEX_CACHE": str(tmp_path / "c")}
        environment |= {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
        done = hub_index("flow", "run", world.job, "--publish", *OPTIONS, env=environment)
    assert done.code == 5, done.err
    (run,) = [run for run in prefect.ask("flow_runs/filter") if run["parameters"].get("hub") == str(world.job)]
    assert (run["state_type"], run["name"]) == ("FAILED", f"{name_hub(world.job)}@{world.head()[:12]}")
    artifacts = prefect.ask("artifacts/filter", flow_runs={"id": {"any_": [run["id"]]}})
    (table,) = [artifact["data"] for artifact in artifacts if artifact["type"] == "markdown"]
    check_table(table, world, provider)


def test_a_failed_publish_appends_its_table_too(tmp_path: Path) -> None:
    """`--summary` is what a workflow shows: a failing night is not an empty page."""
    world = make_world(tmp_path, skills=6)
    summary = tmp_path / "summary.md"
    with ScriptedServer("openai") as provider:
        provider.script = [ok, edited(break_answer)]
        environment = {KEY_VARIABLE: CANARY, BASE_URL_VARIABLE: provider.url, "HUB_INDEX_CACHE": str(tmp_path / "c")}
        done = hub_index("publish", world.job, "--push", "--summary", summary, *OPTIONS, env=environment)
        assert done.code == 5, done.err
        check_table(summary.read_text(), world, provider)


def test_a_summary_that_cannot_be_written_hides_no_error(tmp_path: Path) -> None:
    """The run's own exit code stays, with a note beside it."""
    done = hub_index("publish", tmp_path / "nowhere", "--summary", tmp_path)
    assert done.code == 3
    assert "note: --summary" in done.err
    assert "there is no folder" in done.err.splitlines()[-1]
