"""F87: a hub that came as an archive, with a .git/config that names programs; none of them runs, whatever is done."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.builds.publish_world import git
from support.builds.publish_world import make_world as make_publish_world
from support.hubs.hostile_git import Trap
from support.hubs.sync_world import make_world as make_sync_world
from support.processes.cli_runner import hub_index

from hub_index.errors import ConfigError, PublishError, SourceError
from hub_index.hub.git.own_settings import replace_programs


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """The program that must not run."""
    return Trap(tmp_path / "trap")


def _listing(*settings: tuple[str, str, str]) -> str:
    return "".join(f"{scope}\0{key}\n{value}\0" for scope, key, value in settings)


def test_f87_the_trap_works(tmp_path: Path, trap: Trap) -> None:
    """Plain git runs the program at once: the tests below would see it."""
    world = make_sync_world(tmp_path)
    trap.arm(world.clone)
    (world.clone / "skills/one/SKILL.md").touch()
    subprocess.run(["git", "-C", str(world.clone), "status"], capture_output=True, check=False)
    assert trap.sprung()


def test_f87_no_verb_runs_a_program_of_the_hub(tmp_path: Path, trap: Trap) -> None:
    """Every verb that reads a hub, and the two that commit to it, do their work and leave the trap alone."""
    world = make_publish_world(tmp_path, skills=2)
    hub = str(world.job)
    trap.arm(world.job)
    for path in world.job.rglob("SKILL.md"):
        path.touch()  # git would look at their contents again, through a filter
    for arguments in (
        ("plan", hub),
        ("lint", hub),
        ("build", hub),
        ("verify", f"{hub}/search", "--hub", hub),
        ("search", "thing", "--hub", hub),
        ("show", "skill-00", "--hub", hub),
        ("related", "skill-00", "--hub", hub),
        ("doctor",),
        ("build", hub, "--commit"),
    ):
        outcome = hub_index(*arguments, cwd=world.job)
        assert outcome.code in (0, 6 if arguments[0] == "doctor" else 0), outcome.err
        assert not trap.sprung(), arguments
    assert git(world.remote, "rev-parse", "main") != (world.job / ".git/refs/heads/main").read_text().strip()


@pytest.mark.parametrize("transport", ["{}", "file://{}"])
def test_f87_publishing_runs_none(tmp_path: Path, trap: Trap, transport: str) -> None:
    """Fetch and push reach the remote by git's own programs, and an edit of somebody else's in between too."""
    world = make_publish_world(tmp_path)
    git(world.job, "remote", "set-url", "origin", transport.format(world.remote))
    trap.arm(world.job)
    assert world.publish().commit == world.head()
    world.push_skill("new", "Brand new.")
    assert world.publish().commit == world.head()
    assert not trap.sprung()


def test_f87_syncing_runs_none(tmp_path: Path, trap: Trap) -> None:
    """A clone that was unpacked is moved forward with its files whole, and a stopped move undone; no filter runs."""
    world = make_sync_world(tmp_path)
    world.author.skill("four", "A fourth.")
    world.push()
    trap.arm(world.clone)
    for path in world.clone.rglob("SKILL.md"):
        path.touch()
    assert world.sync().commits == 1
    old, new = world.author.git("rev-parse", "HEAD~1"), world.author.git("rev-parse", "HEAD")
    (world.clone / ".git/refs/heads/main").write_text(f"{old}\n")
    (world.clone / ".git/hub-index-sync").write_text(f"{old} {new}\n")
    outcome = world.sync()
    assert (outcome.commits, outcome.revision) == (1, new)
    assert any("undone" in notice for notice in outcome.notices)
    assert (world.clone / "skills/four/SKILL.md").read_bytes() == (
        world.author.root / "skills/four/SKILL.md"
    ).read_bytes()
    assert not trap.sprung()


def test_f87_a_hub_that_is_cloned_from_runs_none(tmp_path: Path, trap: Trap) -> None:
    """`sync path/to/hub` starts a git in that hub, too."""
    world = make_sync_world(tmp_path, synced=False)
    trap.arm(world.author.root)
    outcome = hub_index("sync", str(world.author.root), AXON_HOME=str(tmp_path / "axon"))
    assert outcome.code == 0, outcome.err
    assert not trap.sprung()


def _as_address(world_git: Path, url: str) -> None:
    git(world_git, "remote", "set-url", "origin", url)


def _by_rewriting(world_git: Path, url: str) -> None:
    git(world_git, "config", f"url.{url}.insteadOf", git(world_git, "config", "remote.origin.url"))


def _for_pushes(world_git: Path, url: str) -> None:
    git(world_git, "config", "remote.origin.pushurl", url)


def _by_helper(world_git: Path, url: str) -> None:
    git(world_git, "config", "remote.origin.vcs", "ext")
    _as_address(world_git, url.removeprefix("ext::"))


@pytest.mark.parametrize("how", [_as_address, _by_rewriting, _for_pushes, _by_helper])
def test_f87_no_remote_is_a_program(tmp_path: Path, trap: Trap, how: object) -> None:
    """`ext::` stays out of publish and sync, though the hub's settings allow it; nothing is embedded either."""
    assert callable(how)
    world = make_publish_world(tmp_path)
    git(world.job, "config", "protocol.ext.allow", "always")
    how(world.job, f"ext::{trap.program} x")
    with pytest.raises((ConfigError, PublishError)):
        world.publish()
    assert not world.encoder.texts
    if how is not _for_pushes:
        (tmp_path / "axon").mkdir()
        shutil.copytree(world.job, tmp_path / "axon/repo")
        assert hub_index("sync", AXON_HOME=str(tmp_path / "axon")).code == 3
    assert not trap.sprung()


