"""What a checkout's `.git` says, read without a process, against what git itself says."""

import subprocess
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.search.checkout.git_head import read_head
from hub_index.search.checkout.listing import read_listing


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with two skills."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "The first.")
    hub.skill("two/deep", "The second.")
    hub.commit("skills")
    return hub


def test_the_head_of_a_branch_a_packed_ref_and_no_branch(hub: HubMaker) -> None:
    """Loose, packed and detached heads are all found."""
    head = hub.git("rev-parse", "HEAD")
    assert read_head(str(hub.root)) == head
    hub.git("pack-refs", "--all")
    assert read_head(str(hub.root)) == head
    hub.git("checkout", "-q", "--detach")
    assert read_head(str(hub.root)) == head


def test_the_head_of_a_worktree_and_of_a_folder_in_a_repository(hub: HubMaker, tmp_path: Path) -> None:
    """A worktree has a head of its own; a hub may be a folder of its repository."""
    hub.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    other = HubMaker(tmp_path / "tree")
    other.skill("three", "The third.")
    commit = other.commit("three")
    assert read_head(str(other.root)) == commit != read_head(str(hub.root))
    assert read_head(str(hub.root / "skills")) == read_head(str(hub.root))


def test_what_is_no_checkout_has_no_head(tmp_path: Path) -> None:
    """An unborn branch, a broken HEAD and a plain folder are unknown, not an error."""
    HubMaker(tmp_path / "unborn")
    assert read_head(str(tmp_path / "unborn")) == ""
    (tmp_path / "unborn" / ".git" / "HEAD").write_bytes(b"ref: ../../etc/passwd\n\xff")
    assert read_head(str(tmp_path / "unborn")) == ""
    assert read_head(str(tmp_path / "nowhere")) == ""


def listed_digest(hub: Path) -> str:
    """What git's index file says of the hub."""
    listing = read_listing(str(hub))
    return "" if listing is None else listing.source_digest()


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_the_source_digest_is_that_of_a_build(hub: HubMaker, version: str) -> None:
    """git's index file gives the same digest as the commit, in every version of its format."""
    if version == "3":
        hub.write("skills/later/SKILL.md", "x")
        hub.git("add", "--intent-to-add", "skills/later/SKILL.md")
        hub.git("rm", "-q", "--cached", "skills/later/SKILL.md")
    hub.git("update-index", "--index-version", version)
    expected = read_hub(open_repository(hub.root)).snapshot.source_digest
    assert listed_digest(hub.root) == expected


def test_the_source_digest_of_a_hub_inside_a_repository(tmp_path: Path) -> None:
    """Only what lies below the hub's folder counts, with paths from it."""
    outer = HubMaker(tmp_path / "outer")
    outer.write("hubs/mine/skills/a/SKILL.md", "---\nname: a\ndescription: b\n---\n")
    outer.write("skills/not-mine/SKILL.md", "---\nname: c\ndescription: d\n---\n")
    outer.commit("both")
    hub = outer.root / "hubs" / "mine"
    assert listed_digest(hub) == read_hub(open_repository(hub)).snapshot.source_digest


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_source_digest_of_a_repository_with_long_ids(tmp_path: Path, version: str) -> None:
    """Blobs named by sha256, in a worktree too, whose settings are its repository's."""
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path / "long")], check=True)
    long = HubMaker(tmp_path / "long")
    long.skill("one", "The first.")
    long.commit("one")
    long.git("worktree", "add", "-q", str(tmp_path / "tree"))
    for hub in (long, HubMaker(tmp_path / "tree")):
        hub.git("update-index", "--index-version", version)
        assert listed_digest(hub.root) == read_hub(open_repository(hub.root)).snapshot.source_digest


@pytest.mark.parametrize("how", ["worktree", "separate"])
def test_the_source_digest_where_git_is_elsewhere(tmp_path: Path, how: str) -> None:
    """A checkout whose `.git` is a file, whole, and a hub that is a folder of it."""
    main = HubMaker(tmp_path / "main")
    main.skill("a", "The whole repository's.")
    main.write("hubs/mine/skills/b/SKILL.md", "---\nname: b\ndescription: c\n---\n")
    main.commit("both")
    other = tmp_path / "other"
    if how == "worktree":
        main.git("worktree", "add", "-q", str(other))
    else:
        main.git("clone", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"), ".", str(other))
    for hub in (other, other / "hubs" / "mine"):
        assert listed_digest(hub) == read_hub(open_repository(hub)).snapshot.source_digest


@pytest.mark.parametrize("content", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\1", b"DIRC\0\0\0\2\0\0\xff\xff" + b"x" * 200])
def test_a_damaged_index_file_says_nothing(hub: HubMaker, content: bytes) -> None:
    """Where git's index cannot be read, fresh or stale is left open."""
    (hub.root / ".git" / "index").write_bytes(content)
    assert read_listing(str(hub.root)) is None
