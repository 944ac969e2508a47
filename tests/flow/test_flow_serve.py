"""`flow serve`: a deployment with a schedule, one build at a time, that runs when asked and ends when told."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import PrefectServer, wait_until

from hub_index.hub.git.address import name_hub


@pytest.mark.soak
def test_a_served_flow_builds_when_it_is_triggered_and_ends_when_it_is_stopped(
    tmp_path: Path, prefect: PrefectServer
) -> None:
    """A run that somebody starts by hand is done by the serving process; SIGTERM ends that."""
    story = make_story(tmp_path / "hub", skills=2)
    environment = {
        "PREFECT_API_URL": prefect.url,
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
    }
    command = [sys.executable, "-m", "hub_index", "flow", "serve", str(story.hub.root), "--cron", "17 3 1 1 *"]
    server = subprocess.Popen(command, env=os.environ | environment, cwd=Path(__file__).parents[2])
    try:
        name = name_hub(story.hub.root)
        mine = {"deployments": {"name": {"any_": [name]}}}
        (deployment,) = wait_until(lambda: prefect.ask("deployments/filter", **mine))
        assert deployment["tags"] == [name]
        assert deployment["global_concurrency_limit"] is None  # one run at a time is our own lock's part
        assert deployment["schedules"][0]["schedule"]["cron"] == "17 3 1 1 *"
        mine = {"flow_runs": {"id": {"any_": [prefect.start_run(deployment["id"])]}}}
        wait_until(lambda: prefect.ask("flow_runs/filter", **mine)[0]["state_type"] == "COMPLETED")
        assert len(story.records()) == 2
        mine = {"flow_runs": {"id": {"any_": [prefect.start_run(deployment["id"], max_drop="-5")]}}}
        (failed,) = wait_until(
            lambda: [run for run in prefect.ask("flow_runs/filter", **mine) if run["state_type"] == "FAILED"]
        )
        assert "'-5' is not a number of points from 0 to 100" in failed["state"]["message"]
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