@pytest.mark.parametrize("url", [".", "./evil.git", "../evil.git", "{job}/evil.git", "file://{job}/evil.git"])
def test_f87_a_push_never_ends_in_a_repository_that_came_with_the_hub(tmp_path: Path, trap: Trap, url: str) -> None:
    """Its own pre-receive hook would run on this machine."""
    world = make_publish_world(tmp_path)
    for evil in (world.job / "evil.git", tmp_path / "evil.git"):
        git(tmp_path, "clone", "-q", "--bare", str(world.remote), str(evil))
        (evil / "hooks").mkdir(exist_ok=True)
        (evil / "hooks" / "pre-receive").symlink_to(trap.program)
    (world.job / ".git/hooks").mkdir(exist_ok=True)
    (world.job / ".git/hooks/pre-receive").symlink_to(trap.program)
    git(world.job, "config", "receive.denyCurrentBranch", "ignore")
    _as_address(world.job, url.format(job=world.job))
    with pytest.raises(ConfigError, match="the remote origin is a path in the hub, or relative to it"):
        world.publish()
    assert not trap.sprung()
    assert not world.encoder.texts


def test_f87_the_user_s_own_programs_do_run(tmp_path: Path, trap: Trap) -> None:
    """A hook in the folder that the global settings name checks a push, also where the hub names another folder."""
    world = make_publish_world(tmp_path)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").symlink_to(trap.program)
    git(world.job, "config", "--global", "core.hooksPath", str(hooks))
    try:
        git(world.job, "config", "core.hooksPath", "nowhere")
        with pytest.raises(PublishError):
            world.publish()
    finally:
        git(world.job, "config", "--global", "--unset", "core.hooksPath")
    assert "pre-push" in trap.sprung()


def test_f87_a_program_that_was_put_aside_is_named_where_a_server_is_not_reached(tmp_path: Path, trap: Trap) -> None:
    """A clone with its own core.sshCommand cannot log in any more: the message says why, and where it belongs."""
    world = make_publish_world(tmp_path)
    git(world.job, "config", "core.sshCommand", str(trap.program))
    _as_address(world.job, "ssh://git@127.0.0.1:9/hub.git")
    with pytest.raises(PublishError, match=r"not run: core\.sshcommand; `git config --global`"):
        world.publish()
    assert not trap.sprung()


def test_f87_what_the_user_says_takes_the_place_of_what_the_hub_says() -> None:
    """Last of the user's values, every credential helper in its order, and other settings of the hub as they are."""
    own = replace_programs(
        _listing(
            ("system", "credential.helper", "store"),
            ("global", "filter.lfs.clean", "git-lfs clean -- %f"),
            ("global", "credential.https://a.example.helper", "cache"),
            ("global", "core.hookspath", "relative"),
            ("local", "filter.lfs.clean", "evil"),
            ("local", "filter.Two Words.process", "evil"),
            ("local", "core.sshcommand", "evil"),
            ("local", "credential.https://a.example.helper", "evil"),
            ("local", "http.https://github.com/.extraheader", "AUTHORIZATION: basic eA=="),
            ("worktree", "http.https://x/.savecookies", "true"),
            ("command", "core.pager", "cat"),
        )
    )
    assert own.instead == (
        "filter.lfs.clean=git-lfs clean -- %f",
        "filter.Two Words.process=",
        "core.sshcommand=ssh",
        "http.https://x/.savecookies=false",
        "credential.helper=",
        "credential.helper=store",
        "credential.https://a.example.helper=cache",
    )
    assert own.hooks == "/dev/null"
    assert not replace_programs(_listing(("global", "core.sshcommand", "mine"))).instead


@pytest.mark.parametrize("key", ["filter.a=b.process", "gc.recentobjectshook"])
def test_f87_what_cannot_be_put_aside_is_refused(key: str) -> None:
    """A name that -c would cut short, and a list that git runs to its end."""
    with pytest.raises(SourceError, match="remove it there"):
        replace_programs(_listing(("local", key, "evil")))


def test_f87_a_filter_with_an_awkward_name_is_refused_by_sync(tmp_path: Path, trap: Trap) -> None:
    """From real settings: the name that cannot be said again stops the sync before a file is touched."""
    world = make_sync_world(tmp_path)
    world.author.skill("four", "A fourth.")
    world.push()
    world.git("config", "filter.a=b.smudge", str(trap.program))
    (world.clone / ".git/info").mkdir(exist_ok=True)
    (world.clone / ".git/info/attributes").write_text("* filter=a=b\n")
    with pytest.raises(SourceError, match="remove it there"):
        world.sync()
    assert not trap.sprung()
