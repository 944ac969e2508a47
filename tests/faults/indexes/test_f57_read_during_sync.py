"""Reading while git moves the checkout."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.search.checkout import still as at_rest
from hub_index.search.checkout.freshness import CheckoutFacts, read_facts
from hub_index.search.places import reader

pytestmark = pytest.mark.patient
_SWITCH = """
import itertools, os, subprocess, sys, time
hub, stop, *commits = sys.argv[1:]
for commit, pause_s in zip(itertools.cycle(commits), itertools.cycle((0, 0, 0, 0.05, 0, 0.2, 0.5))):
    if os.path.exists(stop):
        break
    subprocess.run(["git", "-C", hub, "checkout", "-q", "--detach", commit], check=True)
    time.sleep(pause_s)
"""
_SECONDS = 3.0
_PATIENCE_S = 60.0  # on a busy machine git and a search seldom have the processor in turn
_MOVING = "git is changing the checkout"


def two_commits(world: SearchWorld) -> list[str]:
    """Two published states of one hub; each skill's description tells which one it belongs to."""
    commits = []
    for number, word in enumerate(("crimson", "azure")):
        for skill in range(30):
            world.story.hub.skill(f"skill-{skill:02}", f"Paints things {word}, variant {skill}.")
        if number:
            world.story.hub.skill("extra", "Paints azure extras.")
        world.story.hub.commit(word)
        world.story.build()
        commits.append(world.story.hub.commit(f"{word} index"))
    return commits


@contextmanager
def switching(world: SearchWorld, commits: list[str], stop: Path) -> Iterator[None]:
    """git moves the checkout to and fro, now and then with a pause; in the end it has let go of its lock."""
    switcher = subprocess.Popen([sys.executable, "-c", _SWITCH, str(world.hub), str(stop), *commits])
    try:
        yield
    finally:
        stop.touch()
        assert switcher.wait() == 0


def test_f57_an_answer_never_mixes_two_commits(tmp_path: Path) -> None:
    """While the checkout moves, every answer is of one commit, or of the files alone, or says that git is at work."""
    world = make_world(tmp_path, {}, build=False)
    commits = two_commits(world)
    modes = ("hybrid", "keyword")
    quiet: set[str] = set()  # modes in which an answer was of one commit and nothing had to be said
    with switching(world, commits, tmp_path / "stop"):
        started_s = time.monotonic()
        while (passed_s := time.monotonic() - started_s) < _SECONDS or (quiet < set(modes) and passed_s < _PATIENCE_S):
            for mode in modes:
                results = world.open().search("paints things", k=10, mode=mode)
                words = {"azure" if "azure" in hit.description else "crimson" for hit in results.hits}
                is_said = any(_MOVING in notice for notice in results.notices)
                assert len(words) == 1 or results.index_dir == "" or is_said, (mode, words, results)
                if results.index_dir and not is_said:
                    quiet.add(mode)
            time.sleep(0.01)
    assert quiet == set(modes)
    settled = world.open().search("paints things", k=10)
    assert (settled.mode, settled.notices) == ("hybrid", ())


def test_f57_a_half_synced_set_falls_back_to_the_files(tmp_path: Path) -> None:
    """A new manifest beside old files is refused, and the checkout's own files answer."""
    world = make_world(tmp_path, {}, build=False)
    first, _second = two_commits(world)
    world.story.hub.git("checkout", "-q", first, "--", "search/index_manifest.json")
    results = world.open().search("azure")
    assert (results.mode, results.index_dir) == ("keyword", "")
    assert results.fallback_reason
    assert results.hits


def moving_between(world: SearchWorld, commits: list[str]) -> Callable[[str, str], CheckoutFacts]:
    """`read_facts`, before which git moves to the next of these commits: after an index was read, before its files."""
    waiting = list(commits)

    def read_after_move(hub: str, cache: str) -> CheckoutFacts:
        if waiting:
            world.story.hub.git("checkout", "-q", "--detach", waiting.pop(0))
        return read_facts(hub, cache)

    return read_after_move


def known_states(world: SearchWorld, commits: list[str], *, warm: bool) -> None:
    """Stands at the first commit; warm: both were searched before, and their words are no longer there."""
    for commit in commits[::-1] if warm else ():
        world.story.hub.git("checkout", "-q", "--detach", commit)
        world.open().search("paints things")
    world.story.hub.git("checkout", "-q", "--detach", commits[0])
    shutil.rmtree(world.cache / "lexical", ignore_errors=True)


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("warm", [False, True])
def test_f57_a_move_between_records_and_files_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, *, warm: bool
) -> None:
    """Records of one commit beside files of the other: the answer is made again, and nothing is to be said."""
    world = make_world(tmp_path, {}, build=False)
    commits = two_commits(world)
    known_states(world, commits, warm=warm)
    monkeypatch.setattr(reader, "read_facts", moving_between(world, commits[1:]))
    results = world.open().search("paints things", k=40, mode=mode)
    assert (results.mode, results.notices) == (mode, ())
    assert ["azure" in hit.description for hit in results.hits] == [True] * 31


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("warm", [False, True])
def test_f57_where_git_never_rests_the_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, *, warm: bool
) -> None:
    """Where patience has ended there is an answer, be it of two commits, with a notice, and nothing of it is kept."""
    monkeypatch.setattr(at_rest, "_PATIENCE_S", 0.0)
    world = make_world(tmp_path, {}, build=False)
    commits = two_commits(world)
    known_states(world, commits, warm=warm)
    with monkeypatch.context() as patched:
        patched.setattr(reader, "read_facts", moving_between(world, commits[::-1]))
        results = world.open().search("paints things", k=40, mode=mode)
    assert results.hits
    assert any(_MOVING in notice for notice in results.notices)
    fresh = SearchWorld(world.home, tmp_path / "empty", world.story, world.encoder)
    for commit in commits:
        world.story.hub.git("checkout", "-q", "--detach", commit)
        assert world.open().search("paints things", mode=mode) == fresh.open().search("paints things", mode=mode)
