"""A sync that dies: kill -9 and Ctrl-C in the middle of a clone, of a fetch and of writing files; then the next one.

git is held at a chosen file by a filter that the test puts into the clone's settings, so that every kill hits the same
spot; the note that a killed sync leaves is also written by hand, for states that no filter can produce.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.hubs.sync_stopper import WAIT_S, Stopper
from support.hubs.sync_world import SyncWorld, copy_world, make_world

from hub_index.errors import PublishError, SourceError

FILES = 6


def stamp_lock_files(world: SyncWorld, time_s: float) -> None:
    """Gives what a killed git left a time of the test's choice: no test waits, none depends on the machine's speed."""
    for path in (world.clone / ".git").glob("*.lock"):
        os.utime(path, (time_s, time_s))


@pytest.fixture
def world(template: SyncWorld, tmp_path: Path) -> SyncWorld:
    """A synced hub; at the remote wait changed, new, deleted files, and a folder in a file's place and back."""
    return copy_world(template, tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> SyncWorld:
    """What each test gets a copy of."""
    world = make_world(tmp_path_factory.mktemp("template"), synced=False)
    world.author.write(".gitattributes", "*.md filter=slow\n")
    world.author.write("turns/file", "one day a folder")
    world.author.write("turned/folder/file", "one day a file")
    world.author.write("gone.md", "will go")
    world.push("before")
    world.sync(world.remote)
    world.write("notes.txt", "the user's own")
    for number in range(FILES):
        world.author.skill(f"new-{number}")
    world.author.skill("one", "Changed.")
    world.author.skill("two", "Changed too.")
    world.author.git("rm", "-q", "-r", "gone.md", "turns", "turned")
    world.author.write("turns/file/inside.md", "a folder now")
    world.author.write("turned", "a file now")
    world.push("after")
    return world


@pytest.fixture
def stopper(world: SyncWorld, tmp_path: Path) -> Iterator[Stopper]:
    """The one who stops syncs; nothing of it is left running."""
    folder = tmp_path / "stopper"
    folder.mkdir()
    stopper = Stopper(world, folder)
    yield stopper
    stopper.let_go()
    if stopper.process is not None and stopper.process.poll() is None:
        stopper.process.kill()
        stopper.process.wait()


def check_whole(world: SyncWorld) -> None:
    """The clone is exactly the remote's newest commit, and the user's own file is there."""
    assert world.head() == world.author.git("rev-parse", "HEAD")
    assert world.git("status", "--porcelain") == "?? notes.txt"
    assert (world.clone / "turned").read_text() == "a file now"
    assert (world.clone / "turns" / "file" / "inside.md").read_text() == "a folder now"
    assert not (world.clone / "gone.md").exists()
    assert not list((world.clone / ".git").glob("hub-index-sync*"))


@pytest.mark.parametrize("number", [1, 4, FILES + 2])
def test_kill_9_while_files_are_written(world: SyncWorld, stopper: Stopper, number: int) -> None:
    """Everybody dies at the n-th file: the next sync undoes the half and arrives, without a word from the user."""
    stopper.hold_at_file(number)
    stopper.kill_all(stopper.start())
    assert world.git("status", "--porcelain") != "?? notes.txt"
    stamp_lock_files(world, time.time() + 60)
    with pytest.raises(SourceError, match="in a moment"):  # the lock file is fresh: perhaps a git is alive
        world.sync()
    stamp_lock_files(world, 0)
    synced = world.sync()
    assert synced.commits == 1
    assert any("half-way" in text for text in synced.notices)
    check_whole(world)


def test_hub_index_dies_and_git_lives_on(world: SyncWorld, stopper: Stopper) -> None:
    """While the orphan writes, nobody else may; when it is done, all is well."""
    stopper.hold_at_file(3)
    stopper.start()
    assert stopper.process is not None
    stopper.process.kill()
    stopper.process.wait()
    with pytest.raises(PublishError, match="another sync"):
        world.sync()
    stopper.let_go()
    end_s = time.monotonic() + WAIT_S
    while time.monotonic() < end_s:
        with suppress(PublishError):
            world.sync()
            break
        time.sleep(0.05)
    check_whole(world)


def test_ctrl_c_while_files_are_written(world: SyncWorld, stopper: Stopper) -> None:
    """Exit 130, git is stopped and cleans up its lock; the next sync arrives at once."""
    stopper.hold_at_file(3)
    stopper.start()
    assert stopper.process is not None
    stopper.process.send_signal(signal.SIGINT)
    assert stopper.process.wait(WAIT_S) == 130
    stopper.let_go()
    assert not (world.clone / ".git" / "index.lock").exists()
    assert world.sync().commits == 1
    check_whole(world)


def test_work_done_after_the_crash_is_kept(world: SyncWorld, stopper: Stopper) -> None:
    """An edited file, tracked or at a new file's place, stops the repair; moved away, the sync goes on."""
    stopper.hold_at_file(4)
    stopper.kill_all(stopper.start())
    stamp_lock_files(world, 0)
    world.write("skills/three/SKILL.md", "my work since")
    world.write("skills/new-0/SKILL.md", "my work too")
    before = world.files()
    for _ in range(2):
        with pytest.raises(SourceError, match=r"2 files.*skills/new-0/SKILL.md, skills/three/SKILL.md"):
            world.sync()
        assert world.files() == before
    for path in ("skills/three/SKILL.md", "skills/new-0/SKILL.md"):
        (world.clone / path).unlink()
    assert world.sync().commits == 1
    check_whole(world)


def note(world: SyncWorld) -> None:
    """The note of a sync from the clone's commit to the remote's newest, as if it had died at once."""
    world.git("fetch", "-q", "origin")
    (world.clone / ".git" / "hub-index-sync").write_text(f"{world.head()} {world.git('rev-parse', 'origin/main')}\n")


def test_a_file_that_was_half_written_is_not_work(world: SyncWorld) -> None:
    """A beginning of the new content, an empty file, an absent one: all were left by git."""
    note(world)
    new = (world.author.root / "skills/one/SKILL.md").read_text()
    world.write("skills/one/SKILL.md", new[: len(new) // 2])
    world.write("skills/new-1/SKILL.md", "")
    (world.clone / "skills/two/SKILL.md").unlink()
    assert world.sync().commits == 1
    check_whole(world)


def test_more_than_the_new_content_is_work(world: SyncWorld) -> None:
    """A new file with a line added is the user's."""
    note(world)
    world.write("skills/one/SKILL.md", (world.author.root / "skills/one/SKILL.md").read_text() + "mine\n")
    with pytest.raises(SourceError, match=r"skills/one/SKILL\.md"):
        world.sync()


def test_work_below_a_folder_that_took_a_files_place_is_kept(world: SyncWorld) -> None:
    """What the user put into a folder of the new commit survives the undoing."""
    note(world)
    (world.clone / "turns" / "file").unlink()
    world.write("turns/file/mine", "my work")
    with pytest.raises(SourceError, match="turns/file"):
        world.sync()
    assert (world.clone / "turns/file/mine").read_text() == "my work"


@pytest.mark.parametrize("text", ["", "nonsense", "0" * 40 + " " + "1" * 40, "\x00\xff"])
def test_a_note_that_fits_nothing_is_forgotten(world: SyncWorld, text: str) -> None:
    """A torn or foreign note undoes nothing."""
    (world.clone / ".git" / "hub-index-sync").write_bytes(text.encode("latin-1"))
    assert world.sync().commits == 1
    check_whole(world)


def test_the_users_own_lock_is_not_removed(world: SyncWorld) -> None:
    """Without a note of ours, a lock file is somebody else's: refused, however old it is."""
    lock = world.clone / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    with pytest.raises(SourceError, match=r"index\.lock"):
        world.sync()
    assert lock.exists()
    lock.unlink()
    assert world.sync().commits == 1
    check_whole(world)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_clone_that_dies_leaves_nothing_half(
    world: SyncWorld, stopper: Stopper, tmp_path: Path, number: signal.Signals
) -> None:
    """No folder, or after kill -9 a half one under another name, which the next sync removes."""
    world.clone = tmp_path / "second" / "repo"
    stopper.hold_sending()
    held = stopper.start(str(world.remote))
    if number == signal.SIGKILL:
        stopper.kill_all(held)
    else:
        assert stopper.process is not None
        stopper.process.send_signal(number)
        assert stopper.process.wait(WAIT_S) == 130
        stopper.let_go()
        assert os.listdir(world.clone.parent) == [".repo.sync.lock"]
    assert not world.clone.exists()
    world.sync(world.remote)
    world.write("notes.txt", "the user's own")
    assert sorted(os.listdir(world.clone.parent)) == [".repo.sync.lock", "repo"]
    check_whole(world)


def test_a_fetch_that_dies_changes_nothing(world: SyncWorld, stopper: Stopper) -> None:
    """kill -9 in the middle of the network's part: the old commit, whole; the next sync arrives."""
    before = world.head(), world.files()
    stopper.hold_sending()
    stopper.kill_all(stopper.start())
    assert (world.head(), world.files()) == before
    assert world.sync().commits == 1
    check_whole(world)
