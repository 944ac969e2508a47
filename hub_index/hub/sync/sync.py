"""`sync`: clones a hub, or moves a clone forward to the newest commit; the user's work is never at risk.

Moves by fast-forward only: no merge, no rebase, no force. A clone is made beside its folder and renamed, so that it is
never half there. Obstacles are named, with what to do about them: SourceError (exit 3), or PublishError (exit 7) for a
full disk.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hub_index.base.locks import Lock
from hub_index.errors import ConfigError, HubIndexError, PublishError, SourceError
from hub_index.hub.git.address import Address, parse_address
from hub_index.hub.git.network import NetworkGit, Progress
from hub_index.hub.git.own_settings import OWN_UPLOAD_PACK, OwnSettings, read_own_settings
from hub_index.hub.git.process import GitOutcome
from hub_index.hub.git.repository import is_object_id, open_repository
from hub_index.hub.sync.obstacles import (
    Ends,
    check_branch,
    check_clean,
    check_forward,
    check_origin,
    is_ancestor,
    notices_without_move,
)
from hub_index.hub.sync.repair import SyncedCheckout, forget_move, list_some, note_move, repair_checkout, undo_move

_INCOMING = "refs/hub-index/incoming"


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """The result of a sync: `previous` is the commit before, None after a clone."""

    folder: Path
    address: str  # without credentials
    branch: str
    revision: str
    previous: str | None
    commits: int
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The options of a sync; `is_interactive` lets git and ssh ask for a password."""

    is_interactive: bool = False
    progress: Progress = lambda _what, _done, _total: None


def sync_hub(folder: Path, url: str | None, options: SyncOptions) -> SyncOutcome:
    """Brings the folder to the newest commit of its hub. Raises ConfigError, SourceError, PublishError."""
    folder = Path(os.path.abspath(folder))
    address = parse_address(url) if url is not None else None
    with lock_checkout(folder) as lock:
        remove_half_clones(folder)
        git = NetworkGit(address.scheme if address else "file", options.is_interactive, lock, options.progress)
        if not _is_taken(folder):
            if address is None:
                raise ConfigError(f"no hub was synced to {folder} yet; say which: `hub-index sync URL`")
            return _clone(folder, address, git)
        return _update(folder, address, git)


def remove_half_clones(folder: Path) -> None:
    """Removes what killed clones left beside the folder; only under the lock."""
    name = re.compile(re.escape(f".{folder.name}.hub-index-clone-") + "[0-9a-f]{12}")
    for entry in filter(name.fullmatch, os.listdir(folder.parent)):
        shutil.rmtree(folder.parent / entry, ignore_errors=True)  # which refuses links


def _is_taken(folder: Path) -> bool:
    if folder.is_symlink() and not folder.exists():
        raise SourceError(f"{folder} is a link to a folder that is not there; remove it, or make that folder")
    if not folder.exists():
        return False
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder; move it away, then run `hub-index sync` again")
    return bool(os.listdir(folder))


def _clone(folder: Path, address: Address, git: NetworkGit) -> SyncOutcome:
    half = folder.parent / f".{folder.name}.hub-index-clone-{os.urandom(6).hex()}"
    try:
        answer = git.fetch(
            "clone", "--progress", "--no-local", "--single-branch", "--no-tags", "--no-recurse-submodules",
            "--template=", "--origin=origin", "--", address.url, str(half),
        )  # fmt: skip
        if answer.status != 0:
            raise _fetch_failure(folder, address, answer, git.own)
        branch = git.ask(half, "symbolic-ref", "--short", "-q", "HEAD").line
        revision = git.ask(half, "rev-parse", "--verify", "-q", "HEAD").line
        if not branch or not is_object_id(revision):
            raise SourceError(f"{address.shown} has no commit on a default branch; push one there first")
        half.rename(folder if not folder.is_symlink() else folder.resolve())
    except OSError as error:
        raise PublishError(f"{folder} cannot be written ({error.strerror}); check its rights and free space") from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return SyncOutcome(folder, address.shown, branch, revision, None, 0, address.notices)


def _update(folder: Path, wanted: Address | None, git: NetworkGit) -> SyncOutcome:
    checkout = _open(folder, git)
    address = check_origin(checkout, wanted)
    checkout = replace(checkout, git=replace(git, scheme=address.scheme, own=read_own_settings(folder)))
    notices = address.notices if wanted else ()
    if repair_checkout(checkout):
        notices += ("an earlier sync was stopped half-way and has been undone",)
    branch = check_branch(checkout)
    upstream = _upstream(checkout, branch)
    old = checkout.run("rev-parse", "--verify", "HEAD^{commit}").line
    last_seen = checkout.ask("rev-parse", "--verify", "-q", f"{_tracking(upstream)}^{{commit}}").line
    try:
        ends = Ends(old, _fetch(checkout, address, upstream), last_seen)
        if is_ancestor(checkout, ends.new, old):
            notices += notices_without_move(checkout, address, ends)
            return SyncOutcome(folder, address.shown, branch, old, old, 0, notices)
        check_forward(checkout, address, ends)
        check_clean(checkout)
        commits = int(checkout.run("rev-list", "--count", f"{old}..{ends.new}").line)
        _move(checkout, old, ends.new)
        checkout.run("update-ref", _tracking(upstream), ends.new)
    finally:
        checkout.ask("update-ref", "-d", _INCOMING)
    checkout.ask("gc", "--auto", "--quiet")  # years of small fetches would otherwise be years of small files
    return SyncOutcome(folder, address.shown, branch, ends.new, old, commits, notices)


