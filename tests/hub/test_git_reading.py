"""The seam to git, against real repositories."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.errors import SourceError
from hub_index.hub.git.process import GitOutcome
from hub_index.hub.git.repository import open_repository
from hub_index.models import TreeEntry


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with one skill, committed."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("alpha")
    maker.commit()
    return maker


def test_tree_is_listed_with_mode_size_and_path(hub: HubMaker) -> None:
    """Each entry carries what git knows before a blob is read."""
    hub.place(b"link", b"skills", mode="120000")
    commit = hub.commit_index()
    content = (hub.root / "skills/alpha/SKILL.md").read_bytes()
    listed = open_repository(hub.root).list_tree(commit)
    assert [(entry.mode, entry.size, entry.path) for entry in listed] == [
        ("120000", 6, "link"),
        ("100644", len(content), "skills/alpha/SKILL.md"),
    ]
    assert isinstance(listed[0], TreeEntry)


def test_names_that_are_not_utf8_or_hold_line_ends_survive(hub: HubMaker) -> None:
    """A name keeps its bytes: quotes, tabs, line ends, and what is not UTF-8 as surrogate escapes."""
    hub.place(b'skills/"q\n\t/SKILL.md', b"x")
    hub.place(b"skills/\xff\xfe/SKILL.md", b"x")
    paths = [entry.path for entry in open_repository(hub.root).list_tree(hub.commit_index())]
    assert 'skills/"q\n\t/SKILL.md' in paths
    assert "skills/\udcff\udcfe/SKILL.md" in paths


def test_hub_may_be_a_subfolder(tmp_path: Path) -> None:
    """Paths are relative to the hub's folder, wherever in the repository it is and whatever it is called."""
    maker = HubMaker(tmp_path / "repo")
    maker.write("sub/my hub/skills/a/SKILL.md", "x")
    maker.write("sub/my hub/sub/my hub/decoy", "x")
    maker.write("skills/outside/SKILL.md", "x")
    commit = maker.commit()
    repo = open_repository(tmp_path / "repo/sub/my hub")
    assert repo.prefix == "sub/my hub"
    assert [entry.path for entry in repo.list_tree(commit)] == ["skills/a/SKILL.md", "sub/my hub/decoy"]
    assert repo.read_file(commit, "skills/a/SKILL.md") == b"x"


def test_subfolder_that_is_not_committed_is_named(hub: HubMaker) -> None:
    """A hub folder that the revision does not hold is a SourceError with its name."""
    (hub.root / "new").mkdir()
    repo = open_repository(hub.root / "new")
    with pytest.raises(SourceError, match="'new' is not in commit"):
        repo.list_tree(repo.resolve_commit("HEAD"))


def test_bare_repository_can_be_read(hub: HubMaker, tmp_path: Path) -> None:
    """A hub on a server has no work tree and is listed all the same."""
    subprocess.run(["git", "clone", "-q", "--bare", str(hub.root), str(tmp_path / "bare.git")], check=True)
    repo = open_repository(tmp_path / "bare.git")
    assert [entry.path for entry in repo.list_tree(repo.resolve_commit("main"))] == ["skills/alpha/SKILL.md"]


def test_inside_of_git_folder_is_refused(hub: HubMaker) -> None:
    """Somebody who gives .git is told to give the hub."""
    with pytest.raises(SourceError, match="inside of a git repository"):
        open_repository(hub.root / ".git")


def test_revisions_are_resolved_to_commits(hub: HubMaker) -> None:
    """Branches, annotated tags and short ids name a commit."""
    commit = hub.git("rev-parse", "HEAD")
    hub.git("tag", "-a", "v1", "-m", "one")
    repo = open_repository(hub.root)
    revisions = ("HEAD", "main", "v1", commit, commit[:10])
    assert {repo.resolve_commit(rev) for rev in revisions} == {commit}
    assert {repo.resolve_tree(rev) for rev in revisions} == {(commit, hub.git("rev-parse", "HEAD:"))}


@pytest.mark.parametrize(
    "rev", ["", "-h", "--all", "--output=x", "nowhere", "HEAD:skills", "^HEAD", "HEAD..HEAD", "a\0b", "a\nb", "\udcff"]
)
def test_revisions_that_name_no_commit_are_refused(hub: HubMaker, rev: str) -> None:
    """Options, ranges, paths and control characters are not revisions, and never reach git as options."""
    with pytest.raises(SourceError):
        open_repository(hub.root).resolve_commit(rev)
    with pytest.raises(SourceError):
        open_repository(hub.root).resolve_tree(rev)


def test_commits_are_asked_by_full_id_only(hub: HubMaker) -> None:
    """has_commit and is_ancestor answer no to anything that is not a full id of a commit here."""
    first = hub.git("rev-parse", "HEAD")
    second = hub.commit("second")
    tree = hub.git("rev-parse", "HEAD^{tree}")
    repo = open_repository(hub.root)
    assert repo.has_commit(first)
    assert not any(repo.has_commit(text) for text in ("HEAD", "", "-h", "0" * 40, tree, first[:12]))
    assert repo.is_ancestor(first, second)
    assert not any(repo.is_ancestor(text, first) for text in (second, "HEAD", "--all", "0" * 40))


