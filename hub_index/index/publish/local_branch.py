"""Branches of the repository itself: moved by update-ref with the expected old value.

Where the branch is checked out, exactly our files are put into the user's index and work tree before it moves;
whatever else is staged or edited stays as it is. A checkout that still fell behind is brought up to date by the next
run, which has nothing to commit.
"""

import shlex

from hub_index.errors import ConfigError, PublishError, PublishRace
from hub_index.hub.git.repository import Repository, decode_name, unreadable_commit
from hub_index.index.folder.foreign_files import check_no_strangers, tracked_index
from hub_index.index.publish.branches import Keeping, Move, Refs, kept_folder, not_kept_notice, select_kept
from hub_index.index.publish.git_writer import GitWriter
from hub_index.index.publish.work_tree import CheckedOutBranch

_DETACHED = "HEAD"


class LocalBranch:
    """The repository's own branches."""

    def __init__(self, writer: GitWriter, repo: Repository) -> None:
        self._writer = writer
        self._repo = repo
        self._checkout = CheckedOutBranch(writer, repo)

    def find_refs(self, branch: str | None, *, orphan: bool) -> Refs:
        """--branch, else what is checked out; with --orphan that is read and --branch written."""
        checked_out = self._checked_out()
        target = f"refs/heads/{branch}" if branch is not None else checked_out
        if target == checked_out and self._writer.has_work_tree:
            self._checkout.check_finished()
        if branch is None:
            if checked_out == _DETACHED:
                raise ConfigError(
                    "no branch is checked out, and a commit without a branch would be lost; `git switch` to a branch, "
                    "or name it with `hub-index publish --branch`"
                )
            return Refs(checked_out, checked_out)
        elsewhere = self._writer.word("for-each-ref", "--format=%(worktreepath)", target)
        if elsewhere and (orphan or target != checked_out):
            raise ConfigError(
                f"the branch {branch} is checked out in {elsewhere}; publish from there, or choose another"
            )
        return Refs(checked_out if orphan else target, target)

    def read_head(self, ref: str) -> str | None:
        """The branch's commit."""
        return self._writer.word("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") or None

    def check_folder(self, ref: str, output: str) -> None:
        """Raises ConfigError if uncommitted foreign files lie where the index will be checked out."""
        head = self.read_head(ref) if self._is_checked_out(ref) else None
        if head is not None:
            check_no_strangers(self._repo.hub / output, lambda: tracked_index(self._repo, head, output))

    def list_kept(self, ref: str) -> dict[str, str]:
        """Those of this repository."""
        listing = self._writer.run("for-each-ref", "--format=%(refname) %(objectname)", kept_folder(ref))
        lines = (line.partition(" ") for line in decode_name(listing).split("\n")[:-1])
        return select_kept({name: commit for name, _, commit in lines}, ref)

    def move(self, step: Move) -> tuple[str, ...]:
        """Compare and swap by git itself, once the user's checkout is ready for it."""
        if self._is_checked_out(step.ref):
            self._checkout.lead(step, self.label(step.ref), lambda: self._update_ref(step))
            return ()
        if step.keeping is None:
            self._update_ref(step)
            return ()
        try:
            self._update_ref(step, step.keeping)
        except PublishRace:
            raise
        except PublishError as error:
            self._update_ref(step)
            return (not_kept_notice(step.keeping, str(error)),)
        return ()

    def settle(self, ref: str, output: str) -> tuple[str, ...]:
        """The index folder's files of the branch's head, in the user's index and work tree."""
        head = self.read_head(ref) if self._is_checked_out(ref) else None
        return self._checkout.follow(head, output, self.label(ref)) if head else ()

    def label(self, ref: str) -> str:
        """The branch's short name: `main`."""
        return ref.removeprefix("refs/heads/")

    def explain_missing(self, ref: str) -> str:
        """`git branch` makes it; the branch that is checked out is there with its first commit."""
        label = self.label(ref)
        if commit := self._writer.word("rev-parse", "--verify", "--quiet", ref):
            return unreadable_commit(label, commit)
        if ref == self._checked_out():
            return f"the branch {label} is checked out and has no commit yet; commit something first"
        return (
            f"there is no branch {label}: `git branch` lists those that are there, and `git branch "
            f"{shlex.quote(label)}` makes it from what is checked out"
        )

    def _update_ref(self, step: Move, keeping: Keeping | None = None) -> None:
        """Moves the branch, and in the same step what keeps its old commit."""
        nothing = "0" * len(step.new)
        rows = [f"update {step.ref}\0{step.new}\0{step.old or nothing}\0"]
        if keeping is not None:
            rows.append(f"create {keeping.ref}\0{keeping.commit}\0")
            rows += [f"delete {ref}\0{commit}\0" for ref, commit in keeping.dropped.items()]
        told = ("-m", "hub-index: index updated", "--no-deref", "--stdin", "-z")
        outcome = self._writer.ask("update-ref", *told, stdin="".join(rows).encode("utf-8", "surrogateescape"))
        if outcome.status == 0:
            return
        if self.read_head(step.ref) != step.old:
            raise PublishRace(f"somebody committed to {self.label(step.ref)} first; run again")
        raise PublishError(f"{self.label(step.ref)} cannot be moved: {outcome.reason}; {outcome.remedy}")

    def _is_checked_out(self, ref: str) -> bool:
        return self._writer.has_work_tree and ref == self._checked_out()

    def _checked_out(self) -> str:
        return self._writer.word("symbolic-ref", "-q", "HEAD") or _DETACHED
