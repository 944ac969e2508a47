"""F93: two commands that change what is installed at once do it one after the other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.installs.install_world import (
    NEW_FILES,
    OLD_FILES,
    InstallWorld,
    as_read,
    left_behind,
    make_install_world,
    make_project,
    put_new,
    read_folder,
)

from hub_index.base.locks import Lock
from hub_index.errors import IndexBusy
from hub_index.installs.agent_folders import project_root


@pytest.fixture
def world(tmp_path: Path) -> InstallWorld:
    """A hub, a home and a project."""
    return make_install_world(tmp_path)


def _start(world: InstallWorld, *arguments: str) -> "subprocess.Popen[bytes]":
    own = {"HOME": str(world.home), "HUB_INDEX_CACHE": str(world.root / "cache")}
    return subprocess.Popen(
        [sys.executable, "-m", "hub_index", *arguments],
        cwd=world.project,
        env=os.environ | own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_f93_many_skills_at_once(world: InstallWorld) -> None:
    """Eight processes, of which four install the same skill: every skill is there, and each stands in the lock."""
    for n in range(4):
        world.hub.skill(f"skill-{n}", f"Does thing {n}.")
    world.hub.commit("more")
    hub = ("--hub", str(world.hub.root), "--yes")
    names = [*[f"skill-{n}" for n in range(4)], *["db-advisor"] * 4]
    running = [_start(world, "add", name, *hub) for name in names]
    errors = [process.communicate()[1].decode() for process in running]
    assert errors == [""] * len(running)
    lock = json.loads(world.lock.read_text())
    assert [skill["folder"].rpartition("/")[2] for skill in lock["skills"]] == sorted(set(names))
    assert read_folder(world.skill) == as_read(OLD_FILES)
    assert left_behind(project_root(str(world.project))) == []


def test_f93_update_and_remove_at_once(world: InstallWorld) -> None:
    """Whoever is first: folder and lock agree in the end, and what comes second says what it found."""
    world.add()
    world.change_hub()
    running = [_start(world, "update", "--yes", "--hub", str(world.hub.root)), _start(world, "remove", "db-advisor")]
    for process in running:
        process.communicate()
    assert {process.returncode for process in running} <= {0, 2, 4}
    is_locked = bool(json.loads(world.lock.read_text())["skills"])
    assert read_folder(world.skill) in ((as_read(NEW_FILES), as_read(OLD_FILES)) if is_locked else ({},))
    assert left_behind(project_root(str(world.project))) == []


def test_f93_who_waits_too_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder that does not end: exit 7 after the wait, and nothing is changed."""
    root = make_project(tmp_path / "project", installed=True)
    monkeypatch.setattr("hub_index.installs.install_transaction._WAIT_S", 0.1)
    with Lock(root.path, on_folder=True) as other:
        assert other.take()
        with pytest.raises(IndexBusy, match="another hub-index is at work there"):
            put_new(root)
    assert read_folder(Path(root.path, ".claude/skills/db-advisor")) == as_read(OLD_FILES)
