"""A sync that was stopped half-way is undone by the next one, and only if that loses nothing of the user's.

git replaces files one after the other; a killed git leaves some new, some old and perhaps one half-written, under the
old commit. A note in the repository, written before the move and removed after it, names the old and the new commit.
A file that is neither the old one, nor the new one, nor a beginning of the new one, nor absent, is the user's work.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hub_index.base.safe_open import is_link, open_below, open_folder_below
from hub_index.errors import SourceError
from hub_index.hub.git.network import NetworkGit
from hub_index.hub.git.process import GitOutcome
from hub_index.hub.git.repository import is_object_id
from hub_index.hub.skill.problems import counted

_NOTE = "hub-index-sync"
_INDEX = "hub-index-sync.index"
_SHOWN_PATHS = 3
_QUIET_S = 2.0  # a git that still works has touched its lock file since


@dataclass(frozen=True, slots=True)
class SyncedCheckout:
    """The synced hub: its folder, where its repository is, and the git to ask."""

    folder: Path
    git_folder: Path
    git: NetworkGit

    def ask(self, *arguments: str) -> GitOutcome:
        """The outcome of a git command in the checkout."""
        return self.git.ask(self.folder, *arguments)

    def run(self, *arguments: str, index_file: Path | None = None) -> GitOutcome:
        """The answer of a command that has to succeed. Raises SourceError."""
        answer = self.git.ask(self.folder, *arguments, index_file=index_file)
        if answer.status != 0:
            raise SourceError(f"git {arguments[0]} failed in {self.folder}: {answer.reason}")
        return answer


def note_move(checkout: SyncedCheckout, old: str, new: str) -> None:
    """Writes down for the sync after a crash which move is about to begin. Raises SourceError."""
    lock = checkout.git_folder / "index.lock"
    if lock.exists():  # asked before the note is there: from then on a dead lock counts as ours
        raise SourceError(f"git is at work in {checkout.folder}, or was killed: if none is running, delete {lock}")
    try:
        with open(checkout.git_folder / _NOTE, "w", encoding="ascii") as file:
            file.write(f"{old} {new}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SourceError(f"{checkout.git_folder} cannot be written ({error.strerror}); check its rights") from error


def forget_move(checkout: SyncedCheckout) -> None:
    """Removes the note: the move is done, or undone."""
    for name in (_NOTE, _INDEX, f"{_INDEX}.lock"):
        with suppress(OSError):
            (checkout.git_folder / name).unlink()


def repair_checkout(checkout: SyncedCheckout) -> bool:
    """Whether a killed sync's half-done move had to be undone. Raises SourceError if that would lose work."""
    if not (checkout.git_folder / _NOTE).exists():
        return False
    _remove_dead_locks(checkout)
    return undo_move(checkout)


def undo_move(checkout: SyncedCheckout) -> bool:
    """Whether a move was noted and not finished; it is undone. Raises SourceError if that would lose work."""
    try:
        old, _, new = (checkout.git_folder / _NOTE).read_text("ascii").strip().partition(" ")
    except (OSError, ValueError):
        old = new = ""
    is_half_done = is_object_id(old) and is_object_id(new) and checkout.ask("rev-parse", "HEAD").line == old
    if is_half_done:
        _undo(checkout, old, new)
    forget_move(checkout)
    return is_half_done


def _undo(checkout: SyncedCheckout, old: str, new: str) -> None:
    before, after = _compare(checkout, old), _compare(checkout, new)
    suspects = before.differing | (after.paths - before.paths)
    move = _Move(checkout, new, before, after)
    unknown = sorted(path for path in suspects if not move.has_left(path))
    if unknown:
        raise SourceError(
            f"an earlier sync of {checkout.folder} was stopped half-way, and there are later changes in "
            f"{list_some(list(map(os.fsdecode, unknown)))}; move them elsewhere, then run `hub-index sync` again"
        )
    for path in after.paths - before.paths:
        _remove_file(checkout.folder, path)
    checkout.run("reset", "--hard", "--quiet", old)


