"""Kill -9 of the flow at every stage: the next run finishes, pays at most for what was in flight, publishes once."""

import signal
from pathlib import Path

import pytest
from support.builds.publish_world import git, make_world
from support.flows.flow_child import run_flow_child
from support.flows.prefect_server import PrefectServer
from support.models.fake_encoder import FakeEncoder


@pytest.mark.soak
@pytest.mark.parametrize(
    ("when", "step"),
    [("call", "2"), ("before", "commit"), ("after", "assemble"), ("before", "push"), ("after", "push")],
)
def test_a_killed_flow_is_finished_by_the_next(tmp_path: Path, prefect: PrefectServer, when: str, step: str) -> None:
    """During embedding, around the assembly, between commit and push, after the push."""
    world = make_world(tmp_path, skills=10)
    record, before = tmp_path / "texts", world.head()
    environment = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    arguments = [str(world.job), str(tmp_path / "cache"), str(record)]
    assert run_flow_child([*arguments, when, step], environment) == -signal.SIGKILL
    assert (world.head() == before) == ((when, step) != ("after", "push"))
    assert git(world.job, "status", "--porcelain") == ""
    assert run_flow_child(arguments, environment) == 0
    assert len(world.ids()) == 10  # read by our own reader, in full
    assert world.commits() == 2
    asked = record.read_text().splitlines()
    assert len(set(asked)) == 10
    assert len(asked) <= 10 + (FakeEncoder().batch_size if when == "call" else 0)