def test_blobs_come_in_the_order_asked(hub: HubMaker) -> None:
    """The same blob may be asked twice, and an empty one is empty."""
    hub.write("skills/empty/SKILL.md", "")
    hub.write("skills/binary/SKILL.md", bytes(range(256)))
    commit = hub.commit()
    repo = open_repository(hub.root)
    blobs = [entry.blob for entry in repo.list_tree(commit)]
    asked = [*blobs, *reversed(blobs)]
    answers = list(repo.read_blobs(asked))
    assert [blob for blob, _ in answers] == asked
    assert {content for _, content in answers} >= {b"", bytes(range(256))}
    assert list(repo.read_blobs([])) == []


def test_many_blobs_do_not_block(hub: HubMaker) -> None:
    """More questions and answers than both pipes hold pass without a deadlock, and a reader may stop early."""
    hub.write("big", os.urandom(300_000))
    commit = hub.commit()
    repo = open_repository(hub.root)
    big = next(entry.blob for entry in repo.list_tree(commit) if entry.path == "big")
    small = next(entry.blob for entry in repo.list_tree(commit) if entry.path != "big")
    answers = repo.read_blobs([big, *[small] * 20_000, big])
    assert sum(1 for _ in answers) == 20_002
    early = repo.read_blobs([big] * 5_000)
    next(early)
    early.close()  # type: ignore[attr-defined]


def test_missing_blob_is_a_source_error(hub: HubMaker) -> None:
    """An object that git does not have ends the reading with its id."""
    with pytest.raises(SourceError, match="0123456789"):
        list(open_repository(hub.root).read_blobs(["0123456789" * 4]))


def test_partial_clone_is_named_and_nothing_is_fetched(hub: HubMaker, tmp_path: Path) -> None:
    """A clone without blobs is refused with what to do; the remote is not asked behind the user's back."""
    hub.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    origin = f"file://{hub.root}"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", "--no-checkout", origin, str(clone)], check=True)
    repo = open_repository(clone)
    with pytest.raises(SourceError, match="without --filter"):
        list(repo.read_blobs(entry.blob for entry in repo.list_tree(repo.resolve_commit("HEAD"))))
    missing = subprocess.run(
        ["git", "-C", str(clone), "rev-list", "--objects", "--missing=print", "HEAD"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "?" in missing.stdout


def test_foreign_git_variables_do_not_lead_astray(
    hub: HubMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a git hook GIT_DIR and friends point elsewhere; the hub that was named is read."""
    other = HubMaker(tmp_path / "other")
    other.skill("other")
    other.commit()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    repo = open_repository(hub.root)
    assert [entry.path for entry in repo.list_tree(repo.resolve_commit("HEAD"))] == ["skills/alpha/SKILL.md"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("fatal: no such thing\nhint: try another\n", "no such thing"),
        (
            "Cloning into 'x'...\nPermission denied (publickey).\nfatal: Cannot read.\n",
            "Permission denied (publickey).; Cannot read.",
        ),
        (
            "fatal: unable to access 'https://user:canary@example.com/x/'\x1b[31m\n",
            "unable to access 'https://example.com/x/'[31m",
        ),
        ("hint: only a hint\n", "hint: only a hint"),
        ("", "no reason given"),
    ],
)
def test_the_reason_of_a_failure_is_fit_to_be_shown(said: str, reason: str) -> None:
    """What ssh or a server said stays, hints, passwords and terminal escapes go, on one line."""
    assert GitOutcome(128, b"", said).reason == reason


def test_committed_file_is_read_up_to_a_size(hub: HubMaker) -> None:
    """read_file gives bytes, and None for what is missing, too large or a folder."""
    hub.write("search/index_manifest.json", "{}")
    commit = hub.commit()
    repo = open_repository(hub.root)
    assert repo.read_file(commit, "search/index_manifest.json", max_bytes=2) == b"{}"
    assert repo.read_file(commit, "search/index_manifest.json", max_bytes=1) is None
    assert repo.read_file(commit, "search/nothing") is None
    assert repo.read_file(commit, "search") is None


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root can give a folder away")
def test_repository_of_another_user_says_what_to_do(hub: HubMaker) -> None:
    """git's distrust of a foreign owner is passed on with the command that ends it."""
    os.chown(hub.root, 65534, 65534)
    os.chown(hub.root / ".git", 65534, 65534)
    with pytest.raises(SourceError, match=r"safe\.directory"):
        open_repository(hub.root)


def test_repository_carries_no_environment(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a traceback, a log or a pickle it does not carry the user's variables."""
    monkeypatch.setenv("SOME_SECRET", "canary-value")
    repo = open_repository(hub.root)
    assert "canary-value" not in repr(repo)
    assert b"canary-value" not in pickle.dumps(repo)
    assert pickle.loads(pickle.dumps(repo)) == repo


@pytest.mark.parametrize(
    ("status", "said", "remedy"),
    [
        (128, "fatal: unable to write loose object file: No space left on device", "free space, then run again"),
        (-25, "", "free space, then run again"),
        (128, "error: insufficient permission for adding an object", "change the rights there, then run again"),
        (1, "fatal: Unable to create 'main.lock': Permission denied", "change the rights there, then run again"),
        (1, "fatal: something else", "run again"),
    ],
)
def test_what_kept_git_from_writing_says_what_to_do(status: int, said: str, remedy: str) -> None:
    """Another try alone helps neither a full disk nor missing rights."""
    assert GitOutcome(status, b"", said).remedy == remedy
