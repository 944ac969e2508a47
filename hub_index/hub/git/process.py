"""How git is started: argument lists, a cleaned environment, no network, no prompt, and never left behind.

The one place of the reading side that knows `subprocess`; `git.py` says what is asked.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from hub_index.errors import SourceError

# The user's own configuration stays (safe.directory lives there); all that points git elsewhere goes.
_KEPT_VARIABLES = ("GIT_CONFIG_", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_FIXED_VARIABLES = {
    "LC_ALL": "C",  # messages are compared with English words
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # git before 2.45 does not know it; the next line stops those
    "GIT_ALLOW_PROTOCOL": "none",
}
_QUESTIONS_AT_ONCE = 1000


def clean_environment() -> dict[str, str]:
    """Today's environment without what would point git to another repository, index or pathspec rule."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
    }
    return kept | _FIXED_VARIABLES


def run_git(arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """What git answered, whatever its exit status. Raises SourceError where there is no git."""
    try:
        return subprocess.run(
            ["git", *arguments], env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise SourceError(
            f"git cannot be started ({error.strerror}): install git 2.30 or newer and put it on PATH"
        ) from error


@contextmanager
def git_stream(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A running git with pipes on both sides, ended and collected when the block is left."""
    process = subprocess.Popen(
        ["git", *arguments],
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # nobody would drain it; answer and exit status say enough
    )
    try:
        yield process
    finally:  # also where the caller has seen enough and stops reading
        process.kill()
        for pipe in (process.stdin, process.stdout):
            close_pipe(pipe)
        process.wait()


def send_lines(pipe: IO[bytes] | None, lines: list[str]) -> None:
    """Writes lines and closes the pipe; a reader that has gone away is no error here."""
    if pipe is None:
        return
    try:
        for start in range(0, len(lines), _QUESTIONS_AT_ONCE):
            pipe.write("".join(f"{line}\n" for line in lines[start : start + _QUESTIONS_AT_ONCE]).encode("ascii"))
    except OSError:
        return  # git is gone; whoever reads its answers finds out and says so
    finally:
        close_pipe(pipe)


def close_pipe(pipe: IO[bytes] | None) -> None:
    """Closes a pipe even where bytes are left that nobody will read."""
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        return  # what was still to be written has no reader any more: nothing is lost
