"""A hub's index, built from a branch's head and committed on top of it, without using any work tree.

head → Snapshot and previous index → files → commit → push. Skills and the previous index both come from the branch as
it is now; if another publisher moves the branch meanwhile, we start again on the new head, at most three times in all.
Indexes are never merged and a hub's branch is never forced. A run that dies before the push leaves only loose objects,
and in a checkout of the branch at most an index that is not committed yet; after the push there is nothing left to do.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hub_index.errors import ConfigError, PublishRace
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.index.build import make_index
from hub_index.index.build_tools import BuildOptions, BuildTools, Job
from hub_index.index.folder.foreign_files import TrackedNames, tracked_index
from hub_index.index.folder.hold import Hold, parse_hold
from hub_index.index.previous import PreviousLookup, read_previous
from hub_index.index.publish.branches import BranchHost, Move, Refs, check_found, plan_keeping
from hub_index.index.publish.commit import (
    Authorship,
    Base,
    build_message,
    check_commit,
    check_no_tracked_strangers,
    check_own_branch,
    choose_identity,
    commit_files,
    mended_notice,
    parse_identity,
    resume_notice,
    unpushed_notice,
)
from hub_index.index.publish.committed import read_committed
from hub_index.index.publish.git_writer import GitWriter
from hub_index.index.publish.local_branch import LocalBranch
from hub_index.index.publish.remote import Remote
from hub_index.index.reporting.report import BuildReport, NewIndex
from hub_index.index.signature import Signer
from hub_index.models import IndexFiles

MAX_TRIES = 3


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """Where the index goes and what its commit says."""

    push: bool = False  # False: the repository's own branch moves
    remote: str | None = None  # None: the one that the branch follows
    branch: str | None = None  # None: the branch that is checked out
    orphan: bool = False  # the branch holds nothing but the index, and no history
    author: str | None = None  # `Name <mail>`; None: git's own settings
    message: str | None = None
    resume: bool = False  # the owner's hold, if there is one, ends with the commit of this build
    sign: Path | None = None  # an OpenSSH key


@dataclass(frozen=True, slots=True)
class PublishOutcome:
    """A report, and where its index is now; no commit: nothing had to be changed."""

    report: BuildReport
    commit: str | None
    branch: str
    folder: str  # from the hub's root
    place: str  # `main:hub/search`: what `git show` finds in the repository
    tries: int = 1
    rolled_back_to: str | None = None  # the commit whose index was put back


@dataclass(frozen=True, slots=True)
class Task:
    """One change of one branch: what is open, what was asked for, and with which tools."""

    repo: Repository
    writer: GitWriter
    host: BranchHost
    refs: Refs
    build: BuildOptions
    publish: PublishOptions
    tools: BuildTools
    signer: Signer | None

    @property
    def refs_are_checked_out(self) -> bool:
        """Whether what is read is the branch that the user works on, here or on the remote."""
        return self.publish.branch is None or self.publish.orphan

    def tracked(self, base: Base, output: str) -> TrackedNames:
        """The names of the index that the base's commit, or its history, has in the folder."""
        head = base.head
        return frozenset if head is None else lambda: tracked_index(self.repo, head, output)

    def base(self, head: str | None, output: str) -> Base:
        """The base of the new commit, for the hub's index folder."""
        folder = f"{self.repo.prefix}/{output}" if self.repo.prefix else output
        return Base(head, folder, keeps_history=not self.publish.orphan)


def publish_index(hub: Path, build: BuildOptions, publish: PublishOptions, tools: BuildTools) -> PublishOutcome:
    """Brings a branch's index up to date by one commit, or by none if it is current.

    Raises ConfigError, SourceError, PublishError, and the errors of `make_index`.
    """
    with open_task(hub, build, publish, tools) as task:
        return try_again(task, lambda: _publish_once(task))


@contextmanager
def open_task(hub: Path, build: BuildOptions, publish: PublishOptions, tools: BuildTools) -> Iterator[Task]:
    """The checked task with the repository open. Raises ConfigError, SourceError."""
    check_options(build, publish)
    repo = open_repository(hub)
    signer = Signer(publish.sign) if publish.sign is not None else None
    with closing(GitWriter(hub)) as writer:
        writer.check_names(publish.branch, publish.remote)
        host: BranchHost = Remote(writer, publish.remote) if publish.push else LocalBranch(writer, repo)
        refs = host.find_refs(publish.branch, orphan=publish.orphan)
        if publish.orphan and refs.source == refs.target:
            raise ConfigError("--orphan needs a separate branch: the branch that is read cannot be replaced")
        yield Task(repo, writer, host, refs, build, publish, tools, signer)


def check_options(build: BuildOptions, publish: PublishOptions) -> None:
    """Raises ConfigError for options that contradict each other."""
    if build.rev != "HEAD":
        raise ConfigError(
            "--rev cannot be committed or pushed: an index is committed on the head that it was made from"
        )
    if build.out is not None:
        raise ConfigError("--out cannot be committed or pushed: the folder in the branch is hub-index.toml's `output`")
    if publish.orphan and publish.branch is None:
        raise ConfigError("--orphan needs a separate branch: name it with --branch")
    if publish.author is not None:
        parse_identity(publish.author)


