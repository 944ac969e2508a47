"""What `sync` refuses: whatever would lose the user's work or follow a history that does not continue ours."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.hubs.sync_world import SyncWorld, copy_world, make_world
from support.processes.cli_runner import hub_index_here

from hub_index.errors import SourceError


@pytest.fixture
def world(template: SyncWorld, tmp_path: Path) -> SyncWorld:
    """A synced hub, and a newer commit at the remote that changes one skill and adds another."""
    return copy_world(template, tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> SyncWorld:
    """What each test gets a copy of."""
    world = make_world(tmp_path_factory.mktemp("template"))
    world.author.write(".gitignore", "ignored/\n")
    world.push("rules")
    world.sync()
    world.author.skill("one", "Does something else.")
    world.author.skill("four")
    world.author.write("ignored/file", "theirs")
    world.push("newer")
    return world


def edited(world: SyncWorld) -> str:
    world.write("skills/one/SKILL.md", "mine")
    return "skills/one/SKILL.md"


def edited_elsewhere(world: SyncWorld) -> str:
    world.write("skills/two/SKILL.md", "mine")
    return "skills/two/SKILL.md"


def staged(world: SyncWorld) -> str:
    world.write("skills/five/SKILL.md", "mine")
    world.git("add", "-A")
    return "skills/five/SKILL.md"


def deleted(world: SyncWorld) -> str:
    (world.clone / "skills/three/SKILL.md").unlink()
    return "skills/three/SKILL.md"


def untracked(world: SyncWorld) -> str:
    world.write("skills/four/SKILL.md", "mine")
    return "skills/four/SKILL.md"


def ignored(world: SyncWorld) -> str:
    world.write("ignored/file", "mine")
    return "ignored/file"


def hidden_from_status(world: SyncWorld) -> str:
    world.git("update-index", "--assume-unchanged", "skills/one/SKILL.md")
    return edited(world)


def folder_in_the_way(world: SyncWorld) -> str:
    world.write("skills/four/SKILL.md/mine", "mine")
    return "skills/four/SKILL.md"


def file_in_the_way(world: SyncWorld) -> str:
    world.write("skills/four", "mine")
    return "skills/four"


@pytest.mark.parametrize(
    "change",
    [
        edited,
        edited_elsewhere,
        staged,
        deleted,
        untracked,
        ignored,
        hidden_from_status,
        folder_in_the_way,
        file_in_the_way,
    ],
)
def test_work_that_would_be_lost_is_named_and_kept(world: SyncWorld, change: Callable[[SyncWorld], str]) -> None:
    """Exit 3 with the file's name; every byte and the commit are as before; and again the same."""
    name = change(world)
    files, head, index = world.files(), world.head(), world.git("ls-files", "-s")
    for _ in range(2):
        with pytest.raises(SourceError) as refused:
            world.sync()
        assert refused.value.exit_code == 3
        assert name in str(refused.value)
        assert "`hub-index sync` again" in str(refused.value)
        assert (world.files(), world.head(), world.git("ls-files", "-s")) == (files, head, index)


def test_once_the_work_is_out_of_the_way_the_sync_goes_on(world: SyncWorld) -> None:
    """What the message advises is enough."""
    untracked(world)
    with pytest.raises(SourceError):
        world.sync()
    (world.clone / "skills/four/SKILL.md").rename(world.clone / "saved")
    assert world.sync().commits == 1


def test_changes_that_nothing_comes_upon_are_only_mentioned(world: SyncWorld) -> None:
    """Nothing new at the remote: edits and own commits stay, with a note of each."""
    world.sync()
    world.write("skills/two/SKILL.md", "mine")
    world.commit_own()
    world.write("skills/two/SKILL.md", "mine again")
    synced = world.sync()
    assert synced.commits == 0
    assert any("1 commit of your own" in text for text in synced.notices)
    assert any("not committed" in text for text in synced.notices)


def test_commits_of_ones_own_are_not_merged(world: SyncWorld) -> None:
    """Both sides have moved: refused, with the way out, and both are kept."""
    world.write("skills/own/SKILL.md", "mine")
    mine = world.commit_own()
    for _ in range(2):
        with pytest.raises(SourceError, match=r"1 commit of its own.*never merges"):
            world.sync()
        assert world.head() == mine


@pytest.mark.parametrize("state", ["detached", "merging", "no origin", "bare"])
def test_a_clone_in_an_odd_state_is_left_alone(world: SyncWorld, state: str) -> None:
    """No branch, an open merge, no origin, no files: each is said."""
    if state == "detached":
        world.git("checkout", "-q", "--detach")
    elif state == "merging":
        (world.clone / ".git" / "MERGE_HEAD").write_text(world.head() + "\n")
    elif state == "no origin":
        world.git("remote", "remove", "origin")
    else:
        world.git("config", "core.bare", "true")
    words = {"detached": "no branch", "merging": "merge", "no origin": "origin", "bare": "checked out"}
    with pytest.raises(SourceError, match=words[state]):
        world.sync()


def test_another_address_than_the_clones_is_refused(world: SyncWorld, tmp_path: Path) -> None:
    """The clone is not pointed elsewhere behind the user's back; another spelling of the same place is fine."""
    other = make_world(tmp_path / "other", synced=False)
    with pytest.raises(SourceError, match="is a clone of"):
        world.sync(other.remote)
    assert world.sync(f"file://{world.remote}/").commits == 1


def test_an_origin_that_runs_programs_is_refused(world: SyncWorld, tmp_path: Path) -> None:
    """Whoever wrote it into the clone's settings: it is not followed."""
    canary = tmp_path / "canary"
    world.git("config", "remote.origin.url", f"ext::sh -c touch% {canary}")
    world.git("config", "protocol.ext.allow", "always")
    with pytest.raises(SourceError, match="origin"):
        world.sync()
    assert not canary.exists()


def test_a_setting_cannot_turn_an_address_into_a_program(world: SyncWorld, tmp_path: Path) -> None:
    """git's own rewriting of addresses ends at the transports that are allowed."""
    canary = tmp_path / "canary"
    world.git("config", f"url.ext::sh -c touch% {canary} .insteadOf", str(world.remote))
    world.git("config", "protocol.ext.allow", "always")
    with pytest.raises(SourceError, match="not allowed"):
        world.sync()
    assert not canary.exists()


def test_the_remote_is_gone(world: SyncWorld) -> None:
    """Exit 3 with the address; the clone is as it was, and works again when the remote is back."""
    away = world.remote.with_name("away.git")
    head = world.head()
    world.remote.rename(away)
    with pytest.raises(SourceError, match=r"remote\.git"):
        world.sync()
    assert world.head() == head
    away.rename(world.remote)
    assert world.sync().commits == 1


def test_no_password_is_ever_shown(tmp_path: Path) -> None:
    """An address with a password that cannot be reached: the canary is in no output, with --debug and --json too."""
    address = "http://user:canary-pass%21@127.0.0.1:9/hub.git?token=canary-token"
    for options in ((), ("--debug",), ("--json",)):
        outcome = hub_index_here("sync", address, *options, AXON_HOME=str(tmp_path / "axon"))
        assert outcome.code == 3
        assert "127.0.0.1:9/hub.git" in outcome.err
        assert "canary" not in outcome.out + outcome.err


def test_the_command_refuses_with_one_line(world: SyncWorld) -> None:
    """Exit 3, nothing on stdout, no traceback."""
    edited(world)
    outcome = hub_index_here("sync", AXON_HOME=str(world.clone.parent))
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.count("\n") == 1