def _remove_file(hub: Path, path: bytes) -> None:
    """Removes a file, or a link itself, if it is there; what a link on the way leads to is not the hub's."""
    with _opened_above(hub, path) as above:
        if above is not None and (kind := _kind_of(above, path)) is not None and not stat.S_ISDIR(kind):
            os.unlink(os.path.basename(path), dir_fd=above)


@contextmanager
def _opened_above(hub: Path, path: bytes) -> Iterator[int | None]:
    """The handle of a file's folder; None if the folder is missing or a link."""
    try:
        above = open_folder_below(hub, os.fsdecode(os.path.dirname(path)))
    except OSError as error:
        if not is_link(error) and not isinstance(error, FileNotFoundError | NotADirectoryError):
            raise
        yield None
        return
    try:
        yield above
    finally:
        os.close(above)


def _kind_of(above: int, path: bytes) -> int | None:
    """The mode of the entry with the path's last name; None for nothing."""
    try:
        return os.lstat(os.path.basename(path), dir_fd=above).st_mode
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A commit's files, and those that look otherwise in the checkout or are absent there."""

    paths: frozenset[bytes]
    differing: frozenset[bytes]


def _compare(checkout: SyncedCheckout, commit: str) -> _Comparison:
    """Compares contents: an index of our own knows no time stamps, and none of the user's flags."""
    index = checkout.git_folder / _INDEX
    for stale in (index, Path(f"{index}.lock")):
        stale.unlink(missing_ok=True)
    checkout.run("read-tree", commit, index_file=index)
    paths = checkout.run("ls-files", "-z", index_file=index).out.split(b"\0")[:-1]
    # its status only says that some files differ
    checkout.git.ask(checkout.folder, "update-index", "-q", "--refresh", index_file=index)
    differing = checkout.run(
        "diff-files", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", index_file=index
    )
    return _Comparison(frozenset(paths), frozenset(differing.out.split(b"\0")[:-1]))


@dataclass(frozen=True, slots=True)
class _Move:
    """The move that a killed git was making, and what the checkout looks like now."""

    checkout: SyncedCheckout
    new: str
    before: _Comparison
    after: _Comparison

    def has_left(self, path: bytes) -> bool:
        """True if the present state of a path may be git's doing: the new file, a beginning of it, or nothing."""
        if path in self.after.paths and path not in self.after.differing:
            return True
        with _opened_above(self.checkout.folder, path) as above:
            kind = None if above is None else _kind_of(above, path)
        if kind is None:
            return True
        if stat.S_ISDIR(kind):  # where the other commit has a file; what is in the folder is judged by its own name
            full = os.path.join(os.fsencode(self.checkout.folder), path)
            return _files_below(full, path) <= self.before.paths | self.after.paths
        return path in self.after.paths and stat.S_ISREG(kind) and self._is_beginning(os.fsdecode(path))

    def _is_beginning(self, path: str) -> bool:
        whole = self.checkout.ask("cat-file", "--filters", f"{self.new}:{path}")
        with open_below(self.checkout.folder, path) as file:
            return whole.status == 0 and whole.out.startswith(file.read(len(whole.out) + 1))


def _files_below(folder: bytes, path: bytes) -> set[bytes]:
    files = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return {os.path.join(path, os.path.relpath(file, folder)) for file in files}


def list_some(paths: list[str]) -> str:
    """The number of files, and the first of their names."""
    more = ", …" if len(paths) > _SHOWN_PATHS else ""
    return f"{counted(len(paths), 'file')} ({', '.join(paths[:_SHOWN_PATHS])}{more})"


def _remove_dead_locks(checkout: SyncedCheckout) -> None:
    """Removes the lock files of a killed git of ours: while one of them runs it holds the lock that we hold now."""
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
