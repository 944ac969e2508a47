"""Index files → blobs, trees and one commit on top of a given head, by plumbing; refs and work tree stay as they are.

A crash at any point leaves loose objects that git's own gc removes. No hook and no filter runs: the blobs hold exactly
the bytes whose digests the manifest has, and that is checked on the finished commit (F52).

Messages and notices have numbers only: names of skills are other people's text, which does not belong in a commit of
ours.
"""

import os
import re
from dataclasses import dataclass

from hub_index import GENERATOR
from hub_index.errors import ConfigError, IndexUnusable, PublishError
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import counted
from hub_index.index.folder.foreign_files import TrackedNames, is_damaged_index, strangers_refusal
from hub_index.index.folder.hold import HOLD_FILE, Hold
from hub_index.index.folder.our_files import ATTRIBUTES, ATTRIBUTES_FILE, contents_of, is_our_name
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.sections import load, size_of
from hub_index.index.format.verify import check_digests
from hub_index.index.publish.committed import GitFile, holds_same, read_committed
from hub_index.index.publish.git_writer import GitWriter, graft_files, list_folder
from hub_index.index.reporting.report import BuildReport
from hub_index.limits import MAX_GIT_FILE_BYTES
from hub_index.models import Content, IndexFiles

# another git may remove objects without a ref, though by its default settings never so early
PRUNED = "another git may have removed objects (`git gc --prune=now`): run again when no other git is at work here"
_IDENTITY = re.compile(r"\s*([^<>\n\0]*[^<>\n\0\s])\s*<([^<>\n\0\s]+)>\s*")


@dataclass(frozen=True, slots=True)
class Identity:
    """The author of a commit."""

    name: str
    email: str


OWN_IDENTITY = Identity("hub-index", "hub-index@noreply.invalid")  # where git has no user.name: a bare CI machine


@dataclass(frozen=True, slots=True)
class Base:
    """The base of a commit: a head (None: a first commit) and the index folder from the repository's root."""

    head: str | None
    folder: str
    keeps_history: bool = True  # False: the commit has no parent and holds nothing but the folder


@dataclass(frozen=True, slots=True)
class Authorship:
    """The author of a commit, and its message."""

    identity: Identity
    message: str


def parse_identity(text: str) -> Identity:
    """`Name <mail>` as two values. Raises ConfigError."""
    match = _IDENTITY.fullmatch(text)
    if match is None:
        raise ConfigError("--author must look like: Some Name <name@example.org>")
    return Identity(match.group(1), match.group(2))


def choose_identity(writer: GitWriter, author: str | None) -> Identity:
    """The author: --author, else git's configured one, else ourselves; never a guess from user and host name."""
    if author is not None:
        return parse_identity(author)
    name = os.environ.get("GIT_AUTHOR_NAME") or writer.word("config", "--get", "user.name")
    email = os.environ.get("GIT_AUTHOR_EMAIL") or writer.word("config", "--get", "user.email")
    return Identity(name, email) if name and email else OWN_IDENTITY


def check_no_tracked_strangers(
    writer: GitWriter, base: Base, committed: IndexFiles | None, tracked: TrackedNames
) -> None:
    """Raises ConfigError if the head tracks files of our names without a manifest that our reader accepts (F78).

    A manifest that is damaged, where that is certain, is no reason; `tracked` are the names of the index before that.
    """
    error = None
    try:
        if committed is not None:
            decode_manifest(committed.manifest)
            return
    except IndexUnusable as unusable:
        error = unusable
    if base.head is None:
        return
    blobs = {os.fsdecode(name): blob for _, _, blob, name in list_folder(writer, base.head, base.folder)}
    taken = {name: blob for name, blob in blobs.items() if is_our_name(name)}
    if ATTRIBUTES_FILE in taken and writer.run("cat-file", "blob", taken[ATTRIBUTES_FILE]) == ATTRIBUTES:
        del taken[ATTRIBUTES_FILE]
    if not taken or (committed and error and is_damaged_index(error, committed.manifest, set(taken), tracked)):
        return
    remedy = f"name another folder (`output` in hub-index.toml), or `git rm -r {base.folder}`, commit and push that"
    raise strangers_refusal(f"{base.folder} in commit {base.head[:12]}", list(taken), error, remedy)


def check_sizes(files: IndexFiles) -> None:
    """Raises PublishError for a file that GitHub would refuse."""
    for name, content in contents_of(files).items():
        if size_of(content) > MAX_GIT_FILE_BYTES:
            advice = "choose a model with fewer dimensions, or build into a folder and distribute it another way"
            if not files.parts:
                advice = "take `format = 1` out of hub-index.toml, so that the index is published in parts"
            raise PublishError(
                f"{name} has {size_of(content):,} bytes and GitHub refuses files over {MAX_GIT_FILE_BYTES:,}: nothing "
                f"was published; {advice}"
            )


