"""Publishers that race, die or trigger themselves: git refuses the later push, the source digest shows what is done."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_child import run_publisher
from support.builds.publish_world import PublishWorld, git, make_world
from support.models.fake_encoder import FakeEncoder

from hub_index.errors import PublishRace


def test_f48_two_publishers_of_one_branch_both_end_well_and_commit_once(tmp_path: Path) -> None:
    """The second finds that the first has pushed an index, builds on it, and has nothing left to commit."""
    world = make_world(tmp_path)
    other = PublishWorld(world.remote, tmp_path / "other", world.maintainer)
    git(tmp_path, "clone", "-q", str(world.remote), str(other.job))
    outcomes: list[str | None] = []

    def let_the_other_win(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and not outcomes:
            outcomes.append(other.publish(author="Other Job <job@example.invalid>").commit)
        return work()

    done = world.publish(run_step=let_the_other_win)
    assert outcomes == [world.head()]
    assert (done.commit, done.tries, world.commits()) == (None, 2, 2)


def test_f49_a_push_race_is_rebuilt_at_most_three_times_and_then_given_up(tmp_path: Path) -> None:
    """A branch that moves during every build is given up, without force and without a merge."""
    world = make_world(tmp_path)
    pushes: list[str] = []

    def always_race(name: str, work: Callable[[], Any]) -> Any:
        if name == "push":
            pushes.append(name)
            world.push_skill(f"late-{len(pushes)}", "Came in between.")
        return work()

    with pytest.raises(PublishRace, match="each of 3 tries") as caught:
        world.publish(run_step=always_race)
    assert caught.value.exit_code == 7
    assert len(pushes) == 3
    assert world.commits() == 1 + 3  # the maintainer's, and none of ours
    assert "search" not in git(world.remote, "ls-tree", "--name-only", "main").split()
    assert world.publish().tries == 1
    assert len(world.ids()) == 7


@pytest.mark.parametrize(
    ("when", "step"),
    [
        ("call", "2"),
        ("before", "push"),
        pytest.param("before", "embed", marks=pytest.mark.soak),
        pytest.param("after", "assemble", marks=pytest.mark.soak),
        pytest.param("after", "commit", marks=pytest.mark.soak),
    ],
)
def test_f50_a_publisher_killed_before_the_push_left_nothing_but_the_cache(
    tmp_path: Path, when: str, step: str
) -> None:
    """The next run finishes and asks again for at most the batch in flight; the remote was never half-way."""
    world = make_world(tmp_path, skills=10)
    record, before = tmp_path / "texts", world.head()
    assert run_publisher(world.job, tmp_path / "cache", record, when, step) == -signal.SIGKILL
    assert world.head() == before
    assert git(world.job, "status", "--porcelain") == ""
    assert run_publisher(world.job, tmp_path / "cache", record) == 0
    assert len(world.ids()) == 10
    asked = record.read_text().splitlines()
    assert len(set(asked)) == 10
    assert len(asked) <= 10 + (FakeEncoder().batch_size if when == "call" else 0)


def test_f50_a_publisher_killed_between_push_and_report_has_nothing_left_to_do(tmp_path: Path) -> None:
    """The push counts, not the report: the next run embeds nothing and commits nothing."""
    world = make_world(tmp_path)
    record = tmp_path / "texts"
    assert run_publisher(world.job, tmp_path / "cache", record, "after", "push") == -signal.SIGKILL
    published = world.head()
    assert len(world.ids()) == 4
    assert run_publisher(world.job, tmp_path / "cache", record) == 0
    assert world.head() == published
    assert len(record.read_text().splitlines()) == 4


def test_f51_our_own_commit_triggers_a_run_that_does_nothing(tmp_path: Path) -> None:
    """An index commit does not change the source digest: no call, no commit, the same head."""
    world = make_world(tmp_path)
    first = world.publish()
    for _ in range(2):
        again = world.publish()
        assert (again.commit, again.report.embedded, world.encoder.texts) == (None, 0, [])
    assert world.head() == first.commit


def test_f56_a_publisher_killed_twice_still_ends_well(tmp_path: Path) -> None:
    """Killed again while recovering: nothing is asked for twice, and the third run publishes."""
    world = make_world(tmp_path, skills=10)
    record = tmp_path / "texts"
    for when, step in (("call", "2"), ("before", "push")):
        assert run_publisher(world.job, tmp_path / "cache", record, when, step) == -signal.SIGKILL
        assert world.commits() == 1
    assert run_publisher(world.job, tmp_path / "cache", record) == 0
    assert len(world.ids()) == 10
    asked = record.read_text().splitlines()
    assert (len(set(asked)), len(asked) <= 10 + FakeEncoder().batch_size) == (10, True)
