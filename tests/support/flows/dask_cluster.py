"""A Dask scheduler and workers as real processes, to be killed one by one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipelines.local_server import free_port


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the scheduler answers, and the worker processes."""

    address: str
    workers: list["subprocess.Popen[bytes]"]


@contextmanager
def cluster(workers: int = 2) -> Iterator[Cluster]:
    """A scheduler on loopback with so many workers of one thread each, all ended with the block."""
    port = str(free_port())
    scheduler = _start("scheduler", "--host", "127.0.0.1", "--port", port)
    address = f"tcp://127.0.0.1:{port}"
    started = [_start("worker", address, "--nthreads", "1", "--no-nanny") for _ in range(workers)]
    try:
        yield Cluster(address, started)
    finally:
        for process in (*started, scheduler):
            process.kill()
            process.wait()


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
        env=os.environ | {"DASK_LOGGING__DISTRIBUTED": "error", "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
