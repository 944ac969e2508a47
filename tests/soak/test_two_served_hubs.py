"""Two hubs served on one Prefect server, minute after minute: neither takes the other's place."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory, make_story
from support.flows.prefect_server import PrefectServer, shared_server, wait_until

from hub_index.hub.git.address import name_hub

_SCHEDULES = 3
_PATIENCE_S = 120.0 * _SCHEDULES


@dataclass(frozen=True, slots=True)
class Served:
    """A hub, and what the server knows of it."""

    story: BuildStory
    server: PrefectServer
    process: "subprocess.Popen[bytes]"

    def deployment(self) -> dict[str, Any]:
        named = {"name": {"any_": [name_hub(self.story.hub.root)]}}
        (found,) = wait_until(lambda: self.server.ask("deployments/filter", deployments=named))
        return dict(found)

    def completed(self, *, by_schedule: bool) -> list[dict[str, Any]]:
        mine = {"id": {"any_": [self.deployment()["id"]]}}
        runs = self.server.ask(
            "flow_runs/filter", deployments=mine, flow_runs={"state": {"type": {"any_": ["COMPLETED"]}}}
        )
        return [run for run in runs if run["auto_scheduled"] == by_schedule]

    def wait_for_schedules(self, count: int) -> None:
        wait_until(lambda: len(self.completed(by_schedule=True)) >= count, _PATIENCE_S)


@contextmanager
def serving(story: BuildStory, server: PrefectServer, home: Path) -> Iterator[Served]:
    """A `flow serve` of the hub, every minute."""
    settings = {"PREFECT_API_URL": server.url, "PREFECT_HOME": str(home), "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    command = [sys.executable, "-m", "hub_index", "flow", "serve", str(story.hub.root), "--cron", "* * * * *"]
    process = subprocess.Popen(command, env=os.environ | settings, cwd=Path(__file__).parents[2])
    try:
        yield Served(story, server, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.soak
def test_f85_two_served_hubs_each_keep_their_schedule(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three schedules each with a manual run between, then one is ended: the other goes on, and both have their own."""
    server = shared_server(tmp_path_factory)
    stories = [make_story(tmp_path / place / "hub", skills=count) for place, count in (("a", 2), ("b", 3))]
    with serving(stories[0], server, tmp_path / "p") as first, serving(stories[1], server, tmp_path / "q") as second:
        for served in (first, second):
            served.wait_for_schedules(1)
        stories[0].hub.skill("by-hand")
        stories[0].hub.commit("one more")
        run = server.start_run(first.deployment()["id"])
        is_mine = {"id": {"any_": [run]}}
        wait_until(lambda: server.ask("flow_runs/filter", flow_runs=is_mine)[0]["state_type"] == "COMPLETED")
        assert len(stories[0].records()) == 3
        for served in (first, second):
            served.wait_for_schedules(_SCHEDULES)
        first.process.send_signal(signal.SIGINT)  # Ctrl-C, at which Prefect pauses what the process served
        assert first.process.wait(60) == 0
        assert not second.deployment()["paused"]
        stories[1].hub.skill("afterwards")
        stories[1].hub.commit("one more")
        second.wait_for_schedules(len(second.completed(by_schedule=True)) + 1)
        for served in (first, second):
            runs = served.completed(by_schedule=True) + served.completed(by_schedule=False)
            assert {run["parameters"]["hub"] for run in runs} == {str(served.story.hub.root)}
            assert {run["name"].partition("@")[0] for run in runs} == {name_hub(served.story.hub.root)}
    assert [len(story.records()) for story in stories] == [3, 4]
