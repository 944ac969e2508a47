"""Where a published index goes: what the publisher asks of a remote, or of the repository itself."""

from dataclasses import dataclass
from typing import Protocol

from hub_index.errors import SourceError
from hub_index.index.publish.earlier_indexes import Keeping


@dataclass(frozen=True, slots=True)
class Refs:
    """The branch that is read and the branch that receives the index; they are the same unless --orphan."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Move:
    """A branch goes from one commit to another; `old` None: it must not exist yet."""

    ref: str
    old: str | None
    new: str
    output: str  # the new commit's index folder, from the hub's root
    replaces: bool = False  # the new commit does not descend from the old one: only for an --orphan branch
    keeping: Keeping | None = None  # the old commit's new ref; pushed in the same step if the host allows it


class BranchHost(Protocol):
    """A set of branches that can be read and moved by compare and swap."""

    def find_refs(self, branch: str | None, *, orphan: bool) -> Refs:
        """The source and target branches. Raises ConfigError."""

    def read_head(self, ref: str) -> str | None:
        """The commit at the branch's head, present in the repository; None if the branch does not exist."""

    def explain_missing(self, ref: str) -> str:
        """Why a branch has no head that can be read, and what to do about it."""

    def check_folder(self, ref: str, output: str) -> None:
        """Raises ConfigError if the branch's checkout has strangers' files in the index's place."""

    def list_kept(self, ref: str) -> dict[str, str]:
        """{ref: commit} of the indexes that the branch had before, newest first; `read_head` brings one here."""

    def move(self, step: Move) -> tuple[str, ...]:
        """Moves the branch and the files checked out of it, or neither; a notice if the old commit was not kept.

        Raises PublishRace if the branch is not at `old` any more, PublishError if it, or the checkout, cannot be
        changed.
        """

    def settle(self, ref: str, output: str) -> tuple[str, ...]:
        """Brings a checkout that fell behind a current branch up to that branch's index folder; notices."""

    def label(self, ref: str) -> str:
        """The branch's name as a user knows it."""


def check_found(head: str | None, host: BranchHost, ref: str) -> str:
    """The head of a branch that has to be there. Raises SourceError."""
    if head is None:
        raise SourceError(host.explain_missing(ref))
    return head
