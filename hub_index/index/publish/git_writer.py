"""Writes objects and refs and talks to remotes; reading the hub is the job of hub/git/repository.py.

Plumbing goes through hub/git/process.py, which reaches no network; the repository, its remotes, fetch and push are
GitPython's. Commands get a repository named in full, so that a hook's or a user's GIT_DIR or GIT_INDEX_FILE cannot lead
them elsewhere, and they never wait for a prompt. Nothing here looks at the work tree.

A tree with one folder's files replaced keeps every other entry exactly as it was.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.base.install_hint import install_hint
from hub_index.base.shown_address import shown_address
from hub_index.errors import ConfigError, PublishError, SourceError
from hub_index.hub.git.own_settings import as_options, read_own_settings
from hub_index.hub.git.process import NO_PROGRAMS, GitOutcome, run_git

if TYPE_CHECKING:
    from git import Repo


_GENERAL_OPTIONS = ("--no-pager", "--literal-pathspecs")
Entry = tuple[str, str, str, bytes]  # mode, type, id, name: a line of ls-tree
Entries = list[Entry]

_KINDS = {"commit": "submodule", "blob": "file or link"}


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


def graft_files(
    writer: GitWriter, root: str | None, folder: str, blobs: dict[str, str], is_ours: Callable[[str], bool]
) -> str:
    """The id of a tree like `root` (None: an empty one) with these {name: blob} as plain files in the folder.

    Other files with our names are removed from the folder: an old signature or hold, another format's files.

    Raises PublishError if a link, file or submodule stands in the folder's place.
    """
    parts = [part.encode("utf-8", "surrogateescape") for part in folder.split("/")]
    levels = _read_levels(writer, root, parts)
    kept = [entry for entry in levels[-1] if not is_ours(entry[3].decode("utf-8", "surrogateescape"))]
    tree = _make_tree(writer, kept, [("100644", "blob", blob, name.encode()) for name, blob in blobs.items()])
    for entries, part in zip(reversed(levels[:-1]), reversed(parts), strict=True):
        tree = _make_tree(writer, entries, [("040000", "tree", tree, part)])
    return tree


def list_folder(writer: GitWriter, commit: str, folder: str) -> Entries:
    """The entries of a commit's folder; empty if it is missing or not a folder."""
    outcome = writer.ask("ls-tree", "-z", "--full-tree", f"{commit}:{folder}")
    return parse_tree(outcome.out) if outcome.status == 0 else []


def _read_levels(writer: GitWriter, root: str | None, parts: list[bytes]) -> list[Entries]:
    """The entries of every tree from the root down to the folder; empty for each missing one."""
    levels: list[Entries] = []
    tree = root
    for part in [*parts, b""]:
        levels.append(parse_tree(writer.run("ls-tree", "-z", "--full-tree", tree)) if tree else [])
        tree = _find_tree(levels[-1], part)
    return levels


def _find_tree(entries: Entries, name: bytes) -> str | None:
    for _, kind, object_id, entry_name in entries:
        if entry_name == name:
            if kind != "tree":
                shown = name.decode("utf-8", "backslashreplace")
                raise PublishError(
                    f"{shown!r} is a {_KINDS.get(kind, kind)} in the branch; an index needs a folder there"
                )
            return object_id
    return None


def parse_tree(listing: bytes) -> Entries:
    """The entries that `ls-tree -z` printed."""
    entries: Entries = []
    for line in listing.split(b"\0")[:-1]:
        facts, _, name = line.partition(b"\t")
        mode, kind, object_id = facts.decode("ascii").split(" ")
        entries.append((mode, kind, object_id, name))
    return entries


def _make_tree(writer: GitWriter, entries: Entries, changed: Entries) -> str:
    replaced = {name for _, _, _, name in changed}
    kept = [entry for entry in entries if entry[3] not in replaced]
    lines = [
        f"{mode} {kind} {object_id}\t".encode() + name + b"\0" for mode, kind, object_id, name in [*kept, *changed]
    ]
    # --missing: what is kept came from a tree of this repository; a submodule's commit is never here
    return writer.run("mktree", "-z", "--missing", stdin=b"".join(lines)).decode("ascii").strip()
