"""Rollbacks that somebody else is quicker than, and rollbacks that die on the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import git, read_index
from support.builds.rollback_world import LATER, check_put_back, hold_of, is_held, make_history
from support.models.fake_encoder import FakeEncoder

from hub_index.errors import ConfigError, PublishRace
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.publish.local_branch import LocalBranch
from hub_index.index.publish.publish import MAX_TRIES
from hub_index.index.publish.work_tree import CheckedOutBranch


def test_who_publishes_meanwhile_does_not_change_what_is_put_back(tmp_path: Path) -> None:
    """The index before was chosen once; the bad one's successor is not it, and nobody's commit is lost."""
    world, (_, before, _) = make_history(tmp_path)
    raced: list[str] = []

    def race_once(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and not raced:
            raced.append(name)
            world.push_skill("late-3", "Came in between.")
            world.publish()
        return work()

    done = world.roll_back(run_step=race_once, now=lambda: LATER)
    assert done.tries == 2
    check_put_back(read_index(world.remote, "main"), before)
    assert git(world.remote, "cat-file", "-t", "main:skills/late-3/SKILL.md") == "blob"
    assert git(world.remote, "rev-list", "--merges", "main") == ""


def test_a_publisher_that_loses_against_a_rollback_finds_the_hold(tmp_path: Path) -> None:
    """It built before the hold and would push after it: it starts again and leaves the held index alone."""
    world, _ = make_history(tmp_path)
    world.push_skill("late-3", "One more.")
    raced: list[str] = []

    def hold_first(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and not raced:
            raced.append(name)
            world.roll_back()
        return work()

    done = world.publish(run_step=hold_first)
    assert (done.commit, done.tries, done.report.held) == (None, 2, hold_of(world))


def test_a_branch_that_never_rests_ends_a_rollback_after_three_tries(tmp_path: Path) -> None:
    """The same rule as for a build, and nothing is held."""
    world, _ = make_history(tmp_path)
    pushed: list[int] = []

    def race_always(name: str, work: Callable[[], Any]) -> Any:
        if name == "push":
            pushed.append(len(pushed))
            world.push_skill(f"racer-{len(pushed)}", "Always first.")
        return work()

    with pytest.raises(PublishRace, match=f"each of {MAX_TRIES} tries"):
        world.roll_back(run_step=race_always)
    assert not is_held(world)


@pytest.mark.parametrize("killed_at", ["commit", "push"])
@pytest.mark.parametrize("push", [True, False])
def test_a_rollback_that_dies_on_the_way_can_be_run_again(tmp_path: Path, killed_at: str, push: bool) -> None:
    """Until the branch has moved nothing is held; the same command then does it."""
    world, (_, before, _) = make_history(tmp_path)
    world.maintainer.git("pull", "-q")
    world.job = world.maintainer.root

    def die(name: str, work: Callable[[], Any]) -> Any:
        if name == killed_at:
            raise KeyboardInterrupt
        return work()

    with pytest.raises(KeyboardInterrupt):
        world.roll_back(run_step=die, push=push)
    assert world.maintainer.git("status", "--porcelain") == ""
    world.roll_back(push=push, now=lambda: LATER)
    check_put_back(read_index(world.remote if push else world.job, "main"), before)


def test_after_a_lost_answer_the_second_run_says_that_it_is_held(tmp_path: Path) -> None:
    """A run that died right after its push must not be followed by a step further back."""
    world, (_, before, _) = make_history(tmp_path)

    def die_after_push(name: str, work: Callable[[], Any]) -> Any:
        done = work()
        if name == "push":
            raise KeyboardInterrupt
        return done

    with pytest.raises(KeyboardInterrupt):
        world.roll_back(run_step=die_after_push, now=lambda: LATER)
    with pytest.raises(ConfigError, match="is held since"):
        world.roll_back()
    check_put_back(read_index(world.remote, "main"), before)


def test_a_rollback_killed_before_the_branch_moved_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folder and git's index have it, the branch has not: a build leaves it, and the same command commits it."""
    world, (_, before, _) = make_history(tmp_path)
    world.maintainer.git("pull", "-q")
    world.job = world.maintainer.root
    head = world.maintainer.git("rev-parse", "HEAD")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(LocalBranch, "_update_ref", die)
        dying.setattr(CheckedOutBranch, "_put_back", lambda *_: None)  # a process that is killed puts nothing back
        with pytest.raises(KeyboardInterrupt):
            world.roll_back(push=False)
    assert world.maintainer.git("rev-parse", "HEAD") == head
    tools = BuildTools(encoder_for=lambda _: FakeEncoder())
    assert build_index(world.job, BuildOptions(), tools).report.held is not None
    world.roll_back(push=False, now=lambda: LATER)
    check_put_back(read_index(world.job, "HEAD"), before)
    assert world.maintainer.git("status", "--porcelain") == ""
