"""A hub's index, built from a branch's head and committed on top of it, without passing through anybody's work tree.

head → Snapshot and previous index → files → commit → push. Skills and the previous index both come from the branch as
it is now; if somebody moves the branch meanwhile, we start again on the new head, at most three times in all. Indexes
are never merged and a hub's branch is never forced. A run that dies before the push leaves nothing but loose objects,
and in a checkout of the branch at most an index that is not committed yet; after the push there is nothing left to do.
"""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from hub_index import GENERATOR
from hub_index.errors import ConfigError, PublishRace
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.skill.problems import counted
from hub_index.hub.snapshot import read_hub
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.index.build import BuildOptions, Job, make_index
from hub_index.index.previous import PreviousLookup, read_previous
from hub_index.index.publish.branches import BranchHost, Move, Refs
from hub_index.index.publish.commit import (
    Base,
    Signature,
    check_commit,
    check_no_tracked_strangers,
    choose_identity,
    commit_files,
    is_index_only,
    parse_identity,
    read_committed,
)
from hub_index.index.publish.git_writer import GitWriter
from hub_index.index.publish.local_branch import LocalBranch
from hub_index.index.publish.remote import Remote, check_found
from hub_index.index.report import BuildReport, NewIndex
from hub_index.index.seams import BuildTools
from hub_index.index.signature.signing import Signer
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


@dataclass(frozen=True, slots=True)
class _Task:
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


def publish_index(hub: Path, build: BuildOptions, publish: PublishOptions, tools: BuildTools) -> PublishOutcome:
    """Brings a branch's index up to date by one commit, or by none where it is.

    Raises ConfigError, SourceError, PublishError, and what make_index raises.
    """
    check_options(build, publish)
    repo = open_repository(hub)
    signer = Signer(publish.sign) if publish.sign is not None else None
    with closing(GitWriter(hub)) as writer:
        _check_names(writer, publish)
        host: BranchHost = Remote(writer, publish.remote) if publish.push else LocalBranch(writer, repo)
        refs = host.find_refs(publish.branch, orphan=publish.orphan)
        if publish.orphan and refs.source == refs.target:
            raise ConfigError("--orphan needs a branch of its own: the branch that is read cannot be replaced")
        return _publish_with_tries(_Task(repo, writer, host, refs, build, publish, tools, signer))


def check_options(build: BuildOptions, publish: PublishOptions) -> None:
    """Raises ConfigError for options that contradict each other."""
    if build.rev != "HEAD":
        raise ConfigError(
            "--rev cannot be committed or pushed: an index is committed on the head that it was made from"
        )
    if build.out is not None:
        raise ConfigError("--out cannot be committed or pushed: the folder in the branch is hub-index.toml's `output`")
    if publish.orphan and publish.branch is None:
        raise ConfigError("--orphan needs a branch of its own: name it with --branch")
    if publish.author is not None:
        parse_identity(publish.author)


def _publish_with_tries(task: _Task) -> PublishOutcome:
    tries = 1
    while True:
        try:
            return replace(_publish_once(task), tries=tries)
        except PublishRace as error:
            if tries == MAX_TRIES:
                where = task.host.label(task.refs.target)
                raise PublishRace(
                    f"{where} moved under each of {MAX_TRIES} builds; run again when it is quiet"
                ) from error
            tries += 1


def _publish_once(task: _Task) -> PublishOutcome:
    step, host, refs = task.tools.step, task.host, task.refs
    source = check_found(step("fetch", lambda: host.read_head(refs.source)), host.label(refs.source))
    head = step("fetch", lambda: host.read_head(refs.target)) if task.publish.orphan else source
    with uncommitted_files(task.repo, "HEAD" if task.refs_are_checked_out else source) as uncommitted:
        state = step("snapshot", lambda: read_hub(task.repo, source))
        waiting = uncommitted.count_skills(state.config)
    output = state.config.output
    folder = f"{task.repo.prefix}/{output}" if task.repo.prefix else output
    base = Base(head, folder, keeps_history=not task.publish.orphan)
    _check_own_branch(task, base)
    committed = read_committed(task.repo, head, output)
    previous = read_previous(committed)
    if previous.index is None:
        check_no_tracked_strangers(task.writer, base, committed)
        host.check_folder(refs.target, output)
    options = replace(task.build, force=task.build.force or _is_doubtful(task, committed))
    new = make_index(Job(task.repo, state, previous, options, task.tools, waiting))
    if new.files is not None:
        new = replace(new, files=_with_signature(task, new.files, committed))
    for notice in filter(None, (_unpushed_notice(task, source), _unsigned_notice(new.files, committed))):
        new = replace(new, report=replace(new.report, notices=(*new.report.notices, notice)))
    label = host.label(refs.target)
    outcome = PublishOutcome(new.report, None, label, output, f"{label}:{base.folder}")
    if task.build.dry_run:
        return outcome
    commit = step("commit", lambda: _commit(task, base, output, new, previous))
    if commit is None:
        notices = new.report.notices + host.settle(refs.target, output)
        return replace(outcome, report=replace(new.report, changed=False, notices=notices))
    step("push", lambda: host.move(Move(refs.target, head, commit, output, replaces=task.publish.orphan)))
    return replace(outcome, commit=commit, report=replace(new.report, changed=True))