def commit_files(writer: GitWriter, base: Base, files: IndexFiles, authorship: Authorship) -> str | None:
    """The id of a commit on the base with these files, or None if the base holds them already.

    Raises PublishError, also if a link, file or submodule stands in the folder's place.
    """
    check_sizes(files)
    root = None
    if base.head:
        root = writer.run("rev-parse", "--verify", f"{base.head}^{{tree}}").decode("ascii").strip()
    blobs = _store_blobs(writer, files)
    tree = graft_files(writer, root if base.keeps_history else None, base.folder, blobs, is_our_name)
    if tree == root:
        return None
    return write_commit(writer, tree, authorship, parent=base.head if base.keeps_history else None)


def write_commit(writer: GitWriter, tree: str, authorship: Authorship, parent: str | None) -> str:
    """The id of a new commit of a tree; None: the commit has no history. Raises PublishError."""
    parents = ["-p", parent] if parent else []
    message, variables = authorship.message.encode(), _who_and_when(authorship.identity)
    return writer.run("commit-tree", tree, *parents, "-F", "-", stdin=message, variables=variables).decode().strip()


def check_commit(repo: Repository, commit: str, output: str, files: IndexFiles) -> None:
    """Raises PublishError unless the commit holds exactly these bytes and the manifest's digests agree (F52)."""
    committed = read_committed(repo, commit, output)
    try:
        if committed is None or not holds_same(committed, files):
            raise PublishError(
                f"the committed index has other bytes than the one that was built; nothing was published; {PRUNED}"
            )
        check_digests(committed)
    except IndexUnusable as error:
        why, _, _ = str(error).partition("; ")
        raise PublishError(
            f"the committed index contradicts itself ({why}); nothing was published; {PRUNED}"
        ) from error


def is_index_only(writer: GitWriter, commit: str, folder: str) -> bool:
    """Whether a commit is one that --orphan made: nothing but an index folder, and no parent."""
    if writer.word("rev-list", "--no-walk", "--parents", commit).split() != [commit]:
        return False
    names = writer.run("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit).split(b"\0")[:-1]
    places = (name.decode("utf-8", "surrogateescape").rpartition("/") for name in names)
    return all(place == folder and is_our_name(name) for place, _, name in places)


def check_own_branch(writer: GitWriter, base: Base, label: str) -> None:
    """Raises ConfigError where --orphan would replace a branch that holds more than an index."""
    if not base.keeps_history and base.head is not None and not is_index_only(writer, base.head, base.folder):
        raise ConfigError(f"--orphan would replace {label}, which holds more than an index; choose a new branch name")


def _store_blobs(writer: GitWriter, files: IndexFiles) -> dict[str, str]:
    return {name: _store_blob(writer, content) for name, content in contents_of(files).items()}


def _store_blob(writer: GitWriter, content: Content) -> str:
    """The blob of a content; a file of a part that git has already is that blob."""
    if isinstance(content, GitFile):
        return content.blob
    return writer.run("hash-object", "-w", "--stdin", stdin=load(content)).decode("ascii").strip()


def _who_and_when(identity: Identity) -> dict[str, str]:
    dates = {name: os.environ[name] for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE") if name in os.environ}
    return dates | {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", identity.name), ("EMAIL", identity.email))
    }


def build_message(report: BuildReport) -> str:
    """The message of a commit that brings an index up to date."""
    embedded = report.embedded - report.from_cache
    return (
        f"Search index: {len(report.added)} added, {len(report.edited)} edited, {len(report.removed)} removed\n\n"
        f"{counted(report.skills, 'skill')} of {report.revision[:12]}, {counted(embedded, 'text')} embedded with "
        f"{report.model_id}, {report.from_cache} from the cache, {counted(report.reused, 'vector')} reused.\n"
        f"Made by {GENERATOR}.\n"
    )


def rollback_message(commit: str) -> str:
    """The message of a commit that puts the index of an earlier one back."""
    return (
        f"Search index: back to that of {commit[:12]}\n\n"
        f"{HOLD_FILE} holds it until `hub-index publish --resume`.\n"
        f"Made by {GENERATOR}.\n"
    )


def resume_notice(hold: Hold | None) -> str:
    """The notice of --resume: whether a hold was removed."""
    return "the index was not held: there was nothing to resume" if hold is None else "the index is not held any more"


def mended_notice() -> str:
    """Why an index that did not change is committed."""
    return f"the index is as it was: only {ATTRIBUTES_FILE} or the mode of a file was put right beside it"


def unpushed_notice(commits: int, branch: str) -> str:
    """For commits that are unknown to the remote's branch, which alone is read."""
    return f"{counted(commits, 'commit')} not pushed yet: the index is of {branch}; `git push` first"
