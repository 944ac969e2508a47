"""Three publishers and a committer on one branch: nothing of anybody is lost, and nothing stays stuck."""

import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from support.builds.publish_world import PublishWorld, git, make_world
from support.processes.cli_runner import hub_index

_PUBLISHERS = 3
_SKILLS = 20
_FINE = (0, 7)  # published or nothing to do; or given up after three lost races, to be tried again


@pytest.mark.soak
def test_three_publishers_and_a_committer_lose_nothing(tmp_path: Path) -> None:
    """Every skill that was pushed is in the last index, every exit is a documented one, git's objects are whole."""
    world = make_world(tmp_path, skills=5)
    clones = [tmp_path / f"publisher-{number}" for number in range(_PUBLISHERS)]
    for clone in clones:
        git(tmp_path, "clone", "-q", str(world.remote), str(clone))
    codes: Counter[int] = Counter()
    is_over = threading.Event()

    def publish_on(clone: Path) -> None:
        while not is_over.is_set():
            codes[hub_index("publish", clone, "--push", timeout_s=300).code] += 1

    threads = [threading.Thread(target=publish_on, args=(clone,)) for clone in clones]
    for thread in threads:
        thread.start()
    try:
        for number in range(_SKILLS):
            done = codes.total()
            _push_until_it_goes(world, f"late-{number}")
            while codes.total() == done and any(thread.is_alive() for thread in threads):
                time.sleep(0.1)  # the next push comes while the others are at work again
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    last = hub_index("publish", clones[0], "--push", timeout_s=300)
    print(f"exit codes {dict(codes)}, {world.commits()} commits")  # noqa: T201
    assert last.code == 0, last.err
    assert set(codes) <= set(_FINE), codes
    assert codes[0] >= _PUBLISHERS
    assert {f"late-{number}" for number in range(_SKILLS)} < set(world.ids())
    assert git(world.remote, "fsck", "--strict", "--no-dangling") == ""


def _push_until_it_goes(world: PublishWorld, skill_id: str) -> None:
    """As a person would: pull and push again where a publisher was quicker."""
    world.commit_skill(skill_id, f"Does what {skill_id} says, and nothing else.")
    for _ in range(50):
        try:
            world.maintainer.git("pull", "-q", "--rebase")
            world.maintainer.git("push", "-q")
        except subprocess.CalledProcessError:
            continue
        return
    pytest.fail("the committer never got through")
