"""How git is started: argument lists, a cleaned environment, no network, no prompt, and never left behind.

The one place that starts a git process: `repository.py` says what is asked, `network.py` lets git reach a server. No
hook and no program that a hub's own `.git/config` names is run (F87); `own_settings.py` says what that takes where git
writes, looks at the work tree or reaches a server.
"""

import errno
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from hub_index.base.characters import short_line
from hub_index.base.shown_address import without_credentials
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
# options of every git: nothing that a stranger's repository holds may run
NO_PROGRAMS = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_QUESTIONS_AT_ONCE = 1000
_REASON_CHARS = 400
_DISK_FULL = (
    *map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)),
    "Out of diskspace",
    f"died of signal {signal.SIGXFSZ.value}",
)
_TELLS_NOTHING = ("hint:", "warning:", "To ", "Everything up-to-date", "Cloning into ")


@dataclass(frozen=True, slots=True)
class GitOutcome:
    """The end of a git command: its exit status, its stdout (`out`) and its stderr (`said`)."""

    status: int
    out: bytes
    said: str

    @property
    def line(self) -> str:
        """The one line that was printed; empty if the command failed."""
        return os.fsdecode(self.out).removesuffix("\n") if self.status == 0 else ""

    @property
    def reason(self) -> str:
        """Why git failed, in one short line without credentials."""
        lines = [line.strip() for line in self.said.replace("\r", "\n").split("\n") if line.strip()]
        telling = [line for line in lines if not line.startswith(_TELLS_NOTHING)] or lines
        text = "; ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in telling)
        return short_line(without_credentials(text), _REASON_CHARS) or self._ending

    @property
    def is_disk_full(self) -> bool:
        """Whether a disk, or a limit of files' sizes, kept git from writing."""
        return self.status == -signal.SIGXFSZ or any(words in self.said for words in _DISK_FULL)

    @property
    def remedy(self) -> str:
        """What to do before a failed write is tried again."""
        if self.is_disk_full:
            return "free space, then run again"
        is_refused = os.strerror(errno.EACCES) in self.said or "insufficient permission" in self.said
        return "change the rights there, then run again" if is_refused else "run again"

    @property
    def _ending(self) -> str:
        """The reason for a git without output: a signal means that it was killed, by a limit or for lack of memory."""
        if self.status >= 0:
            return "no reason given"
        return f"it was stopped by signal {-self.status} ({signal.strsignal(-self.status) or 'unknown'})"


def clean_environment() -> dict[str, str]:
    """Today's environment without what would point git to another repository, index or pathspec rule."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
    }
    return kept | _FIXED_VARIABLES


def start_git(arguments: list[str], environment: dict[str, str], **options: Any) -> subprocess.Popen[bytes]:
    """A running git with a pipe from its stdout; `options` are Popen's. Raises SourceError if git cannot be started.

    Arguments go in git's own encoding, UTF-8, whatever the locale: a path of a hub may not fit into ASCII.
    """
    command = [part.encode("utf-8", "surrogateescape") for part in ("git", *NO_PROGRAMS, *arguments)]
    try:
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, **options)
    except OSError as error:
        raise SourceError(
            f"git cannot be started ({error.strerror}): install git 2.30 or newer and put it on PATH"
        ) from error


def run_git(arguments: list[str], *, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> GitOutcome:
    """The outcome of a command, with any status; `variables` are added to the environment. Raises SourceError."""
    environment = clean_environment() | dict(variables or {})
    with _ended(start_git(arguments, environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)) as process:
        out, errors = process.communicate(stdin)
        return GitOutcome(process.returncode, out, errors.decode("utf-8", "replace"))


@contextmanager
def git_stream(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A running git with pipes on both sides, ended and collected when the block is left. Raises SourceError."""
    # stderr: no thread would drain it; answer and exit status say enough
    process = start_git(arguments, clean_environment(), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with _ended(process):
        yield process


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:  # also where the caller has seen enough and stops reading
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            close_pipe(pipe)
        process.wait()


def send_lines(pipe: IO[bytes] | None, lines: list[str]) -> None:
    """Writes lines and closes the pipe; a reader that has gone away is not an error here."""
    if pipe is None:
        return
    try:
        for start in range(0, len(lines), _QUESTIONS_AT_ONCE):
            pipe.write("".join(f"{line}\n" for line in lines[start : start + _QUESTIONS_AT_ONCE]).encode("ascii"))
    except OSError:
        return  # git is gone; the reader of its answers reports it
    finally:
        close_pipe(pipe)


def close_pipe(pipe: IO[bytes] | None) -> None:
    """Closes a pipe; unread bytes in it raise no error."""
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        return  # what was still to be written has no reader any more: nothing is lost
