"""The Dask runner compared with threads: the whole hub on two workers, and again while one of them is killed."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Thread

from benchmarks.hubs import make_hub, skill_files
from pipelines.local_server import free_port, local_server
from pipelines.offline import set_offline_defaults


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        root = Path(folder)
        os.environ["PREFECT_HOME"] = str(root / "prefect")
        set_offline_defaults(os.environ)
        hub = make_hub(root / "hub")
        print(f"{len(skill_files(hub))} skills, two workers; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        threads = _run(hub, root / "threads", [])
        with local_server() as url, _cluster() as (address, workers):
            os.environ["PREFECT_API_URL"] = url
            cluster = ["--runner", "dask", "--dask-address", address]
            print(f"  same bytes as threads: {_run(hub, root / 'dask', cluster) == threads}")
            killer = Thread(target=_kill_half_way, args=(workers[0], root / "killed"))
            killer.start()
            same = _run(hub, root / "killed", cluster) == threads
            killer.join()
            print(f"  same bytes with one worker killed half way: {same}; it ended with {workers[0].wait()}")


def _run(hub: Path, place: Path, options: list[str]) -> dict[str, str]:
    """The digests of rows and vectors that a build from nothing wrote."""
    verb = ["flow", "run"] if options else ["build"]
    command = [*verb, str(hub), "--out", str(place / "index"), "--cache", str(place / "cache"), *options]
    started_s = time.monotonic()
    subprocess.run([sys.executable, "-m", "hub_index", *command], check=True, stdout=subprocess.DEVNULL)
    print(f"  {' '.join(verb + options[:2]):<26} {time.monotonic() - started_s:6.1f} s", flush=True)
    files = [place / "index" / name for name in ("skills.jsonl", "vectors.f32")]
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in files}


def _kill_half_way(worker: "subprocess.Popen[bytes]", place: Path) -> None:
    """Waits until the cache holds about half of the vectors, then kills."""
    half = 6_793 * 512 * 4 // 2
    while sum(file.stat().st_size for file in (place / "cache").rglob("*.parquet")) < half * 0.9:
        time.sleep(0.2)
    worker.send_signal(signal.SIGKILL)


@contextmanager
def _cluster() -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A scheduler and two workers as processes of their own."""
    port = str(free_port())
    scheduler = _start("scheduler", "--host", "127.0.0.1", "--port", port)
    address = f"tcp://127.0.0.1:{port}"
    workers = [_start("worker", address, "--nthreads", "1", "--no-nanny") for _ in range(2)]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
        env=os.environ | {"DASK_LOGGING__DISTRIBUTED": "error"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
