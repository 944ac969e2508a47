"""The seam to git: a repository's objects as bytes and values, read by plumbing, never from the work tree.

First arrow of the way through: revision → tree entries → blobs. Nothing here writes to the repository.
"""

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hub_index.errors import SourceError
from hub_index.hub.git.own_settings import as_options, read_own_settings
from hub_index.hub.git.process import GitOutcome, git_stream, run_git, send_lines
from hub_index.limits import MAX_MANIFEST_BYTES
from hub_index.models import TreeEntry

_CHUNK_BYTES = 1 << 16
_HEX = frozenset("0123456789abcdef")
_PATHS_AT_ONCE = 100  # on a command line
_AS_THEY_ARE = ("--no-renames", "--ignore-submodules=all")


ChangedFiles = Callable[[Callable[[str], bool]], Iterator[str]]  # those that are wanted, of the changed ones


@dataclass(frozen=True, slots=True)
class ChangedEntry:
    """A path that two trees have otherwise, what the old one has there, and the new one's mode; no mode: nothing."""

    path: str
    old_mode: str
    old_blob: str
    mode: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A readable repository; `prefix` is the hub's folder in it, "" if the hub is the repository.

    It holds no environment, so it may be shown, logged or handed to another process without a secret in it.
    """

    hub: Path
    prefix: str
    shallow: bool  # older history is cut off
    bare: bool = False  # no work tree, so no folder for an index

    def resolve_commit(self, rev: str) -> str:
        """The id of the commit that a revision names. Raises SourceError."""
        _check_revision(rev)
        done = self._run("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}")
        if is_object_id(done.line):
            return done.line
        if rev == "HEAD" and (commit := self._run("rev-parse", "--verify", "HEAD").line):
            raise SourceError(unreadable_commit(f"HEAD of {self.hub}", commit))
        if rev == "HEAD":
            raise SourceError(f"{self.hub} has no commit yet: commit something first, hub-index reads commits only")
        raise SourceError(f"{rev!r} is not a commit of {self.hub}: see `git log --oneline`, or fetch it first")

    def has_commit(self, commit: str) -> bool:
        """Whether this full commit id is here; any other text is not."""
        return is_object_id(commit) and self._run("cat-file", "-e", f"{commit}^{{commit}}").status == 0

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `old` is reachable from `new`; a missing or malformed id is not."""
        return is_object_id(old) and self._run("merge-base", "--is-ancestor", old, new).status == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest commit that two commits have in common; None if they have none that is here."""
        commit = self._run("merge-base", one, other).line
        return commit if is_object_id(commit) else None

    def holds_hub(self, commit: str) -> bool:
        """Whether a commit has the hub's folder at all."""
        return not self.prefix or self._run("cat-file", "-e", f"{commit}:{self.prefix}").status == 0

    def tree_of(self, commit: str) -> str:
        """The id of the hub's folder at a commit; empty if it has none."""
        tree = self._run("rev-parse", "--verify", "--end-of-options", f"{commit}:{self.prefix}").line
        return tree if is_object_id(tree) else ""

    def resolve_tree(self, rev: str) -> tuple[str, str]:
        """The id of the commit that a revision names and of the hub's folder there, by one git. Raises SourceError."""
        _check_revision(rev)
        ids = self._run("rev-parse", f"{rev}^{{commit}}", f"{rev}:{self.prefix}").line.split("\n")
        if len(ids) == 2 and all(map(is_object_id, ids)):
            return ids[0], ids[1]
        commit = self.resolve_commit(rev)  # which says what is wrong with it; or the folder is not there
        return commit, self.tree_of(commit)

    def list_tree(self, commit: str, *paths: str) -> list[TreeEntry]:
        """Every entry below the hub's folder at a commit, or below these paths, in git's order. Raises SourceError."""
        # --full-tree: in a sub-folder ls-tree would otherwise look for that folder once more inside the tree
        done = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", f"{commit}:{self.prefix}", "--", *paths)
        if done.status != 0:
            raise SourceError(_listing_failure(self, commit, done))
        return [_parse_entry(line) for line in decode_name(done.out).split("\0")[:-1]]

    def changed_entries(self, old: str, new: str) -> list[ChangedEntry]:
        """The differences between the hub's folder at two commits; git looks only into changed folders.

        Raises SourceError.
        """
        changes = self.compare_trees(*(f"{commit}:{self.prefix}" for commit in (old, new)))
        if isinstance(changes, GitOutcome):
            raise SourceError(_listing_failure(self, old, changes))
        return changes

    def compare_trees(self, old: str, new: str) -> "list[ChangedEntry] | GitOutcome":
        """The differences between two trees, or git's outcome if one of them is missing here."""
        done = self._run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new, "--")
        if done.status != 0:
            return done
        fields = decode_name(done.out).split("\0")[:-1]
        return [_parse_change(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=True)]

    def read_file(self, commit: str, path: str, max_bytes: int = MAX_MANIFEST_BYTES) -> bytes | None:
        """A file of the hub at a commit; None if it is missing or larger than `max_bytes`."""
        name = f"{commit}:{self.prefix}/{path}" if self.prefix else f"{commit}:{path}"
        asked = self._run("cat-file", "-s", name)
        if asked.status != 0 or int(asked.out) > max_bytes:
            return None
        done = self._run("cat-file", "blob", name)
        return done.out if done.status == 0 else None

    def read_blobs(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each blob with its bytes, in the order asked, one in memory at a time. Raises SourceError."""
        wanted = list(blobs)
        if not wanted:
            return
        with git_stream(self._arguments("cat-file", "--batch", "--buffer")) as process:
            # Questions come from a thread: git stops reading them until its answers are read.
            asking = threading.Thread(target=send_lines, args=(process.stdin, wanted), daemon=True)
            asking.start()
            try:
                for blob in wanted:
                    yield blob, _read_answer(process.stdout, blob)
            finally:
                process.kill()  # a thread that is still asking wakes up to a broken pipe
                asking.join()

    def read_fields(self, *arguments: str) -> Iterator[str]:
        """The NUL-separated fields that a git command prints, as they come. Raises SourceError."""
        with git_stream(self._arguments(*arguments)) as process:
            yield from self._fields_of(process, arguments[0])

    @contextmanager
    def changed_files(self, *, with_new: bool = True) -> "Iterator[ChangedFiles]":
        """The new, changed or staged files of the work tree; git begins to look at once.

        `with_new`: also the untracked files, for which git opens every folder. Ignored and deleted files are left out.
        Reading the files raises SourceError if git fails.
        """
        # a filter of the hub's own settings would run on every changed file (F87)
        settings = as_options(read_own_settings(self.hub).instead)
        status = [*settings, *self._arguments("status", "--porcelain", "-z", *_AS_THEY_ARE)]
        if with_new:
            with git_stream([*status, "--untracked-files=all", "--", "."]) as process:
                yield lambda is_wanted: filter(is_wanted, self._files_of_status(process))
            return
        # `status` looks at every file twice, 60 ms for 6,793; here it is asked for those of another size or time only,
        # and not for an index beside the skills, which it would read whole.
        looking = self._arguments("diff-index", "-z", "--relative", *_AS_THEY_ARE, "HEAD", "--", ".")
        with git_stream([*settings, *looking]) as process, ExitStack() as later:

            def ask_again(is_wanted: Callable[[str], bool]) -> Iterator[str]:
                touched = [path for path in list(self._fields_of(process, "diff-index"))[1::2] if is_wanted(path)]
                if not touched:
                    return iter(())
                paths = touched if len(touched) <= _PATHS_AT_ONCE else ["."]
                asked = later.enter_context(git_stream([*status, "--untracked-files=no", "--", *paths]))
                return filter(is_wanted, self._files_of_status(asked))

            yield ask_again

    def _files_of_status(self, process: "subprocess.Popen[bytes]") -> Iterator[str]:
        start = len("XY ") + len(f"{self.prefix}/" if self.prefix else "")  # paths are the repository's
        return (field[start:] for field in self._fields_of(process, "status") if "D" not in field[:2])

    def _fields_of(self, process: "subprocess.Popen[bytes]", command: str) -> Iterator[str]:
        rest = b""
        while process.stdout and (chunk := os.read(process.stdout.fileno(), _CHUNK_BYTES)):
            *fields, rest = (rest + chunk).split(b"\0")
            yield from map(decode_name, fields)
        if process.wait() != 0:
            raise SourceError(f"git {command} failed in {self.hub}: run `git fsck` there")
        if rest:
            yield decode_name(rest)

    def remote_address(self) -> str:
        """The address that its remote `origin` has, else the first remote; empty without one. May hold a password."""
        done = self._run("config", "-z", "--get-regexp", r"^remote\..*\.url$")
        addresses = dict(field.split("\n", 1) for field in decode_name(done.out).split("\0") if "\n" in field)
        return addresses.get("remote.origin.url") or next((addresses[name] for name in sorted(addresses)), "")

    def _run(self, *arguments: str) -> GitOutcome:
        return run_git(self._arguments(*arguments))

    def _arguments(self, *arguments: str) -> list[str]:
        return ["-C", os.fspath(self.hub), "--no-pager", "--literal-pathspecs", *arguments]


def open_repository(hub: Path) -> Repository:
    """The repository that holds a hub's folder. Raises SourceError."""
    if not hub.is_dir():
        raise SourceError(f"there is no folder {str(hub)!r}: give the path of the hub's checkout")
    questions = ("--is-bare-repository", "--is-inside-git-dir", "--is-shallow-repository", "--show-prefix")
    done = run_git(["-C", os.fspath(hub), "rev-parse", *questions])
    if done.status != 0:
        raise SourceError(_opening_failure(hub, done))
    # The prefix comes last: a folder's name may hold a newline.
    bare, inside_git, shallow, prefix = decode_name(done.out).split("\n", 3)
    if inside_git == "true" and bare != "true":
        raise SourceError(f"{str(hub)!r} is the inside of a git repository: give the folder that holds the skills")
    return Repository(hub, prefix.removesuffix("\n").removesuffix("/"), shallow == "true", bare == "true")


def _check_revision(rev: str) -> None:
    if not rev or rev.startswith("-") or not rev.isprintable():
        raise SourceError(f"{rev!r} cannot be a revision: name a branch, a tag or a commit id")


def is_object_id(text: str) -> bool:
    """Whether this is a full object id (SHA-1 or SHA-256), and so safe as an argument."""
    return len(text) in (40, 64) and _HEX.issuperset(text)


def decode_name(raw: bytes) -> str:
    """A name from git as text; bytes that are not UTF-8 become surrogate escapes and are refused later."""
    return raw.decode("utf-8", "surrogateescape")


def _opening_failure(hub: Path, asked: GitOutcome) -> str:
    if "dubious ownership" in asked.said:
        trust = "`git config --global --add safe.directory <path of the repository>`"
        return f"git does not trust {hub}, which another user owns: run {trust} if you do"
    if "not a git repository" in asked.said and (broken := _find_broken(hub)):
        return broken
    if "not a git repository" in asked.said:
        return f"{hub} is not a git repository: run `git init` and commit there, or give the path of a clone"
    return f"git cannot open {hub}: {asked.reason}"


def _find_broken(hub: Path) -> str:
    """The message about a `.git` that git does not accept; empty if the hub has none. `git init` does not repair it."""
    place = hub / ".git"
    if not os.path.lexists(place):
        return ""
    if place.is_file():
        return (
            f"{place} leads to a repository that is not there any more: run `git worktree repair` in the checkout that "
            "this one belongs to, or give the path of a clone"
        )
    return f"{place} is damaged, so that git does not accept it as a repository: give the path of a new clone"


def unreadable_commit(name: str, commit: str) -> str:
    """The message about a branch or HEAD whose commit is missing or incomplete."""
    return f"{name} is at {commit[:12]}, which git cannot read: run `git fsck` there, or clone again"


def _listing_failure(repo: Repository, commit: str, asked: GitOutcome) -> str:
    if "promisor" in asked.said or "not allowed" in asked.said:
        return f"{repo.hub} is a partial clone that lacks files of {commit[:12]}: clone again without --filter"
    if repo.prefix and "Not a valid object name" in asked.said:
        return f"the folder {repo.prefix!r} is not in commit {commit[:12]}: commit it first"
    return f"git cannot list {commit[:12]} in {repo.hub} ({asked.reason}): run `git fsck` there"


def _parse_entry(line: str) -> TreeEntry:
    facts, _, path = line.partition("\t")
    mode, _, blob, size = facts.split()
    return TreeEntry(mode, blob, int(size) if size.isdecimal() else 0, path)


def _parse_change(facts: str, path: str) -> ChangedEntry:
    old_mode, mode, old_blob, _, _ = facts.removeprefix(":").split(" ")
    return ChangedEntry(path, old_mode.replace("000000", ""), old_blob, mode.replace("000000", ""))


def _read_answer(answers: IO[bytes] | None, blob: str) -> bytes:
    facts = answers.readline().split() if answers else []
    if answers is None or len(facts) != 3 or facts[1] != b"blob":
        raise SourceError(f"git has no readable blob {blob}: run `git fsck`, or clone again without --filter")
    content = answers.read(int(facts[2]))
    if len(content) != int(facts[2]) or answers.read(1) != b"\n":
        raise SourceError(f"git stopped in the middle of blob {blob}: run `git fsck`")
    return content
