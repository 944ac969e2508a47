"""The checkout of a published branch: puts exactly our own files into git's index and the work tree.

Folder first, git's index second, the branch last. A crash on the way leaves an index that was built and not committed,
or staged as well: a user's next commit then adds it. The other order would leave a branch ahead of git's index, and the
next commit would remove the published index again.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from hub_index.errors import IndexMissing, IndexUnusable, PublishError
from hub_index.hub.git.repository import Repository
from hub_index.index.folder.our_files import ATTRIBUTES_FILE, OUR_FILES, contents_of, holds, is_our_name
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.previous import read_previous
from hub_index.index.publish.branches import Move
from hub_index.index.publish.commit import PRUNED
from hub_index.index.publish.committed import read_committed
from hub_index.index.publish.git_writer import GitWriter
from hub_index.models import IndexFiles

_UNFINISHED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
_AGAIN = "run again when no other git command is at work here; a lock file that a dead one left may be removed"

Entries = frozenset[bytes]  # lines of `ls-files --stage`: mode, blob, stage, path


class CheckedOutBranch:
    """The work tree and index of a repository that has them."""

    def __init__(self, writer: GitWriter, repo: Repository) -> None:
        self._writer = writer
        self._repo = repo

    def check_finished(self) -> None:
        """Raises PublishError in the middle of a merge or the like, whose commit would take ours in."""
        for name, operation in _UNFINISHED.items():
            if (self._writer.git_dir / name).exists():
                raise PublishError(
                    f"a {operation} is not finished here; `git {operation} --continue` or `--abort` it, then run again"
                )

    def lead(self, step: Move, label: str, move_branch: Callable[[], None]) -> None:
        """Brings folder and git's index to the new commit, then moves the branch; if it stays, the index goes back.

        Raises PublishError, with the branch where it was, and the errors of `move_branch`.
        """
        staged = self._read_staged(step.output)
        with lock_folder(self._repo.hub / step.output):
            self._write(step, label)
            if reason := self._put(step.output, self._read_entries(step.new, step.output)):
                raise PublishError(
                    f"{label} was not moved, and {step.output}/ holds the new index uncommitted: git's index cannot be "
                    f"changed ({reason}); {_AGAIN}"
                )
            try:
                move_branch()
            except BaseException:  # Ctrl-C too: nothing may stay staged that the user did not stage
                self._put_back(step, staged)
                raise

    def _write(self, step: Move, label: str) -> None:
        """Writes the new commit's index to the folder. Raises PublishError, for the commit is our own."""
        try:
            files = read_committed(self._repo, step.new, step.output)
            if files is None:
                raise IndexMissing("it does not hold an index")
            write_files(self._repo.hub / step.output, files)
        except IndexUnusable as error:
            why, _, _ = str(error).partition("; ")
            raise PublishError(
                f"commit {step.new[:12]} cannot be read back ({why}); {label} was not moved; {PRUNED}"
            ) from error

    def follow(self, head: str, output: str, label: str) -> tuple[str, ...]:
        """Brings a checkout that fell behind to the branch's index; notices about handwork, which stays.

        Raises PublishError if git's index or the folder cannot be written.
        """
        files = read_committed(self._repo, head, output)
        if files is None:
            return ()
        wanted, staged = self._read_entries(head, output), self._read_staged(output)
        is_behind = staged != wanted
        if is_behind and not staged <= wanted | self._read_entries(self._before(head, output), output):
            return (_handwork(output, "staged", label),)
        if is_behind and (reason := self._put(output, wanted)):
            raise PublishError(
                f"{label} has its index, but git's index here lacks it and cannot be changed ({reason}): do not "
                f"commit, that would remove it; {_AGAIN}"
            )
        folder = self._repo.hub / output
        if _is_handwork(folder, files):
            return (_handwork(output, "changed", label),)
        with lock_folder(folder):
            write_files(folder, files)
        return ()

    def _put_back(self, step: Move, staged: Entries) -> None:
        now = self._writer.word("rev-parse", "--verify", "--quiet", "HEAD^{commit}") or None
        if now == step.new:
            return  # it moved, only the answer was lost
        was_clean = staged == self._read_entries(step.old, step.output)
        # Left as it is where this fails: what is staged is a whole index, and another run commits it.
        self._put(step.output, self._read_entries(now, step.output) if was_clean else staged)

    def _before(self, head: str, output: str) -> str | None:
        """The commit under the last one that changed the index folder."""
        # the manifest changes with every part, so that parts need not be named
        last = self._writer.word("rev-list", "-1", head, "--", *(f"{self._place(output)}/{name}" for name in OUR_FILES))
        return self._writer.word("rev-parse", "--verify", "--quiet", f"{last}^1") or None if last else None

    def _place(self, output: str) -> str:
        """The index folder from the repository's root."""
        return f"{self._repo.prefix}/{output}" if self._repo.prefix else output

    def _read_entries(self, commit: str | None, output: str) -> Entries:
        if commit is None:
            return frozenset()
        place = self._place(output)
        listing = self._writer.run("ls-tree", "-z", "--full-tree", "--full-name", commit, "--", f"{place}/")
        lines = []
        for line in listing.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, blob = facts.split(b" ")
            lines.append(b"%s %s 0\t%s" % (mode, blob, path))
        return _ours(lines, place)

    def _read_staged(self, output: str) -> Entries:
        place = self._place(output)
        listing = self._writer.run("ls-files", "-z", "--stage", "--full-name", "--", f"{place}/")
        return _ours(listing.split(b"\0")[:-1], place)

    def _put(self, output: str, entries: Entries) -> str:
        """Makes these git's entries of our files, all in one step; why git could not, or ""."""
        staged = self._read_staged(output)
        if staged == entries:
            return ""
        no_blob = b"0" * len(self._writer.word("rev-parse", "HEAD"))  # as long as the repository's hashes
        gone = [b"0 %s\t%s" % (no_blob, path) for path in sorted({line.partition(b"\t")[2] for line in staged})]
        rows = b"".join(row + b"\0" for row in [*gone, *sorted(entries)])
        outcome = self._writer.ask("update-index", "--add", "-z", "--index-info", stdin=rows)
        return outcome.reason.partition("; ")[0] if outcome.status != 0 else ""


def _ours(lines: Iterable[bytes], place: str) -> Entries:
    """Those of the lines that speak of our own files, directly in the index folder."""
    paths = ((line, os.fsdecode(line.partition(b"\t")[2]).rpartition("/")) for line in lines)
    return frozenset(line for line, (folder, _, name) in paths if folder == place and is_our_name(name))


def _is_handwork(folder: Path, files: IndexFiles) -> bool:
    """True if the folder was changed by hand; a whole index, of any age, was written by a build."""
    present = {name: data for name, data in contents_of(files).items() if os.path.lexists(folder / name)}
    changed = {name for name, data in present.items() if not holds(folder / name, data)}
    return bool(changed) and (ATTRIBUTES_FILE in changed or read_previous(folder).index is None)


def _handwork(output: str, what: str, label: str) -> str:
    return (
        f"{output}/ has been {what} by hand and was left alone; `git checkout HEAD -- {output}` brings back "
        f"the index of {label}"
    )
