"""A sync that was stopped half-way is undone by the next one, and only if that loses nothing of the user's.

git replaces files one after the other; whoever kills it leaves some new, some old and perhaps one half-written, under
the old commit. A note in the repository (written before, removed after) says which two commits were in between. Every
file that is neither the old one, nor the new one, nor a beginning of the new one, nor absent, is the user's work.
"""

import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hub_index.errors import SourceError
from hub_index.hub.git import is_object_id
from hub_index.hub.network_git import Answer, NetworkGit

_NOTE = "hub-index-sync"
_INDEX = "hub-index-sync.index"
_QUIET_S = 2.0  # a git that still works has touched its lock file since


@dataclass(frozen=True, slots=True)
class Checkout:
    """The synced hub: its folder, where its repository is, and the git to ask."""

    folder: Path
    git_folder: Path
    git: NetworkGit

    def ask(self, *arguments: str) -> Answer:
        """How a git command in the checkout ended."""
        return self.git.ask(self.folder, *arguments)

    def run(self, *arguments: str, index_file: Path | None = None) -> Answer:
        """The answer of a command that has to succeed. Raises SourceError."""
        answer = self.git.ask(self.folder, *arguments, index_file=index_file)
        if answer.status != 0:
            words = " ".join(answer.said.split())[:300] or "no reason given"
            raise SourceError(f"git {arguments[0]} failed in {self.folder}: {words}")
        return answer


def note_move(checkout: Checkout, old: str, new: str) -> None:
    """Says, for whoever comes after a crash, what is about to happen. Raises SourceError."""
    try:
        with open(checkout.git_folder / _NOTE, "w", encoding="ascii") as file:
            file.write(f"{old} {new}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SourceError(f"{checkout.git_folder} cannot be written ({error.strerror}); check its rights") from error


def forget_move(checkout: Checkout) -> None:
    """The move is done, or undone."""
    for name in (_NOTE, _INDEX, f"{_INDEX}.lock"):
        with suppress(OSError):
            (checkout.git_folder / name).unlink()


def repair_checkout(checkout: Checkout) -> bool:
    """Whether a half-done move had to be undone. Raises SourceError where that would lose the user's work."""
    try:
        old, _, new = (checkout.git_folder / _NOTE).read_text("ascii").strip().partition(" ")
    except (OSError, ValueError):
        return False
    _remove_dead_locks(checkout)
    is_half_done = is_object_id(old) and is_object_id(new) and checkout.ask("rev-parse", "HEAD").line == old
    if is_half_done:
        _undo(checkout, old, new)
    forget_move(checkout)
    return is_half_done


def _undo(checkout: Checkout, old: str, new: str) -> None:
    before, after = _compare(checkout, old), _compare(checkout, new)
    suspects = before.differing | (after.paths - before.paths)
    unknown = sorted(path for path in suspects if not _is_gits(checkout, path, after, new))
    if unknown:
        names = ", ".join(os.fsdecode(path) for path in unknown[:3]) + (", …" if len(unknown) > 3 else "")
        raise SourceError(
            f"an earlier sync of {checkout.folder} was stopped half-way, and {len(unknown)} files were changed since "
            f"({names}); move them elsewhere, then run `hub-index sync` again"
        )
    for path in after.paths - before.paths:
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(os.fsencode(checkout.folder), path))
    checkout.run("reset", "--hard", "--quiet", old)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A commit's files, and those that look otherwise in the checkout or are absent there."""

    paths: frozenset[bytes]
    differing: frozenset[bytes]


def _compare(checkout: Checkout, commit: str) -> _Comparison:
    """Compares contents: an index of our own knows no time stamps, and none of the user's flags."""
    index = checkout.git_folder / _INDEX
    for stale in (index, Path(f"{index}.lock")):
        stale.unlink(missing_ok=True)
    checkout.run("read-tree", commit, index_file=index)
    paths = checkout.run("ls-files", "-z", index_file=index).out.split(b"\0")[:-1]
    refreshed = checkout.git.ask(checkout.folder, "update-index", "-q", "--refresh", index_file=index)
    del refreshed  # its status only says that some files differ
    differing = checkout.run(
        "diff-files", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", index_file=index
    )
    return _Comparison(frozenset(paths), frozenset(differing.out.split(b"\0")[:-1]))


def _is_gits(checkout: Checkout, path: bytes, after: _Comparison, new: str) -> bool:
    """Whether what stands there was written by git: the new file, a beginning of it, or nothing."""
    if path in after.paths and path not in after.differing:
        return True
    full = os.path.join(os.fsencode(checkout.folder), path)
    try:
        kind = os.lstat(full).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    if stat.S_ISDIR(kind):  # a file made way for a folder; what is in there is looked at by its own name
        return all(_is_below_new(found, path, after) for found in _files_below(full))
    if path not in after.paths or not stat.S_ISREG(kind):
        return False
    whole = checkout.ask("cat-file", "--filters", f"{new}:{os.fsdecode(path)}")
    with open(full, "rb") as file:
        return whole.status == 0 and whole.out.startswith(file.read(len(whole.out) + 1))


def _files_below(folder: bytes) -> list[bytes]:
    return [
        os.path.relpath(os.path.join(parent, name), folder) for parent, _, names in os.walk(folder) for name in names
    ]


def _is_below_new(found: bytes, folder: bytes, after: _Comparison) -> bool:
    return os.path.join(folder, found) in after.paths


def _remove_dead_locks(checkout: Checkout) -> None:
    """Removes the lock files that our killed git left; its own lock on us is free, so that git lives no more."""
    branch = checkout.ask("symbolic-ref", "-q", "HEAD").line
    for name in ("index", "HEAD", "ORIG_HEAD", branch):
        path = checkout.git_folder / f"{name}.lock"
        try:
            age_s = time.time() - path.stat().st_mtime
        except OSError:
            continue
        if age_s < _QUIET_S:
            raise SourceError(f"git is at work in {checkout.folder}; run `hub-index sync` again in a moment")
        path.unlink(missing_ok=True)
