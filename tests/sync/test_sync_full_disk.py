"""`sync` where the disk takes no more: exit 7, what to do, and the user's clone as it was."""

import os
from pathlib import Path

import pytest
from support.builds.limited_files import hub_index_limited
from support.hubs.sync_world import SyncWorld, make_world
from support.processes.cli_runner import CommandOutcome


def _sync(world: SyncWorld, max_bytes: int, *arguments: str) -> CommandOutcome:
    """`hub-index sync` that may write no file of more bytes."""
    return hub_index_limited(max_bytes, "sync", *arguments, AXON_HOME=str(world.clone.parent))


def test_a_clone_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    """One line, and no half of a clone."""
    world = make_world(tmp_path, synced=False)
    world.author.write("big.bin", os.urandom(100_000))
    world.push()
    done = _sync(world, 30, str(world.remote))
    assert (done.code, done.out) == (7, "")
    assert "cannot be written (" in done.err
    assert done.err.endswith("free space, then run `hub-index sync` again\n")
    assert not world.clone.exists()
    assert world.sync(world.remote).revision == world.head()


def test_an_update_that_does_not_fit_leaves_the_clone_as_it_was(tmp_path: Path) -> None:
    """The next sync, with room, goes on."""
    world = make_world(tmp_path)
    before = world.head()
    world.author.write("big.bin", os.urandom(100_000))
    after = world.push()
    done = _sync(world, 20_000)
    assert done.code == 7
    assert done.err.endswith("free space, then run `hub-index sync` again\n")
    assert (world.head(), world.git("status", "--porcelain")) == (before, "")
    assert world.sync().revision == after


def test_objects_that_fit_and_files_that_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git could write of the work tree is taken back; the lock of a git that was killed is known by its age."""
    world = make_world(tmp_path)
    before = world.head()
    world.author.write("big.txt", "the same again\n" * 100_000)
    after = world.push()
    done = _sync(world, 200_000)
    assert done.code == 7
    assert done.err.endswith("free space, then run `hub-index sync` again\n")
    assert (world.head(), world.git("status", "--porcelain")) == (before, "")
    monkeypatch.setattr("hub_index.hub.sync.repair._QUIET_S", 0)
    assert world.sync().revision == after
