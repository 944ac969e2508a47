"""`hub-index sync`: clone, fast-forward, and what it says; real git, remotes on disk."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.hubs.sync_world import SyncWorld, make_world
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError, PublishError, SourceError
from hub_index.hub.sync.sync import SyncOptions, lock_checkout, sync_hub


@pytest.fixture
def world(tmp_path: Path) -> SyncWorld:
    """A hub that the user has synced once."""
    return make_world(tmp_path)


def test_the_first_sync_clones_and_remembers_where_from(tmp_path: Path) -> None:
    """The clone is whole, clean, on the remote's branch, and the next sync needs no address."""
    world = make_world(tmp_path, synced=False)
    synced = world.sync(world.remote)
    assert (synced.previous, synced.branch, synced.revision) == (None, "main", world.head())
    assert (world.clone / "skills" / "one" / "SKILL.md").is_file()
    assert world.git("status", "--porcelain") == ""
    assert world.sync().commits == 0
    assert sorted(os.listdir(world.clone.parent)) == [".repo.sync.lock", "repo"]


def test_later_syncs_move_forward(world: SyncWorld) -> None:
    """New, changed and deleted files arrive; the tracking branch agrees; untracked files of the user's stay."""
    old = world.head()
    world.write("notes.txt", "mine")
    world.author.skill("four")
    world.author.skill("one", "Does something else.")
    world.author.git("rm", "-q", "-r", "skills/two")
    world.push()
    new = world.push("and again")
    synced = world.sync()
    assert (synced.previous, synced.revision, synced.commits) == (old, new, 2)
    assert world.head() == new == world.git("rev-parse", "origin/main")
    assert sorted(os.listdir(world.clone / "skills")) == ["four", "one", "three"]
    assert world.git("status", "--porcelain") == "?? notes.txt"
    assert world.git("for-each-ref", "refs/hub-index") == ""


def test_the_clone_that_another_program_made_is_taken_over(tmp_path: Path) -> None:
    """A plain `git clone`, as the Axon client makes it, is updated like our own."""
    world = make_world(tmp_path, synced=False)
    subprocess.run(["git", "clone", "-q", str(world.remote), str(world.clone)], check=True)
    world.author.skill("four")
    new = world.push()
    assert world.sync(world.remote).revision == new


def test_a_branch_that_follows_another_name_is_followed(world: SyncWorld) -> None:
    """The upstream that git knows decides, not the branch's own name."""
    world.git("branch", "-q", "-m", "mine")
    world.author.skill("four")
    new = world.push()
    synced = world.sync()
    assert (synced.branch, synced.revision, world.head()) == ("mine", new, new)


def test_without_an_address_the_first_sync_says_what_is_missing(tmp_path: Path) -> None:
    """Exit 2, and nothing is made."""
    with pytest.raises(ConfigError, match="sync URL"):
        sync_hub(tmp_path / "axon" / "repo", None, SyncOptions())
    assert not (tmp_path / "axon" / "repo").exists()


def test_an_empty_folder_is_filled_and_any_other_refused(tmp_path: Path) -> None:
    """Somebody's files are never mixed with a hub."""
    world = make_world(tmp_path, synced=False)
    world.clone.mkdir(parents=True)
    (world.clone / "precious").write_text("x")
    with pytest.raises(SourceError, match="not a clone"):
        world.sync(world.remote)
    (world.clone / "precious").unlink()
    assert world.sync(world.remote).previous is None


def test_a_repository_around_the_folder_is_never_touched(tmp_path: Path) -> None:
    """A home that is itself kept in git is not taken for the hub."""
    world = make_world(tmp_path, synced=False)
    around = world.clone.parent
    around.mkdir(parents=True)
    subprocess.run(["git", "clone", "-q", str(world.remote), str(around / "home")], check=True)
    folder = around / "home" / "repo"
    (folder / ".git").mkdir(parents=True)  # broken: git looks further up
    (folder / "x").write_text("x")
    with pytest.raises(SourceError, match="larger repository"):
        sync_hub(folder, None, SyncOptions())


@pytest.mark.parametrize("kind", ["nothing", "empty", "file"])
def test_an_address_without_a_hub_leaves_nothing_behind(tmp_path: Path, kind: str) -> None:
    """A wrong path, a remote without commits, a file: one line, and no half clone."""
    source = tmp_path / "source"
    if kind == "empty":
        subprocess.run(["git", "init", "-q", "--bare", str(source)], check=True)
    elif kind == "file":
        source.write_text("no repository")
    with pytest.raises((SourceError, ConfigError)) as refused:
        sync_hub(tmp_path / "axon" / "repo", str(source), SyncOptions())
    assert str(source) in str(refused.value)
    if kind != "nothing":
        assert os.listdir(tmp_path / "axon") == [".repo.sync.lock"]


