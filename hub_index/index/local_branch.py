"""Branches of the repository itself: moved by update-ref with the expected old value.

Where the branch is checked out, exactly our four files follow in the user's index and work tree; whatever else is
staged or edited stays as it is. That step is repeated by the next run if this one dies before it, so a branch that
moved never stays ahead of its own index folder for long.
"""

from hub_index.errors import ConfigError, PublishError, PublishRace
from hub_index.hub.git import Repository
from hub_index.index.commit import OUR_FILES, read_committed
from hub_index.index.git_writer import GitWriter
from hub_index.index.lock import lock_folder
from hub_index.index.places import Move, Refs
from hub_index.index.writing import write_files


class LocalBranch:
    """The repository's own branches."""

    def __init__(self, writer: GitWriter, repo: Repository) -> None:
        self._writer = writer
        self._repo = repo

    def find_refs(self, branch: str | None, *, orphan: bool) -> Refs:
        """--branch, else what is checked out; with --orphan that is read and --branch written."""
        checked_out = self._checked_out()
        if branch is None:
            return Refs(checked_out, checked_out)
        target = f"refs/heads/{branch}"
        elsewhere = self._writer.word("for-each-ref", "--format=%(worktreepath)", target)
        if elsewhere and (orphan or target != checked_out):
            raise ConfigError(
                f"the branch {branch} is checked out in {elsewhere}; publish from there, or choose another"
            )
        return Refs(checked_out if orphan else target, target)

    def read_head(self, ref: str) -> str | None:
        """The branch's commit."""
        return self._writer.word("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") or None

    def move(self, step: Move) -> None:
        """Compare and swap by git itself."""
        old = step.old or "0" * len(step.new)
        answer = self._writer.ask("update-ref", "-m", "hub-index: index updated", "--no-deref", step.ref, step.new, old)
        if answer.status == 0:
            return
        if self.read_head(step.ref) != step.old:
            raise PublishRace(f"somebody committed to {self.label(step.ref)} first; run again")
        raise PublishError(f"{self.label(step.ref)} cannot be moved: {answer.said}")

    def settle(self, ref: str, output: str) -> None:
        """The index folder's files of the branch's head, in the user's index and work tree."""
        if not self._writer.has_work_tree or ref != self._checked_out():
            return
        head = self.read_head(ref)
        files = read_committed(self._repo, head, output) if head else None
        if head is None or files is None:
            return
        folder = self._repo.hub / output
        self._stage(head, output)
        with lock_folder(folder):
            write_files(folder, files)

    def label(self, ref: str) -> str:
        """main."""
        return ref.removeprefix("refs/heads/")

    def _checked_out(self) -> str:
        return self._writer.word("symbolic-ref", "-q", "HEAD") or "HEAD"

    def _stage(self, head: str, output: str) -> None:
        prefix = f"{self._repo.prefix}/" if self._repo.prefix else ""
        paths = [f"{prefix}{output}/{name}" for name in OUR_FILES]
        wanted = self._writer.run("ls-tree", "-z", "--full-tree", "--full-name", head, "--", *paths)
        lines = []
        for line in wanted.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, blob = facts.split(b" ")
            lines.append(b"%s %s 0\t%s" % (mode, blob, path))
        staged = self._writer.run("ls-files", "-z", "--stage", "--full-name", "--", *paths)
        if sorted(staged.split(b"\0")[:-1]) != sorted(lines):
            self._writer.run(
                "update-index", "--add", "-z", "--index-info", stdin=b"".join(row + b"\0" for row in lines)
            )
