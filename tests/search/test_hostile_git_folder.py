"""A hub that came as an archive brings its own `.git`: what stands there neither hangs nor exhausts a reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.limits import MAX_GIT_PATH_BYTES, MAX_GIT_PATHS_BYTES
from hub_index.search.checkout import git_index
from hub_index.search.checkout.git_head import read_head
from hub_index.search.checkout.git_index import read_git_entries

_PIPES = ("HEAD", "commondir", "config", "index", "packed-refs", "refs/heads/main")
_HEAD_BYTES = 62  # of an entry of git's index, before its path: times, numbers, a sha1, flags


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of one skill."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("alpha", "Sorts files.")
    maker.commit("one")
    return maker


@pytest.mark.parametrize("name", _PIPES)
def test_a_pipe_in_the_git_folder_hangs_no_search(hub: HubMaker, name: str, tmp_path: Path) -> None:
    """Every reader of `.git` passes a pipe over at once, and the skill is found all the same."""
    pipe = hub.root / ".git" / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "hub_index", "search", "sorts", "--hub", str(hub.root), "--keyword"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AXON_HOME": str(tmp_path / "axon")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env=environment)
    assert "alpha" in done.stdout, done.stderr


def test_the_git_folder_itself_may_be_a_pipe(tmp_path: Path) -> None:
    """A pipe in the place of `.git` names no commit and no files."""
    os.mkfifo(tmp_path / ".git")
    assert read_head(str(tmp_path)) == ""
    assert read_git_entries(str(tmp_path)) is None


def _entry(strip: bytes, added: bytes) -> bytes:
    """One entry of version 4: how much of the path before falls away, and what is added."""
    head = bytearray(_HEAD_BYTES)
    head[24:28] = (0o100644).to_bytes(4, "big")
    return bytes(head) + strip + added + b"\0"


def _read(hub: HubMaker, *entries: bytes) -> object:
    index = b"DIRC" + (4).to_bytes(4, "big") + len(entries).to_bytes(4, "big") + b"".join(entries)
    (hub.root / ".git" / "index").write_bytes(index + bytes(20))
    return read_git_entries(str(hub.root))


def test_an_index_of_short_paths_is_read(hub: HubMaker) -> None:
    """The entries that the other tests make are right but for what they make wrong."""
    entries = _read(hub, _entry(b"\0", b"skills/alpha/SKILL.md"), _entry(b"\x08", b"OTHER.md"))
    assert isinstance(entries, git_index.GitEntries)
    assert entries.paths == [b"skills/alpha/SKILL.md", b"skills/alpha/OTHER.md"]


@pytest.mark.parametrize(
    "entries",
    [
        (_entry(b"\0", b"a" * (MAX_GIT_PATH_BYTES + 1)),),
        (_entry(b"\0", b"a"), _entry(b"\x02", b"b")),
        (_entry(b"\xff" * 1_000_000 + b"\0", b"a"),),
        tuple(_entry(b"\0", b"a" * 40) for _ in range(8_000)),
    ],
    ids=["a path over the limit", "more falls away than there is", "a number of a megabyte", "paths that grow"],
)
def test_an_index_that_no_git_writes_is_unknown(hub: HubMaker, entries: tuple[bytes, ...]) -> None:
    """Nothing is claimed of such an index, and little is read of it."""
    assert _read(hub, *entries) is None


def test_all_paths_together_have_a_limit(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many long paths from a small file are unknown, too: each repeats the one before."""
    entries = [_entry(b"\0", b"a" * 4_000), *[_entry(b"\x01", b"b")] * 10]
    assert 4_000 * len(entries) < MAX_GIT_PATHS_BYTES
    assert _read(hub, *entries) is not None
    monkeypatch.setattr(git_index, "MAX_GIT_PATHS_BYTES", 4_000 * len(entries) - 1)
    assert _read(hub, *entries) is None
