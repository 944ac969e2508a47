"""An earlier index put back by a new commit, and held: `hub-index publish --rollback [REV]`.

Rows and vectors are the earlier ones, byte for byte; `created_at` is new, so that no reader takes it for a replay. The
commit of the earlier index is resolved once: a publisher at the same time cannot change the meaning of "the one
before". Nothing is built or embedded. The hold ends with `publish --resume`, whose commit also brings the new index.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hub_index.base.characters import short_line
from hub_index.errors import ConfigError, IndexUnusable, SourceError
from hub_index.hub.snapshot import read_config
from hub_index.index.build_tools import BuildOptions, BuildTools, encode_time
from hub_index.index.folder.hold import Hold, encode_hold, parse_hold
from hub_index.index.format.manifest import (
    MANIFEST_FILE,
    SIGNATURE_FILE,
    SKILLS_FILE,
    VECTOR_FILE,
    decode_manifest,
    redate_manifest,
)
from hub_index.index.format.validate import check_index
from hub_index.index.format.verify import decode_index
from hub_index.index.previous import read_previous
from hub_index.index.publish.branches import check_found
from hub_index.index.publish.commit import (
    Base,
    check_no_tracked_strangers,
    check_own_branch,
    choose_identity,
    rollback_message,
)
from hub_index.index.publish.committed import read_committed
from hub_index.index.publish.publish import (
    PublishOptions,
    PublishOutcome,
    Task,
    commit_checked,
    is_doubtful,
    move_branch,
    open_task,
    try_again,
    unsigned_notice,
    with_signature,
)
from hub_index.index.reporting.report import BuildReport, held_report
from hub_index.models import IndexFiles

_MIN_ID_CHARS = 7  # as git shortens commit ids


@dataclass(frozen=True, slots=True)
class _Branch:
    """The branch that is rolled back, as it is now."""

    head: str
    output: str
    base: Base
    files: IndexFiles | None


@dataclass(frozen=True, slots=True)
class _Earlier:
    commit: str
    files: IndexFiles


def roll_back(hub: Path, rev: str | None, publish: PublishOptions, tools: BuildTools) -> PublishOutcome:
    """Puts the index of a revision back and holds it; without one the index that the branch had before.

    Raises ConfigError, SourceError, PublishError, and IndexUnusable if our reader does not accept that index.
    """
    with open_task(hub, BuildOptions(), publish, tools) as task:
        branch = _read_branch(task)
        earlier = _find_earlier(task, branch, rev)
        _check_readable(earlier, branch)
        return try_again(task, lambda: _put_back(task, earlier))


def _read_branch(task: Task) -> _Branch:
    step, host, refs = task.tools.step, task.host, task.refs
    source = check_found(step("fetch", lambda: host.read_head(refs.source)), host, refs.source)
    head = step("fetch", lambda: host.read_head(refs.target)) if task.publish.orphan else source
    head = check_found(head, host, refs.target)
    output = read_config(task.repo, task.repo.list_tree(source)).output
    base = task.base(head, output)
    check_own_branch(task.writer, base, host.label(refs.target))
    return _Branch(head, output, base, read_committed(task.repo, head, output))


def _find_earlier(task: Task, branch: _Branch, rev: str | None) -> _Earlier:
    if rev is not None:
        commit = _resolve(task, rev)
        files = read_committed(task.repo, commit, branch.output)
        if files is None:
            raise SourceError(
                f"commit {commit[:12]} has no index in {branch.base.folder}/: `git log -- {branch.base.folder}` shows "
                "the commits that changed it"
            )
        if is_doubtful(task.signer, files):
            raise ConfigError(
                f"the index of commit {commit[:12]} was not signed with this key, so anyone with push rights could "
                "have made it: roll back to a signed one, or without --sign"
            )
        return _Earlier(commit, files)
    if branch.files is not None and branch.files.hold is not None:
        raise ConfigError(
            f"{parse_hold(branch.files.hold).sentence()}; to put another one back, say which: --rollback REV"
        )
    for commit in _earlier_commits(task, branch):
        files = read_committed(task.repo, commit, branch.output)
        if files is None or (branch.files is not None and _is_same(files, branch.files)):
            continue
        if not is_doubtful(task.signer, files):  # a signature names the maker, not the one who puts it back
            _check_stays_signed(task, branch, commit)
            return _Earlier(commit, files)
    more = "; the clone is shallow: `git fetch --unshallow` brings the rest" if task.repo.shallow else ""
    label = task.host.label(task.refs.target)
    signed = " under a signature: none was signed with this key" if task.signer is not None else ""
    raise SourceError(
        f"{label} has no earlier index in {branch.base.folder}/ with other skills or vectors that could be put "
        f"back{signed}{more}"
    )


def _check_stays_signed(task: Task, branch: _Branch, commit: str) -> None:
    """Raises ConfigError if readers who check signatures would lose the index: a rollback changes the signed date."""
    if task.signer is None and branch.files is not None and branch.files.signature is not None:
        raise ConfigError(
            f"the index on {task.host.label(task.refs.target)} is signed, and one that is put back needs a new "
            f"signature: add --sign KEY, or go without one by naming the commit: --rollback {commit[:12]}"
        )


def _earlier_commits(task: Task, branch: _Branch) -> Iterator[str]:
    """Commits with a possibly different index, newest first, each fetched when it is asked for."""
    if task.publish.orphan:
        for ref in task.host.list_kept(task.refs.target):
            if commit := task.host.read_head(ref):
                yield commit
        return
    # a part never changes without the manifest
    paths = [f"{branch.base.folder}/{name}" for name in (MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE)]
    yield from task.writer.run("rev-list", branch.head, "--", *paths).decode("ascii").split()


def _resolve(task: Task, rev: str) -> str:
    """The commit of a revision: one of those that a branch without history has kept, else any local commit."""
    for ref, commit in (task.host.list_kept(task.refs.target) if task.publish.orphan else {}).items():
        is_meant = rev in (ref, ref.rpartition("/")[2]) or (len(rev) >= _MIN_ID_CHARS and commit.startswith(rev))
        if is_meant and (head := task.host.read_head(ref)):
            return head
    try:
        return task.repo.resolve_commit(rev)
    except SourceError as error:
        if not task.repo.shallow:
            raise
        raise SourceError(
            f"{rev!r} is not here, and the clone is shallow: `git fetch --unshallow` first, then run again"
        ) from error


def _is_same(files: IndexFiles, others: IndexFiles) -> bool:
    """Whether two indexes are the same for their readers, in whichever format."""
    if bool(files.parts) == bool(others.parts):
        return _content(files) == _content(others)
    try:
        ours, theirs = decode_index(files), decode_index(others)
    except IndexUnusable:
        return False
    is_same_model = ours.manifest.model_id == theirs.manifest.model_id
    return is_same_model and ours.records == theirs.records and ours.vectors == theirs.vectors


def _content(files: IndexFiles) -> tuple[object, ...]:
    """The values that make two indexes different for readers: rows, vectors and their model, not the build's time."""
    try:
        manifest = decode_manifest(files.manifest)
    except IndexUnusable:
        return files.skills, files.vectors, ""
    return files.skills, files.vectors, manifest.model_id, manifest.parts


