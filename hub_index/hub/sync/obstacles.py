"""Reasons not to move a checkout forward: each check names the reason and what to do about it.

All raise SourceError; none changes anything.
"""

import os
from dataclasses import dataclass

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.git.address import Address, is_same_place, parse_address
from hub_index.hub.skill.problems import counted
from hub_index.hub.sync.repair import SyncedCheckout, list_some


@dataclass(frozen=True, slots=True)
class Ends:
    """Three commits: ours, the remote's, and the remote's when we saw it last ("" where never)."""

    old: str
    new: str
    known: str


def check_origin(checkout: SyncedCheckout, wanted: Address | None) -> Address:
    """The address that the clone came from."""
    url = checkout.ask("config", "--get", "remote.origin.url").line
    if not url:
        raise SourceError(f"{checkout.folder} has no remote `origin`; add it there: `git remote add origin URL`")
    try:
        origin = parse_address(os.path.join(checkout.folder, url) if url.startswith(".") else url)
    except ConfigError as error:
        raise SourceError(f"the remote `origin` of {checkout.folder}: {error}") from error
    if wanted is not None and not is_same_place(origin, wanted):
        raise SourceError(
            f"{checkout.folder} is a clone of {origin.shown}, not of {wanted.shown}; move it away to sync another hub, "
            "or set AXON_HOME to another folder"
        )
    return origin


def check_branch(checkout: SyncedCheckout) -> str:
    """The branch that is checked out, with no merge or rebase open."""
    branch = checkout.ask("symbolic-ref", "--short", "-q", "HEAD").line
    if not branch:
        raise SourceError(f"{checkout.folder} has no branch checked out (or a rebase is open); run `git switch` there")
    if (checkout.git_folder / "MERGE_HEAD").exists():
        raise SourceError(f"a merge is open in {checkout.folder}; finish it, or run `git merge --abort` there")
    return branch


def notices_without_move(checkout: SyncedCheckout, address: Address, ends: Ends) -> tuple[str, ...]:
    """Notices for a checkout that has nothing to move. Raises SourceError if the remote went back (F67)."""
    if ends.known and ends.known != ends.new and is_ancestor(checkout, ends.new, ends.known):
        raise _rewritten(checkout, address, "went back to an older commit")
    notices: tuple[str, ...] = ()
    if ends.new != ends.old:
        count = int(checkout.run("rev-list", "--count", f"{ends.new}..{ends.old}").line)
        verb = "is" if count == 1 else "are"
        notices += (f"{counted(count, 'commit')} of your own {verb} not at {address.shown} yet",)
    if changed := _changed_paths(checkout):
        notices += (f"changes in {counted(len(changed), 'file')} are not committed",)
    return notices


def check_forward(checkout: SyncedCheckout, address: Address, ends: Ends) -> None:
    """Raises SourceError if the remote's commit does not continue ours: nothing is merged, nothing is dropped."""
    if is_ancestor(checkout, ends.old, ends.new):
        return
    if ends.known and is_ancestor(checkout, ends.old, ends.known):
        raise _rewritten(checkout, address, "was rewritten and does not continue what is here")
    mine = ["rev-list", "--count", ends.old, f"^{ends.new}", *([f"^{ends.known}"] if ends.known else [])]
    raise SourceError(
        f"{checkout.folder} has {counted(int(checkout.run(*mine).line), 'commit')} of its own, and {address.shown} has "
        "moved on without that; sync never merges: push your work, or keep it on a branch (`git branch mine`) and run "
        "`git reset --keep @{upstream}` after `git fetch`"
    )


def _rewritten(checkout: SyncedCheckout, address: Address, what: str) -> SourceError:
    return SourceError(
        f"the history at {address.shown} {what}: not a fast-forward, so nothing was changed here; ask its owner, and "
        f"if it is intentional, move {checkout.folder} away and run `hub-index sync {address.shown}`"
    )


def check_clean(checkout: SyncedCheckout) -> None:
    """Raises SourceError if tracked files have changes that are not committed."""
    if changed := _changed_paths(checkout):
        raise SourceError(
            f"in {checkout.folder} changes are not committed in {list_some(changed)}; commit, stash or undo them, then "
            "run `hub-index sync` again"
        )


def _changed_paths(checkout: SyncedCheckout) -> list[str]:
    answer = checkout.run(
        "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"
    )
    return [os.fsdecode(entry[3:]) for entry in answer.out.split(b"\0")[:-1]]


def is_ancestor(checkout: SyncedCheckout, old: str, new: str) -> bool:
    """Whether `old` is `new`, or reachable from it."""
    return checkout.ask("merge-base", "--is-ancestor", old, new).status == 0