def test_what_a_killed_clone_left_is_removed(tmp_path: Path) -> None:
    """Half clones beside the folder go with the next sync; other folders of alike names stay."""
    world = make_world(tmp_path, synced=False)
    left = world.clone.parent / ".repo.hub-index-clone-0123456789ab"
    other = world.clone.parent / ".repo.hub-index-clone-mine"
    for folder in (left, other):
        (folder / ".git").mkdir(parents=True)
    world.sync(world.remote)
    assert not left.exists()
    assert other.exists()


def test_two_syncs_at_once_are_refused(world: SyncWorld) -> None:
    """The second says so and changes nothing; afterwards it works."""
    with lock_checkout(world.clone), pytest.raises(PublishError, match="another sync"):
        world.sync()
    world.sync()


def test_no_hook_runs_and_no_submodule_is_fetched(world: SyncWorld, tmp_path: Path) -> None:
    """Hooks in the clone, in the user's settings, and submodules: none of it is touched."""
    canary = tmp_path / "canary"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for folder in (hooks, world.clone / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-checkout", "post-merge", "reference-transaction", "pre-auto-gc", "post-index-change"):
            (folder / name).write_text(f"#!/bin/sh\necho ran >> {canary}\n")
            (folder / name).chmod(0o755)
    world.git("config", "--global", "core.hooksPath", str(hooks))
    world.git("config", "--global", "submodule.recurse", "true")
    world.git("config", "--global", "core.fsmonitor", str(hooks / "post-merge"))
    world.author.git("-c", "core.hooksPath=/dev/null", "config", "core.hooksPath", "/dev/null")
    world.author.git("config", "core.fsmonitor", "false")
    world.author.write(".gitmodules", f'[submodule "sub"]\n\tpath = sub\n\turl = {world.remote}\n')
    world.author.git("add", ".gitmodules")
    world.author.git("update-index", "--add", "--cacheinfo", f"160000,{world.author.git('rev-parse', 'HEAD')},sub")
    world.author.git("commit", "-q", "-m", "a submodule")
    world.author.git("push", "-q", "origin", "HEAD:main")
    canary.unlink(missing_ok=True)
    assert world.sync().commits == 1
    fresh = sync_hub(tmp_path / "second" / "repo", str(world.remote), SyncOptions())
    assert fresh.revision == world.author.git("rev-parse", "HEAD")
    assert not canary.exists()
    assert os.listdir(fresh.folder / "sub") == []


def test_a_link_in_the_hub_arrives_as_a_link(world: SyncWorld, tmp_path: Path) -> None:
    """As git does it; whoever reads the hub does not follow it (F12)."""
    (tmp_path / "outside").write_text("secret")
    world.author.place(b"skills/evil/SKILL.md", str(tmp_path / "outside").encode(), "120000")
    world.author.commit_index("link")
    world.author.git("push", "-q", "origin", "HEAD:main")
    world.sync()
    assert (world.clone / "skills" / "evil" / "SKILL.md").is_symlink()


def test_a_user_without_a_name_can_sync(world: SyncWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fast-forward makes no commit, so that git needs to know no author."""
    world.author.skill("four")
    world.push()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    world.git("config", "user.useConfigOnly", "true")
    assert world.sync().commits == 1


def test_the_command_says_what_changed_and_which_index_is_there(tmp_path: Path) -> None:
    """Text for people, one object for programs; nothing but results on stdout."""
    world = make_world(tmp_path, synced=False)
    home = str(world.clone.parent)
    first = hub_index_here("sync", world.remote, AXON_HOME=home)
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith(f"cloned {world.remote} in {world.clone} (main at ")
    assert "search --index" in first.out

    world.build()
    world.push("index")
    told = json.loads(hub_index_here("sync", "--json", AXON_HOME=home).out)
    assert (told["result"], told["commits"], told["notices"]) == ("updated", 1, [])
    assert (told["index"]["count"], told["index"]["model_id"], told["index"]["fresh"]) == (3, "fake:one", True)

    world.author.skill("four")
    world.push()
    third = hub_index_here("sync", AXON_HOME=home)
    assert "by 1 commit (main" in third.out
    assert "index: 3 skills by fake:one, older than the hub's newest skills" in third.out
    assert hub_index_here("sync", AXON_HOME=home).out.startswith("up to date: ")


def test_a_broken_index_or_setting_does_not_spoil_the_sync(world: SyncWorld) -> None:
    """The hub is synced; the second line says why its index is not used."""
    world.author.write("hub-index.toml", "nonsense = ")
    world.push()
    outcome = hub_index_here("sync", AXON_HOME=str(world.clone.parent))
    assert outcome.code == 0
    assert "no index to use: hub-index.toml" in outcome.out
