"""Runs the real command line in a child process, as a user would."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended."""

    code: int
    out: str
    err: str


def hub_index(
    *arguments: str | Path,
    cwd: Path | None = None,
    timeout_s: float = 120,
    env: dict[str, str] | None = None,
    **environment: str,
) -> CommandOutcome:
    """The outcome of `hub-index …` with some variables set besides the test's own."""
    done = subprocess.run(
        [sys.executable, "-m", "hub_index", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | (env or {}) | environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout_s,
        check=False,
    )
    return CommandOutcome(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )
