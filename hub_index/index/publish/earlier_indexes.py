"""The last indexes of a branch without history, kept for a rollback: refs/hub-index/BRANCH/NUMBER.

The highest number is the newest. A ref is made once and never moved, so two publishers cannot exchange the meaning of a
name; a publisher that replaces the branch's commit keeps it under the next number and drops the oldest, in one step.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
