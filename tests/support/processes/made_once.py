"""What is dear to make is made by the first process of a test run; the others copy it."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

RUN_FOLDER = "PYTEST_RUN_FOLDER"  # the variable that tells the workers of one run where they meet


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of this process's own with what `make` puts into an empty one.

    A copy, and not the same files: workers that link to one file change its times under each other's hands.
    """
    original = Path(os.environ[RUN_FOLDER]) / name
    with original.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not original.exists():
            unfinished = Path(tempfile.mkdtemp(dir=original.parent))
            make(unfinished)
            unfinished.rename(original)
    parent = Path(tempfile.mkdtemp(prefix=f"hub-index-test-{name}-"))
    atexit.register(shutil.rmtree, parent, ignore_errors=True)
    return Path(shutil.copytree(original, parent / name))
