"""A `flow serve` in a process group of its own that can be killed outright: its run, itself, or its server as well."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hub_index.hub.git.address import name_hub
from support.flows.prefect_server import PrefectServer, wait_until

_NEVER = "17 3 1 1 *"  # runs are started by hand


@dataclass(frozen=True, slots=True)
class ServedFlow:
    """The serving process, and the server that it talks to."""

    process: "subprocess.Popen[bytes]"
    prefect: PrefectServer
    deployment: str

    def kill_group(self) -> None:
        """Nothing of it is left but what lives elsewhere; a server that it started for itself dies too."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def kill_run(self) -> None:
        """Only the process of the run dies."""
        (run,) = [pid for pid in _pids() if _is_run(pid, self.process.pid)]
        os.kill(run, signal.SIGKILL)

    def state_of(self, run: str) -> str:
        (found,) = self.prefect.ask("flow_runs/filter", flow_runs={"id": {"any_": [run]}})
        return str(found["state_type"])


@contextmanager
def serve_flow(hub: Path, home: Path, environment: dict[str, str], *options: str) -> Iterator[ServedFlow]:
    """Serves a hub; without PREFECT_API_URL with a server of its own. Whatever still lives is killed at the end."""
    command = [sys.executable, "-m", "hub_index", "flow", "serve", str(hub), "--cron", _NEVER, *options]
    settings = {"PREFECT_HOME": str(home), "PREFECT_RUNNER_POLL_FREQUENCY": "1"} | environment
    log = home.parent / f"{home.name}.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, env=os.environ | settings, stderr=errors, cwd=Path(__file__).parents[3], start_new_session=True
        )
    try:
        url = environment.get("PREFECT_API_URL") or _announced_url(log)
        prefect = PrefectServer(url, home)
        named = {"name": {"any_": [name_hub(hub)]}}
        wait_until(lambda: "serving " in log.read_text())
        (deployment,) = wait_until(lambda: prefect.ask("deployments/filter", deployments=named))
        yield ServedFlow(process, prefect, deployment["id"])
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _announced_url(log: Path) -> str:
    found = wait_until(lambda: re.search(r"running at (\S+)", log.read_text()))
    return f"{found[1]}/api"


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _is_run(pid: int, parent: int) -> bool:
    """Prefect starts a served run by multiprocessing, beside a tracker of resources."""
    try:
        about, command = Path(f"/proc/{pid}/status").read_text(), Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # ended meanwhile
        return False
    return f"\nPPid:\t{parent}\n" in about and b"spawn_main" in command