def try_again(task: Task, work: Callable[[], PublishOutcome]) -> PublishOutcome:
    """The result of `work`, begun anew if another publisher moved the branch. Raises PublishRace after three tries."""
    tries = 1
    while True:
        try:
            return replace(work(), tries=tries)
        except PublishRace as error:
            if tries == MAX_TRIES:
                where = task.host.label(task.refs.target)
                raise PublishRace(
                    f"{where} moved under each of {MAX_TRIES} tries; run again when it is quiet"
                ) from error
            tries += 1


def _publish_once(task: Task) -> PublishOutcome:
    step, host, refs = task.tools.step, task.host, task.refs
    source = check_found(step("fetch", lambda: host.read_head(refs.source)), host, refs.source)
    task.tools.ledger.revision = source
    head = step("fetch", lambda: host.read_head(refs.target)) if task.publish.orphan else source
    known_trees = task.tools.known_trees
    with uncommitted_files(task.repo, "HEAD" if task.refs_are_checked_out else source, known_trees) as uncommitted:
        state = step("snapshot", lambda: read_hub(task.repo, source, known_trees))
        waiting = uncommitted.find_skills(state.config)
    output = state.config.output
    base = task.base(head, output)
    check_own_branch(task.writer, base, host.label(refs.target))
    committed = read_committed(task.repo, head, output)
    previous = read_previous(committed)
    if previous.index is None:
        check_no_tracked_strangers(task.writer, base, committed, task.tracked(base, output))
        host.check_folder(refs.target, output)
    hold = parse_hold(committed.hold) if committed is not None and committed.hold is not None else None
    options = replace(task.build, force=task.build.force or is_doubtful(task.signer, committed))
    new = make_index(
        Job(task.repo, state, previous, options, task.tools, waiting, hold=None if task.publish.resume else hold)
    )
    if new.files is not None:
        new = replace(new, files=with_signature(task.signer, new.files, committed))
    notices = new.report.notices + _notices(task, source, hold) + unsigned_notice(new.files, committed)
    new = replace(new, report=replace(new.report, notices=notices))
    label = host.label(refs.target)
    outcome = PublishOutcome(new.report, None, label, output, f"{label}:{base.folder}")
    if task.build.dry_run:
        return outcome
    commit = None
    if new.report.held is None:
        commit = step("commit", lambda: _commit(task, base, output, new, previous))
    if commit is None:
        notices += host.settle(refs.target, output)
        return replace(outcome, report=replace(new.report, changed=False, notices=notices))
    if new.files is None and hold is None:
        notices += (mended_notice(),)
    notices += step("push", lambda: move_branch(task, base, commit, output))
    return replace(outcome, commit=commit, report=replace(new.report, changed=True, notices=notices))


def move_branch(task: Task, base: Base, commit: str, output: str) -> tuple[str, ...]:
    """Moves the branch from its base to the commit; a notice where an index that leaves no history was not kept.

    Raises PublishRace, PublishError.
    """
    host, target = task.host, task.refs.target
    keeping = None
    if base.head is not None and not base.keeps_history:
        keeping = plan_keeping(host.list_kept(target), target, base.head)
    return host.move(Move(target, base.head, commit, output, replaces=task.publish.orphan, keeping=keeping))


def _notices(task: Task, source: str, hold: Hold | None) -> tuple[str, ...]:
    """Notices about a hold that ends, and about local commits that the remote does not have."""
    notices = (resume_notice(hold),) if task.publish.resume else ()
    if not task.publish.push or not task.refs_are_checked_out:
        return notices
    unpushed = int(task.writer.word("rev-list", "--count", f"{source}..HEAD") or 0)
    return (*notices, unpushed_notice(unpushed, task.host.label(task.refs.source))) if unpushed else notices


def _commit(task: Task, base: Base, output: str, new: NewIndex, previous: PreviousLookup) -> str | None:
    files = new.files
    if files is None and previous.index is not None and isinstance(previous.index.source, IndexFiles):
        # current; the commit is made only if an attribute or a mode is wrong beside it, or to end a hold
        files = replace(previous.index.source, hold=None)
    if files is None:
        return None
    return commit_checked(task, base, output, files, task.publish.message or build_message(new.report))


def commit_checked(task: Task, base: Base, output: str, files: IndexFiles, message: str) -> str | None:
    """The commit of these files, read back and compared; None if the base holds them already."""
    authorship = Authorship(choose_identity(task.writer, task.publish.author), message)
    commit = commit_files(task.writer, base, files, authorship)
    if commit is not None:
        check_commit(task.repo, commit, output, files)
    return commit


def is_doubtful(signer: Signer | None, committed: IndexFiles | None) -> bool:
    """True if a signer would take over vectors that its key has not signed: other people may have made it."""
    return signer is not None and committed is not None and not signer.has_signed(committed)


def with_signature(signer: Signer | None, files: IndexFiles, committed: IndexFiles | None) -> IndexFiles:
    """The files with a signature of theirs, or with none."""
    if committed is not None and committed.manifest == files.manifest and not is_doubtful(signer, committed):
        return replace(files, signature=committed.signature)
    return signer.sign(files) if signer is not None else files


def unsigned_notice(files: IndexFiles | None, committed: IndexFiles | None) -> tuple[str, ...]:
    """A notice if an unsigned index follows a signed one; else empty."""
    if files is None or files.signature is not None or committed is None or committed.signature is None:
        return ()
    return ("the previous index was signed and this one is not: its signature is removed; --sign KEY makes a new one",)
