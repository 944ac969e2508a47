"""Where a published index goes: what the publisher asks of a remote, or of the repository itself.

The last indexes of a branch without history are kept for a rollback: refs/hub-index/BRANCH/NUMBER. The highest number
is the newest. A ref is made once and never moved, so two publishers cannot exchange the meaning of a name; a publisher
that replaces the branch's commit keeps it under the next number and drops the oldest, in one step.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hub_index.errors import SourceError
from hub_index.limits import MAX_KEPT_INDEXES

_NUMBER = re.compile(r"[0-9]{6,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Keeping:
    """A new ref for a replaced commit, and the refs to drop: {ref: the commit that it must still be at}."""

    ref: str
    commit: str
    dropped: Mapping[str, str]


def kept_folder(branch_ref: str) -> str:
    """Where the earlier indexes of a branch are."""
    return f"refs/hub-index/{branch_ref.removeprefix('refs/heads/')}/"


def select_kept(refs: Mapping[str, str], branch_ref: str) -> dict[str, str]:
    """{ref: commit} of the branch's own earlier indexes, newest first; `a/b` is another branch than `a`."""
    folder = kept_folder(branch_ref)
    own = {ref: commit for ref, commit in refs.items() if _NUMBER.fullmatch(ref.removeprefix(folder))}
    return dict(sorted(own.items(), key=lambda kept: _number(kept[0]), reverse=True))


def plan_keeping(kept: Mapping[str, str], branch_ref: str, commit: str) -> Keeping:
    """The refs to make and drop when this commit of the branch is replaced; `kept` is newest first."""
    number = max(map(_number, kept), default=0) + 1
    dropped = list(kept.items())[MAX_KEPT_INDEXES - 1 :]
    return Keeping(f"{kept_folder(branch_ref)}{number:06}", commit, dict(dropped))


def not_kept_notice(keeping: Keeping, reason: str) -> str:
    """The notice for a maintainer that the index is published and the one before it could not be kept."""
    return f"the index before this one could not be kept as {keeping.ref} for a rollback ({reason})"


def _number(ref: str) -> int:
    return int(ref.rpartition("/")[2])


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
