"""What Prefect costs: an unchanged hub by the plain command line, with a running server, and with the embedded one."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.hubs import make_hub, skill_files
from pipelines.local_server import local_server
from pipelines.offline import set_offline_defaults

_RUNS = 3


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        os.environ["PREFECT_HOME"] = str(Path(folder) / "prefect")
        set_offline_defaults(os.environ)
        hub = make_hub(Path(folder) / "hub")
        cache = ["--cache", str(Path(folder) / "cache")]
        _run(["build", str(hub), *cache])
        print(
            f"{len(skill_files(hub))} skills, nothing changed; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
        _print("plain command line", ["build", str(hub), *cache])
        with local_server() as url:
            _print("flow, running server", ["flow", "run", str(hub), *cache], PREFECT_API_URL=url)
        _print("flow, embedded server", ["flow", "run", str(hub), *cache])


def _print(what: str, arguments: list[str], **environment: str) -> None:
    times = sorted(_run(arguments, **environment) for _ in range(_RUNS))
    print(
        f"  {what:<24} median {times[len(times) // 2]:6.2f} s  (of {', '.join(f'{seconds:.2f}' for seconds in times)})"
    )


def _run(arguments: list[str], **environment: str) -> float:
    started_s = time.monotonic()
    command = [sys.executable, "-m", "hub_index", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
    return time.monotonic() - started_s
