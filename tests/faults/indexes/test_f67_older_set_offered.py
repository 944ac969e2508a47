"""F67, the side of sync: a remote that offers an older or another history is not followed."""

from pathlib import Path

import pytest
from support.hubs.sync_world import SyncWorld, make_world
from support.processes.cli_runner import hub_index_here

from hub_index.errors import SourceError


@pytest.fixture
def world(tmp_path: Path) -> SyncWorld:
    """A hub synced at its second commit."""
    world = make_world(tmp_path)
    world.author.skill("four")
    world.push("second")
    world.sync()
    return world


def test_f67_a_remote_that_went_back_is_refused(world: SyncWorld) -> None:
    """The older commit would not be a fast-forward: exit 3, what to do, nothing changed; each time."""
    head, files = world.head(), world.files()
    world.author.git("push", "-q", "--force", "origin", "HEAD~1:main")
    for _ in range(2):
        with pytest.raises(SourceError, match=r"older commit.*fast-forward.*move .* away") as refused:
            world.sync()
        assert refused.value.exit_code == 3
        assert (world.head(), world.files()) == (head, files)


def test_f67_a_rewritten_history_is_refused_until_it_is_taken_on_purpose(world: SyncWorld) -> None:
    """Refused each time; the advice (move the clone away, sync again) works."""
    head = world.head()
    world.author.git("checkout", "-q", "--orphan", "rewritten")
    new = world.push("another first commit")
    for _ in range(2):
        with pytest.raises(SourceError, match="rewritten"):
            world.sync()
        assert world.head() == head
    world.clone.rename(world.clone.with_name("old"))
    assert world.sync(world.remote).revision == new


def test_f67_a_remote_that_comes_back_is_followed_again(world: SyncWorld) -> None:
    """After the remote's owner has put the history back, sync goes on as before."""
    world.author.git("push", "-q", "--force", "origin", "HEAD~1:main")
    with pytest.raises(SourceError):
        world.sync()
    world.author.skill("five")
    new = world.push("third")
    assert world.sync().revision == new


def test_f67_an_index_of_a_commit_outside_the_history_is_noticed(world: SyncWorld) -> None:
    """A valid index whose hub_revision is not an ancestor is used, with a note: no more is promised."""
    world.build()
    manifest = world.author.root / "search" / "index_manifest.json"
    text = manifest.read_text()
    revision = world.author.git("rev-parse", "HEAD")
    assert revision in text
    manifest.write_text(text.replace(revision, "0" * 40))
    world.push("an index from elsewhere")
    outcome = hub_index_here("sync", AXON_HOME=str(world.clone.parent))
    assert outcome.code == 0
    assert "not in this hub's history" in outcome.err
    assert "index: 4 skills" in outcome.out
