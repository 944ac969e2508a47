"""`prefect.yaml` on a fresh server: the commands of docs/operators.md, copied from the page, publish an index."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.builds.publish_world import make_world
from support.flows.prefect_server import PrefectServer, wait_until
from support.processes.documented_commands import ROOT, work_pool_commands

from pipelines.local_server import free_port


@contextmanager
def shell(script: str, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """The script in a shell and a process group of its own, ended with the block."""
    command = ["bash", "-euc", script]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def is_up(prefect: PrefectServer) -> bool:
    """Whether the server answers."""
    try:
        prefect.ask("flow_runs/filter")
    except OSError:
        return False
    return True


@pytest.mark.soak
def test_the_documented_commands_publish_an_index_on_a_fresh_server(tmp_path: Path) -> None:
    """Server, pool, variables, deployment, run and worker: then the remote has the index, by a run that says so."""
    world = make_world(tmp_path, skills=3)
    port = str(free_port())
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PREFECT_", "HUB_"))}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_SERVER_API_PORT": port,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "HUB_INDEX_CACHE": str(tmp_path / "cache"),
    }
    filled_in = {"/path/to/clone": str(world.job), ":4200/": f":{port}/"}
    commands = work_pool_commands()
    for placeholder, text in filled_in.items():
        commands = [line.replace(placeholder, text) for line in commands]
    prefect = PrefectServer(f"http://127.0.0.1:{port}/api", tmp_path / "prefect")
    with shell(commands[0], environment):
        wait_until(lambda: is_up(prefect))
        with shell("\n".join(commands[1:]), environment) as worker:
            wait_until(lambda: worker.poll() is not None or any_run_is(prefect, "COMPLETED"), 180)
            assert worker.poll() is None, "one of the commands failed"
    assert len(world.ids()) == 3
    assert world.commits() == 2


def any_run_is(prefect: PrefectServer, state: str) -> bool:
    """Whether some run has come to that state."""
    return any(run["state_type"] == state for run in prefect.ask("flow_runs/filter"))
