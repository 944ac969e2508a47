"""A server process for all tests of a run (also of several pytest workers), which lives no longer than the run."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

_KEPT: list["subprocess.Popen[bytes]"] = []
_PATIENCE_S = 150


def folder_of_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """Where all workers of the run look for the same thing."""
    base = factory.getbasetemp()
    return (base.parent if _in_worker() else base) / name


def shared_process(folder: Path, program: str, environment: Mapping[str, str]) -> str:
    """Where the process of this folder answers; whoever asks first starts `program NOTE PID`, which ends in `serve`."""
    note = folder / "address"
    try:
        folder.mkdir()
    except FileExistsError:
        pass
    else:
        lives_with = os.getppid() if _in_worker() else os.getpid()
        paths = os.pathsep.join(path for path in sys.path if path)
        _KEPT.append(  # a process that nobody refers to would be reported as forgotten
            subprocess.Popen(
                [sys.executable, program, str(note), str(lives_with)],
                env={**environment, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
    end_s = time.monotonic() + _PATIENCE_S
    while not note.exists():
        assert time.monotonic() < end_s, f"the process of {folder.name} did not start"
        time.sleep(0.1)
    return note.read_text()


def serve(address: str, note: str, lives_with: str) -> None:
    """Says where the server answers, and returns when the other process has ended, however that was."""
    Path(note).with_suffix(".new").write_text(address)
    Path(note).with_suffix(".new").rename(note)
    while _is_alive(int(lives_with)):
        time.sleep(0.5)


def _in_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