def _unpushed_notice(task: _Task, source: str) -> str:
    """What is committed here and unknown to the remote's branch, which alone is read; empty where nothing is."""
    if not task.publish.push or not task.refs_are_checked_out:
        return ""
    unpushed = task.writer.word("rev-list", "--count", f"{source}..HEAD")
    if unpushed in ("", "0"):
        return ""
    branch = task.host.label(task.refs.source)
    return f"{counted(int(unpushed), 'commit')} not pushed yet: the index is of {branch}; `git push` first"


def _commit(task: _Task, base: Base, output: str, new: NewIndex, previous: PreviousLookup) -> str | None:
    files = new.files
    if files is None and previous.index is not None and isinstance(previous.index.source, IndexFiles):
        files = previous.index.source  # current; the commit is made only if an attribute or a mode is wrong beside it
    if files is None:
        return None
    message = task.publish.message or _message(new.report)
    signature = Signature(choose_identity(task.writer, task.publish.author), message)
    commit = commit_files(task.writer, base, files, signature)
    if commit is not None:
        check_commit(task.repo, commit, output, files)
    return commit


def _is_doubtful(task: _Task, committed: IndexFiles | None) -> bool:
    """Whether a signer would take over vectors that its key has not signed: whoever may push can have made them."""
    return task.signer is not None and committed is not None and not task.signer.has_signed(committed)


def _with_signature(task: _Task, files: IndexFiles, committed: IndexFiles | None) -> IndexFiles:
    """The files with a signature of theirs: the old one where the manifest stays, else a new one if it is wanted."""
    if committed is not None and committed.manifest == files.manifest and not _is_doubtful(task, committed):
        return replace(files, signature=committed.signature)
    return task.signer.sign(files) if task.signer is not None else files


def _unsigned_notice(files: IndexFiles | None, committed: IndexFiles | None) -> str:
    """That a signed index is followed by one without; empty where it is not."""
    if files is None or files.signature is not None or committed is None or committed.signature is None:
        return ""
    return "the previous index was signed and this one is not: its signature is removed; --sign KEY makes a new one"


def _message(report: BuildReport) -> str:
    """Numbers only: names of skills are other people's text, which does not belong in a commit of ours."""
    embedded = report.embedded - report.from_cache
    return (
        f"Search index: {len(report.added)} added, {len(report.edited)} edited, {len(report.removed)} removed\n\n"
        f"{counted(report.skills, 'skill')} of {report.revision[:12]}, {counted(embedded, 'text')} embedded with "
        f"{report.model_id}, {report.from_cache} from the cache, {counted(report.reused, 'vector')} reused.\n"
        f"Made by {GENERATOR}.\n"
    )


def _check_own_branch(task: _Task, base: Base) -> None:
    """Raises ConfigError where --orphan would replace a branch that holds more than an index."""
    if not base.keeps_history and base.head is not None and not is_index_only(task.writer, base.head, base.folder):
        label = task.host.label(task.refs.target)
        raise ConfigError(f"--orphan would replace {label}, which holds more than an index; choose a new branch name")


def _check_names(writer: GitWriter, publish: PublishOptions) -> None:
    for what, name in (("--branch", publish.branch), ("--remote", publish.remote)):
        if name is None:
            continue
        if name.startswith("-") or writer.ask("check-ref-format", f"refs/heads/{name}").status != 0:
            raise ConfigError(
                f"{what} {name!r} is not a name that git accepts; `git help check-ref-format` has the rules"
            )
    if publish.remote is not None and publish.remote not in writer.remotes:
        raise ConfigError(f"there is no remote {publish.remote!r}; `git remote` lists them")