def _check_readable(earlier: _Earlier, branch: _Branch) -> None:
    try:
        check_index(earlier.files)
    except IndexUnusable as error:
        reason = str(error).partition("; ")[0]
        raise type(error)(
            f"the index of commit {earlier.commit[:12]} cannot be put back ({branch.base.folder}/{reason}); "
            "name another commit: --rollback REV"
        ) from error


def _put_back(task: Task, earlier: _Earlier) -> PublishOutcome:
    branch = _read_branch(task)
    if read_previous(branch.files).index is None:
        # a damaged index in the same place as the one that is put back is not a stranger's
        if not task.repo.is_ancestor(earlier.commit, branch.head):
            tracked = task.tracked(branch.base, branch.output)
            check_no_tracked_strangers(task.writer, branch.base, branch.files, tracked)
        task.host.check_folder(task.refs.target, branch.output)
    now = encode_time(task.tools.now())
    hold = Hold(now, short_line(choose_identity(task.writer, task.publish.author).name), earlier.commit)
    manifest = redate_manifest(earlier.files.manifest, now)
    files = replace(earlier.files, manifest=manifest, signature=None, hold=encode_hold(hold))
    files = with_signature(task.signer, files, branch.files)
    message = task.publish.message or rollback_message(earlier.commit)
    commit = task.tools.step("commit", lambda: commit_checked(task, branch.base, branch.output, files, message))
    notices = unsigned_notice(files, branch.files)
    if commit is not None:
        notices += task.tools.step("push", lambda: move_branch(task, branch.base, commit, branch.output))
    report = _report(files, hold, notices, changed=commit is not None)
    label = task.host.label(task.refs.target)
    place = f"{label}:{branch.base.folder}"
    return PublishOutcome(report, commit, label, branch.output, place, rolled_back_to=earlier.commit)


def _report(files: IndexFiles, hold: Hold, notices: tuple[str, ...], *, changed: bool) -> BuildReport:
    manifest = decode_manifest(files.manifest)
    report = held_report(manifest.hub_revision, manifest, hold)
    return replace(report, changed=changed, notices=report.notices + notices)
