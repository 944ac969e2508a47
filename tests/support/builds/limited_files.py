"""Runs the command line where no file may grow beyond a limit: a full disk that an ordinary user can have."""

import os
import subprocess
import sys

from support.processes.cli_runner import CommandOutcome

_LIMITED = """
import resource, sys
from hub_index.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""
# Python itself must write nothing under the limit: it would leave broken files in __pycache__
_NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}


def hub_index_limited(max_bytes: int, *arguments: str, **environment: str) -> CommandOutcome:
    """The outcome of `hub-index …` in a process, with its children, that may write no larger file."""
    command = [sys.executable, "-c", _LIMITED, str(max_bytes), *arguments]
    variables = os.environ | environment | _NO_BYTECODE
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    return CommandOutcome(done.returncode, done.stdout, done.stderr)
