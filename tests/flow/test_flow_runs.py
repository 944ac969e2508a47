"""The flow, run by the real command line against a real Prefect server, and against the one that Prefect embeds."""

import json
from pathlib import Path

from support.builds.build_story import make_story
from support.builds.publish_world import git, make_world
from support.flows.prefect_server import PrefectServer
from support.processes.cli_runner import hub_index

STEPS = {"fetch", "snapshot", "plan", "embed", "assemble", "commit", "push"}


def test_a_published_run_shows_its_tasks_its_progress_and_its_table(tmp_path: Path, prefect: PrefectServer) -> None:
    """One commit on the remote; the server has the core's steps as tasks, 100 % and a table; then nothing to do."""
    world = make_world(tmp_path, skills=3)
    home = str(tmp_path / "prefect")
    done = hub_index("flow", "run", world.job, "--publish", "--json", PREFECT_API_URL=prefect.url, PREFECT_HOME=home)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["embedded"], report["commit"]) == (3, world.head())
    assert len(world.ids()) == 3

    (run,) = [run for run in prefect.ask("flow_runs/filter") if run["parameters"].get("hub") == str(world.job)]
    mine = {"flow_runs": {"id": {"any_": [run["id"]]}}}
    assert run["state_name"] == "Completed"
    artifacts = {artifact["type"]: artifact["data"] for artifact in prefect.ask("artifacts/filter", **mine)}
    assert artifacts["progress"] == 100.0
    assert "| Added | 3: skill" in artifacts["markdown"]
    tasks = {task["name"].rpartition("-")[0] for task in prefect.ask("task_runs/filter", **mine)}
    assert tasks <= STEPS  # told by events, which may arrive a moment later

    again = hub_index("flow", "run", world.job, "--publish", "--json", PREFECT_API_URL=prefect.url, PREFECT_HOME=home)
    assert json.loads(again.out)["commit"] is None
    assert world.commits() == 2
    assert git(world.job, "status", "--porcelain") == ""


def test_a_run_without_any_server_brings_its_own(tmp_path: Path, prefect: PrefectServer) -> None:
    """No PREFECT_API_URL: Prefect's embedded server serves one run, and the hub's folder is brought up to date."""
    story = make_story(tmp_path / "hub", skills=2)
    home = tmp_path / "prefect"
    prefect.copy_database(home)
    done = hub_index("flow", "run", story.hub.root, "--json", PREFECT_HOME=str(home), timeout_s=180)
    assert done.code == 0, done.err
    assert json.loads(done.out)["skills"] == 2
    assert len(story.records()) == 2


def test_a_flow_fails_with_the_cores_exit_code_and_one_line(tmp_path: Path, prefect: PrefectServer) -> None:
    """Prefect's server gets the whole story, the terminal one line."""
    home = str(tmp_path / "prefect")
    done = hub_index("flow", "run", tmp_path / "nowhere", PREFECT_API_URL=prefect.url, PREFECT_HOME=home)
    assert done.code == 3
    # Prefect's own thread says so on its way out where a loaded server is slow to take the last event
    lines = [line for line in done.err.splitlines() if "EventsWorker - Still processing" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("hub-index: there is no folder")


def test_a_scheduled_run_leaves_a_held_index_alone(tmp_path: Path, prefect: PrefectServer) -> None:
    """After a rollback the flow completes, publishes nothing and says in its table that the index is held."""
    world = make_world(tmp_path, skills=2)
    world.publish()
    world.push_skill("late", "Does one thing more.")
    world.publish()
    held = world.roll_back().commit
    home = str(tmp_path / "prefect")
    done = hub_index("flow", "run", world.job, "--publish", "--json", PREFECT_API_URL=prefect.url, PREFECT_HOME=home)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["commit"], report["changed"], world.head()) == (None, False, held)
    (run,) = [run for run in prefect.ask("flow_runs/filter") if run["parameters"].get("hub") == str(world.job)]
    artifacts = prefect.ask("artifacts/filter", flow_runs={"id": {"any_": [run["id"]]}})
    assert any("| Index | held, 2 skills" in str(artifact["data"]) for artifact in artifacts)
