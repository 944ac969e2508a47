"""Writes objects and refs and talks to remotes; reading the hub is the job of hub/git/repository.py.

Plumbing goes through hub/git/process.py, which reaches no network; the repository, its remotes, fetch and push are
GitPython's. Commands get a repository named in full, so that a hook's or a user's GIT_DIR or GIT_INDEX_FILE cannot lead
them elsewhere, and they never wait for a prompt. Nothing here looks at the work tree.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.base.install_hint import install_hint
from hub_index.base.shown_address import shown_address
from hub_index.errors import ConfigError, PublishError, SourceError
from hub_index.hub.git.own_settings import as_options, read_own_settings
from hub_index.hub.git.process import NO_PROGRAMS, GitOutcome, run_git

if TYPE_CHECKING:  # importing it takes 0.13 s, and only publishing needs it
    from git import Repo

_GENERAL_OPTIONS = ("--no-pager", "--literal-pathspecs")


class GitWriter:
    """One repository, open for writing."""

    def __init__(self, hub: Path) -> None:
        self._repo = _open(hub)
        self._variables = _name_in_full(self._repo)
        self._repo.git.update_environment(**self._variables, GIT_TERMINAL_PROMPT="0", GIT_NO_REPLACE_OBJECTS="1")
        self.own = read_own_settings(hub)
        self._options = (*as_options((*self.own.instead, f"core.hooksPath={self.own.hooks}")), *_GENERAL_OPTIONS)

    def ask(self, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> GitOutcome:
        """The outcome of a command that stays on this machine, with any status."""
        place = self._variables.get("GIT_WORK_TREE", self._variables["GIT_DIR"])  # paths count from the root
        return run_git(
            ["-C", place, *self._options, *arguments], stdin=stdin, variables=self._variables | dict(variables or {})
        )

    def ask_remote(self, *arguments: str, protocols: str, timeout_s: float) -> GitOutcome:
        """The outcome of a command on the network, in the user's own environment but for the allowed protocols."""
        status, out, errors = self._repo.git.execute(
            ["git", *NO_PROGRAMS, *self._options, *arguments],
            env={"GIT_ALLOW_PROTOCOL": protocols, "GIT_NO_LAZY_FETCH": "1"},
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            kill_after_timeout=timeout_s,
        )
        return GitOutcome(int(status), out, errors)

    def run(self, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> bytes:
        """The output of a command; for reading and for loose objects, never for moving a branch.

        Raises PublishError if it failed.
        """
        outcome = self.ask(*arguments, stdin=stdin, variables=variables)
        if outcome.status != 0:
            reason, remedy = outcome.reason, outcome.remedy
            raise PublishError(f"git {arguments[0]} failed: {reason}; no branch was moved by it, {remedy}")
        return outcome.out

    def word(self, *arguments: str) -> str:
        """The one line that a command printed, or "" if it failed."""
        return self.ask(*arguments).line

    def check_names(self, branch: str | None, remote: str | None) -> None:
        """Raises ConfigError for names that git does not accept, and for a remote that the repository does not have."""
        for what, name in (("--branch", branch), ("--remote", remote)):
            if name is None:
                continue
            if name.startswith("-") or self.ask("check-ref-format", f"refs/heads/{name}").status != 0:
                raise ConfigError(
                    f"{what} {shown_address(name)!r} is not a name that git accepts; `git help check-ref-format` has "
                    "the rules"
                )
        if remote is not None and remote not in self.remotes:
            raise ConfigError(f"there is no remote {shown_address(remote)!r}; `git remote` lists them")

    @property
    def remotes(self) -> tuple[str, ...]:
        """The names of the repository's remotes."""
        return tuple(remote.name for remote in self._repo.remotes)

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in this repository: in its files or in what git keeps of it."""
        places = (self._variables.get("GIT_WORK_TREE", ""), self._repo.common_dir)
        return any(Path(path).is_relative_to(os.path.realpath(place)) for place in places if place)

    @property
    def has_work_tree(self) -> bool:
        """True if a user may have files checked out here."""
        return not self._repo.bare

    @property
    def git_dir(self) -> Path:
        """Where git keeps what belongs to this checkout."""
        return Path(self._variables["GIT_DIR"])

    def close(self) -> None:
        """Lets go of git processes; may be called twice."""
        self._repo.close()


def _open(hub: Path) -> "Repo":
    try:
        from git import GitError, Repo
    except ModuleNotFoundError as error:
        raise ConfigError(f"publishing needs GitPython: {install_hint('build')}") from error
    try:
        return Repo(hub, search_parent_directories=True)
    except GitError as error:
        raise SourceError(f"{hub} is not a git repository that can be written: give the path of a clone") from error


def _name_in_full(repo: "Repo") -> dict[str, str]:
    git_dir = os.path.abspath(repo.git_dir)
    variables = {"GIT_DIR": git_dir, "GIT_INDEX_FILE": os.path.join(git_dir, "index")}
    if not repo.bare and repo.working_tree_dir is not None:
        variables["GIT_WORK_TREE"] = os.path.abspath(repo.working_tree_dir)
    return variables
