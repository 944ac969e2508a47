"""F21 to F24 as far as they concern reading: commits only, shallow clones, and repositories that cannot be read."""

import subprocess
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.errors import SourceError
from hub_index.hub.git.repository import open_repository
from hub_index.hub.history import read_history
from hub_index.hub.snapshot import HubState, read_contents, read_hub


def _whole(root: Path, rev: str = "HEAD") -> tuple[HubState, list[object]]:
    repo = open_repository(root)
    state = read_hub(repo, rev)
    return state, [content for _, content in read_contents(repo, state.snapshot.files)]


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with two commits."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("alpha")
    maker.commit(when="2024-01-01T00:00:00 +0000")
    maker.skill("beta")
    maker.commit(when="2024-01-02T00:00:00 +0000")
    return maker


def test_f21_uncommitted_work_does_not_exist(hub: HubMaker) -> None:
    """Edits, new and deleted files, staged changes and settings in the work tree change nothing."""
    before = _whole(hub.root)
    hub.skill("alpha", "Edited but not committed.")
    hub.skill("gamma")
    (hub.root / "skills/beta/SKILL.md").unlink()
    hub.write("hub-index.toml", 'roots = ["elsewhere"]')
    assert _whole(hub.root) == before
    hub.git("add", "-A")
    assert _whole(hub.root) == before


def test_f21_work_tree_filters_do_not_touch_the_bytes(hub: HubMaker) -> None:
    """Line ends that git would convert on checkout are read as they were committed."""
    hub.write(".gitattributes", "*.md text eol=crlf\n")
    hub.git("config", "core.autocrlf", "true")
    hub.commit()
    _, contents = _whole(hub.root)
    assert all(isinstance(content, bytes) and b"\r" not in content for content in contents)


def test_f22_shallow_clone_gives_the_same_files_and_says_so(hub: HubMaker, tmp_path: Path) -> None:
    """Files, bytes and digest are equal; the snapshot is marked, and the hub's revision is the commit read."""
    hub.write("README.md", "x")
    tip = hub.commit(when="2024-01-03T00:00:00 +0000")
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{hub.root}", str(clone)], check=True)
    full, full_contents = _whole(hub.root)
    cut, cut_contents = _whole(clone)
    assert cut.snapshot.shallow
    assert not full.snapshot.shallow
    assert cut_contents == full_contents
    assert (cut.snapshot.files, cut.snapshot.source_digest) == (full.snapshot.files, full.snapshot.source_digest)
    found = read_history(open_repository(clone), tip, cut.snapshot.files, cut.config, since=None)
    assert found.hub_revision == tip
    assert set(found.updated_at) == {"skills/alpha/SKILL.md", "skills/beta/SKILL.md"}
    assert read_history(open_repository(hub.root), tip, (), full.config).hub_revision != tip


def test_f23_revision_missing(hub: HubMaker) -> None:
    """The message names the revision and what to look at."""
    with pytest.raises(SourceError, match=r"'no-such-branch' is not a commit.*git log"):
        _whole(hub.root, "no-such-branch")


def test_f23_no_commit_yet(tmp_path: Path) -> None:
    """A fresh repository is told to commit first."""
    with pytest.raises(SourceError, match="commit something first"):
        _whole(HubMaker(tmp_path / "fresh").root)


def test_f23_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain folder, a file and nothing at all each get their own sentence."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match=r"is not a git repository.*git init"):
        open_repository(tmp_path / "plain")
    for missing in ("file", "nothing"):
        with pytest.raises(SourceError, match="there is no folder"):
            open_repository(tmp_path / missing)


def test_f23_no_git(hub: HubMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the message says to install it."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(SourceError, match="install git"):
        open_repository(hub.root)


def test_f23_damaged_repository(hub: HubMaker) -> None:
    """A tree object that is gone is a SourceError that names git fsck."""
    tree = hub.git("rev-parse", "HEAD:skills")
    (hub.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(SourceError, match="git fsck"):
        _whole(hub.root)


def test_f23_a_commit_that_cannot_be_read_is_not_missing(hub: HubMaker) -> None:
    """A branch whose commit is gone has had one: nobody is told to commit something first."""
    commit = hub.git("rev-parse", "HEAD")
    (hub.root / ".git/objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(SourceError, match=f"HEAD of .* is at {commit[:12]}, which git cannot read: run `git fsck`"):
        _whole(hub.root)


def test_f23_a_repository_that_git_does_not_accept(hub: HubMaker, tmp_path: Path) -> None:
    """A worktree whose repository was moved, and a damaged one: `git init` is not what they need."""
    hub.git("worktree", "add", "-q", str(tmp_path / "tree"))
    hub.root.rename(tmp_path / "moved")
    with pytest.raises(SourceError, match=r"tree/\.git leads to a repository that is not there.*git worktree repair"):
        open_repository(tmp_path / "tree")
    (tmp_path / "moved/.git/HEAD").write_text("damaged")
    with pytest.raises(SourceError, match=r"moved/\.git is damaged.*give the path of a new clone"):
        open_repository(tmp_path / "moved")


def test_f24_rewritten_history_is_read_like_any_other(hub: HubMaker) -> None:
    """The old revision is gone, not an ancestor, or both: times come from the new history."""
    old = hub.git("rev-parse", "HEAD")
    hub.git("reset", "-q", "--hard", "HEAD~1")
    hub.skill("beta")
    new = hub.commit(when="2024-02-01T00:00:00 +0000")
    repo = open_repository(hub.root)
    state = read_hub(repo)
    expected = read_history(repo, new, state.snapshot.files, state.config)
    assert expected.updated_at["skills/beta/SKILL.md"] == "2024-02-01T00:00:00Z"
    assert read_history(repo, new, state.snapshot.files, state.config, since=old) == expected
    hub.git("reflog", "expire", "--expire=now", "--all")
    hub.git("gc", "-q", "--prune=now")
    assert not repo.has_commit(old)
    assert read_history(repo, new, state.snapshot.files, state.config, since=old) == expected