def _open(folder: Path, git: NetworkGit) -> SyncedCheckout:
    if not os.path.lexists(folder / ".git"):  # git would look in the folders above, and find the user's home
        raise SourceError(f"{folder} exists and is not a clone; move it away, then run `hub-index sync URL`")
    if open_repository(folder).prefix:
        raise SourceError(f"{folder} belongs to a larger repository; move it away, then run `hub-index sync URL`")
    git_folder = git.ask(folder, "rev-parse", "--absolute-git-dir").line
    if git.ask(folder, "rev-parse", "--is-inside-work-tree").line != "true":
        raise SourceError(f"{folder} has no files checked out; move it away, then run `hub-index sync URL`")
    return SyncedCheckout(folder, Path(git_folder), git)


def _upstream(checkout: SyncedCheckout, branch: str) -> str:
    """The remote's branch that ours follows."""
    if checkout.ask("config", "--get", f"branch.{branch}.remote").line == "origin":
        merge = checkout.ask("config", "--get", f"branch.{branch}.merge").line
        if merge.startswith("refs/heads/"):
            return merge
    return f"refs/heads/{branch}"


def _tracking(upstream: str) -> str:
    return f"refs/remotes/origin/{upstream.removeprefix('refs/heads/')}"


def _fetch(checkout: SyncedCheckout, address: Address, upstream: str) -> str:
    """The remote's newest commit. Only our own ref moves: the user's stay as evidence of what the remote had before."""
    (checkout.git_folder / f"{_INCOMING}.lock").unlink(missing_ok=True)  # of a killed fetch; only ours has this ref
    answer = checkout.git.fetch(
        "-C", str(checkout.folder), "fetch", OWN_UPLOAD_PACK, "--progress", "--no-tags", "--no-recurse-submodules",
        "--no-auto-maintenance", "--no-write-fetch-head", "--refmap=", "origin", f"+{upstream}:{_INCOMING}",
    )  # fmt: skip
    if answer.status != 0:
        raise _fetch_failure(checkout.folder, address, answer, checkout.git.own)
    return checkout.run("rev-parse", "--verify", f"{_INCOMING}^{{commit}}").line


def _move(checkout: SyncedCheckout, old: str, new: str) -> None:
    note_move(checkout, old, new)
    answer = checkout.ask("merge", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--progress", new)
    if answer.status == 0:
        forget_move(checkout)
        return
    in_the_way = [line[1:] for line in answer.said.split("\n") if line.startswith("\t")]
    if in_the_way:  # git looks before it writes: nothing has been touched
        forget_move(checkout)
        raise SourceError(
            f"the new commit would overwrite work of yours in {checkout.folder}: {list_some(in_the_way)}; move it "
            "away, then run `hub-index sync` again"
        )
    with suppress(SourceError):  # a full disk, a foreign lock: the next sync will try again
        undo_move(checkout)
    if answer.is_disk_full:
        raise _disk_full(checkout.folder, answer.reason)
    raise SourceError(f"{checkout.folder} could not be moved forward: {answer.reason}")


def _disk_full(folder: Path, reason: str) -> PublishError:
    return PublishError(
        f"{folder} cannot be written ({reason}), and what is there stays; free space, then run `hub-index sync` again"
    )


def _fetch_failure(folder: Path, address: Address, answer: GitOutcome, own: OwnSettings) -> HubIndexError:
    reason = replace(answer, said=address.redact(answer.said)).reason  # redacted before it is cut
    if answer.is_disk_full:
        return _disk_full(folder, reason)
    return SourceError(
        f"{address.shown} cannot be fetched: {reason}; check the address, the network and your rights{own.hint}"
    )


@contextmanager
def lock_checkout(folder: Path) -> Iterator[int]:
    """The lock's handle, held until the block is left. Raises PublishError."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(folder.parent / f".{folder.name}.sync.lock")
    except OSError as error:
        raise PublishError(
            f"{folder.parent} cannot be written ({error.strerror}); change its rights or set AXON_HOME"
        ) from error
    with lock:
        busy = PublishError(f"another sync is at work on {folder}; wait for it, then run again")
        lock.take_now(busy, folder.parent, "set AXON_HOME")
        yield lock.handle
