"""One run of a hub at a time, by a lock that no dead run keeps."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import PrefectServer
from support.processes.cli_runner import hub_index

from hub_index.hub.git.address import name_hub
from pipelines.one_run import only_run

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_a_second_run_finds_the_first_at_work_and_another_hubs_run_does_not(tmp_path: Path) -> None:
    """The lock is the hub's own, and is free again after the block."""
    with (
        only_run("a-hub", tmp_path) as first,
        only_run("a-hub", tmp_path) as second,
        only_run("another", tmp_path) as other,
    ):
        assert (first, second, other) == (True, False, True)
    with only_run("a-hub", tmp_path) as again:
        assert again


def test_a_killed_run_keeps_nothing(tmp_path: Path) -> None:
    """SIGKILL ends the lock at once."""
    child = os.fork()
    if child == 0:
        with only_run("a-hub", tmp_path):
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with only_run("a-hub", tmp_path) as is_ours:
        assert is_ours


def test_where_no_lock_can_be_kept_runs_are_not_stopped(tmp_path: Path) -> None:
    """A cache folder that is a file: git's compare-and-swap still keeps two runs apart."""
    (tmp_path / "cache").write_text("")
    with only_run("a-hub", tmp_path / "cache") as is_ours:
        assert is_ours


def test_a_run_by_hand_beside_another_is_refused_in_one_line(tmp_path: Path, prefect: PrefectServer) -> None:
    """Exit 7, and nothing is written."""
    story = make_story(tmp_path / "hub", skills=2)
    environment: dict[str, Any] = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    with only_run(name_hub(story.hub.root), tmp_path / "cache"):
        done = hub_index("flow", "run", story.hub.root, HUB_INDEX_CACHE=str(tmp_path / "cache"), **environment)
    assert (done.code, story.files()) == (7, {}), done.err
    assert "another run of hub-" in done.err
    assert "Traceback" not in done.err
