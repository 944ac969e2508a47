"""Writes objects and refs and talks to remotes, through GitPython; reading is the job of hub/git/repository.py.

Nothing here looks at the work tree. Commands get a repository named in full, so that a hook's or a user's GIT_DIR or
GIT_INDEX_FILE cannot lead them elsewhere, and they never wait for a prompt.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.errors import ConfigError, PublishError, SourceError

if TYPE_CHECKING:  # 0.13 s that only publishing pays
    from git import Repo

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")  # a token in a remote's address must reach no message (F43)
_SAID_CHARS = 400


@dataclass(frozen=True, slots=True)
class GitOutcome:
    """How a git command ended."""

    status: int
    out: bytes
    said: str  # what it complained about, fit to be shown


class GitWriter:
    """One repository, open for writing."""

    def __init__(self, hub: Path) -> None:
        self._repo = _open(hub)
        self._repo.git.update_environment(**_environment(self._repo))

    def ask(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        variables: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> GitOutcome:
        """How a command ended, whatever its status."""
        with tempfile.TemporaryFile() as questions:
            if stdin is not None:
                questions.write(stdin)
                questions.seek(0)
            status, out, said = self._repo.git.execute(
                ["git", "--no-pager", "--literal-pathspecs", *arguments],
                istream=questions if stdin is not None else None,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=timeout_s,
                env=variables,
            )
        return GitOutcome(int(status), out, _shown(said))

    def run(self, *arguments: str, stdin: bytes | None = None, variables: Mapping[str, str] | None = None) -> bytes:
        """What a command printed; for reading and for loose objects, never for moving a branch.

        Raises PublishError where it failed.
        """
        answer = self.ask(*arguments, stdin=stdin, variables=variables)
        if answer.status != 0:
            raise PublishError(f"git {arguments[0]} failed: {answer.said}; no branch was moved by it, run again")
        return answer.out

    def word(self, *arguments: str) -> str:
        """The one line that a command printed, or "" where it failed."""
        answer = self.ask(*arguments)
        return answer.out.decode("utf-8", "surrogateescape").strip("\n") if answer.status == 0 else ""

    @property
    def remotes(self) -> tuple[str, ...]:
        """The names of the repository's remotes."""
        return tuple(remote.name for remote in self._repo.remotes)

    @property
    def has_work_tree(self) -> bool:
        """Whether somebody may have files checked out here."""
        return not self._repo.bare

    @property
    def git_dir(self) -> Path:
        """Where git keeps what belongs to this checkout."""
        return Path(os.path.abspath(self._repo.git_dir))

    def close(self) -> None:
        """Lets go of git processes; may be called twice."""
        self._repo.close()


def _open(hub: Path) -> "Repo":
    try:
        from git import GitError, Repo
    except ModuleNotFoundError as error:
        raise ConfigError("publishing needs GitPython: pip install 'hub-index[build]'") from error
    try:
        return Repo(hub, search_parent_directories=True)
    except GitError as error:
        raise SourceError(f"{hub} is no git repository that can be written: give the path of a clone") from error


def _environment(repo: "Repo") -> dict[str, str]:
    found = {
        "GIT_DIR": os.path.abspath(repo.git_dir),
        "GIT_INDEX_FILE": os.path.join(os.path.abspath(repo.git_dir), "index"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    if not repo.bare and repo.working_tree_dir is not None:
        found["GIT_WORK_TREE"] = os.path.abspath(repo.working_tree_dir)
    return found


def _shown(said: str) -> str:
    lines = [line.strip() for line in said.replace("\r", "\n").split("\n") if line.strip()]
    telling = [line for line in lines if not line.startswith(("hint:", "To ", "Everything up-to-date"))] or lines
    text = _CREDENTIALS.sub("", "; ".join(telling))
    return "".join(sign for sign in text if sign.isprintable())[:_SAID_CHARS] or "no reason given"
