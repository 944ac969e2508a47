"""Runs the real command line: in a child process, as a user would, or in this one."""

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch


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


def hub_index_here(
    *arguments: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None, **environment: str
) -> CommandOutcome:
    """The same outcome without a new process, which takes longer to start than most commands to run.

    For tests of what a command does and says; how it starts, what it imports and how it dies needs the real one.
    """
    from hub_index.cli.main import main

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    with (
        patch.dict(os.environ, (env or {}) | environment),
        chdir(cwd or os.curdir),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        code = main([str(argument) for argument in arguments])
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)
    return CommandOutcome(code, out, err)
