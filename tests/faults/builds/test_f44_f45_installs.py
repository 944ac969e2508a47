"""F44 and F45 of installs: killed or failing at any step, the old skill or the new one is there, and its lock."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from support.builds.broken_disk import EIO, ENOSPC, CountingDisk, die_at, fail_at, run_in_child
from support.installs.install_world import (
    NEW,
    NEW_FILES,
    OLD,
    OLD_FILES,
    InstallWorld,
    as_read,
    drop,
    left_behind,
    make_install_world,
    make_project,
    put_new,
    read_folder,
)

from hub_index.errors import PublishError
from hub_index.installs.agent_folders import InstallRoot, project_root
from hub_index.installs.install_transaction import change_installs
from hub_index.installs.installation import inspect, update
from hub_index.installs.lock_file import read_lock
from hub_index.installs.source_hubs import SourceHubs
from hub_index.service.hubs.open_hubs import HubPlace

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

_OLD, _NEW, _NONE = as_read(OLD_FILES), as_read(NEW_FILES), dict[str, tuple[bool, bytes]]()
_SKILL = ".claude/skills/db-advisor"

Work = Callable[[InstallRoot, CountingDisk | None], None]
_WORKS: dict[str, tuple[Work, bool, dict[str, tuple[bool, bytes]], dict[str, tuple[bool, bytes]]]] = {
    "add": (put_new, False, _NONE, _NEW),
    "update": (put_new, True, _OLD, _NEW),
    "remove": (drop, True, _OLD, _NONE),
}


def _check_settled(
    root: InstallRoot, before: dict[str, tuple[bool, bytes]], after: dict[str, tuple[bool, bytes]]
) -> None:
    """After the next change has put things in order, folder and lock say the same, and nothing is left over."""
    with change_installs(root, CountingDisk(lambda _: None)):
        pass
    present = read_folder(Path(root.path, _SKILL))
    assert present in (before, after)
    entry = read_lock(root).find(_SKILL)
    assert entry == (NEW if present == _NEW else OLD if present == _OLD else None)
    assert left_behind(root) == []


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("work", list(_WORKS))
def test_f44_an_install_killed_at_every_step(tmp_path: Path, work: str, can_exchange: bool) -> None:
    """The folder is whole at every moment: the old state, the new one, or none where there was or will be none."""
    run, is_installed, before, after = _WORKS[work]
    kills = 0
    for n in range(1, 100):
        root = make_project(tmp_path / str(n), installed=is_installed)
        is_done = run_in_child(partial(run, root, CountingDisk(die_at(n), can_exchange=can_exchange)))
        present = read_folder(Path(root.path, _SKILL))
        assert present in (before, after) or (not can_exchange and present == _NONE)
        _check_settled(root, before, after)
        if is_done:
            break
        kills += 1
    assert read_folder(Path(root.path, _SKILL)) == after
    assert kills >= {"add": 15, "update": 25, "remove": 12}[work]


@pytest.mark.parametrize("can_exchange", [True, False])
def test_f56_who_puts_an_install_in_order_is_killed_too(tmp_path: Path, can_exchange: bool) -> None:
    """A second change, killed at every step of healing what the first left, makes nothing worse."""
    seen = 0
    for n in range(1, 100, 3):
        for m in range(1, 20):
            root = make_project(tmp_path / f"{n}-{m}", installed=True)
            is_done = run_in_child(partial(put_new, root, CountingDisk(die_at(n), can_exchange=can_exchange)))
            is_healed = run_in_child(partial(_heal, root, CountingDisk(die_at(m), can_exchange=can_exchange)))
            _check_settled(root, _OLD, _NEW)
            seen += not is_healed
            if is_healed:
                break
        if is_done:
            break
    assert seen > 10


def _heal(root: InstallRoot, disk: CountingDisk) -> None:
    with change_installs(root, disk):
        pass


@pytest.mark.parametrize("number", [ENOSPC, EIO])
@pytest.mark.parametrize("for_ever", [True, False])
@pytest.mark.parametrize("work", list(_WORKS))
def test_f45_the_nth_operation_of_an_install_fails(tmp_path: Path, work: str, for_ever: bool, number: int) -> None:
    """The error is ours and says where; the old skill stays or the new one is whole, and the next change tidies up."""
    run, is_installed, before, after = _WORKS[work]
    for n in range(1, 100):
        root = make_project(tmp_path / str(n), installed=is_installed)
        disk = CountingDisk(fail_at(n, number, for_ever=for_ever, removing_too=number == EIO))
        with suppress(PublishError):
            run(root, disk)
        assert read_folder(Path(root.path, _SKILL)) in (before, after)
        _check_settled(root, before, after)
        if n > disk.count:
            break
    assert n > 10


def test_f44_the_next_command_sees_no_trace_of_a_kill(tmp_path: Path) -> None:
    """Whatever step an update died at: `installed` calls nothing edited, nothing is left over, and `update` goes on."""
    seen: set[str] = set()
    world = make_install_world(tmp_path)
    world.add()
    for n in range(1, 100):
        world.change_hub(n)
        before = read_folder(world.skill)
        is_done = run_in_child(partial(_update, world, CountingDisk(die_at(n))))
        states = json.loads(world.run("installed", "--json").out)["skills"][0]["states"]
        seen.update(states)
        assert (read_folder(world.skill) == before) == (states == ["outdated"])
        assert left_behind(project_root(str(world.project))) == []
        assert world.run("update", "--yes").code == 0
        if is_done:
            break
    assert seen == {"outdated", "current"}
    assert n > 20


def _update(world: InstallWorld, disk: CountingDisk) -> None:
    root = project_root(str(world.project))
    hubs = SourceHubs([HubPlace("hub", str(world.hub.root))], str(world.home), str(world.root / "cache"))
    (skill,) = read_lock(root).skills
    update(inspect(root, skill, hubs, fetches=False), disk)


def test_f44_what_the_user_wrote_after_a_kill_stays(tmp_path: Path) -> None:
    """An edit between the kill and the next change is in the folder still, whatever the kill left beside it."""
    for n in range(1, 100):
        root = make_project(tmp_path / str(n), installed=True)
        is_done = run_in_child(partial(put_new, root, CountingDisk(die_at(n))))
        note = Path(root.path, _SKILL, "mine.md")
        note.write_text("my own words")
        with change_installs(root, CountingDisk(lambda _: None)):
            pass
        assert note.read_text() == "my own words"
        assert left_behind(root) == []
        if is_done:
            break
    assert n > 20


def test_f45_an_edit_at_the_last_moment_is_not_lost(tmp_path: Path) -> None:
    """Somebody writes into the folder between the check and the exchange: the old folder goes back with the edit."""
    root = make_project(tmp_path / "project", installed=True)
    note = Path(root.path, _SKILL, "mine.md")

    def write_late(disk: CountingDisk) -> None:
        if disk.operation == "exchange" and disk.exchanges == 0:  # type: ignore[attr-defined]
            disk.exchanges = 1  # type: ignore[attr-defined]
            note.write_text("my own words")

    disk = CountingDisk(write_late)
    disk.exchanges = 0  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="was edited since it was installed"):
        put_new(root, disk)
    assert note.read_text() == "my own words"
    assert read_lock(root).find(_SKILL) == OLD
    assert left_behind(root) == []


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
