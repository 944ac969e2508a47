"""Reading while git moves the checkout."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.search_world import SearchWorld, make_world

pytestmark = pytest.mark.patient
_SWITCH = """
import subprocess, sys, time
hub, *commits = sys.argv[1:]
end = time.monotonic() + 3
while time.monotonic() < end:
    for commit in commits:
        subprocess.run(["git", "-C", hub, "checkout", "-q", "--detach", commit], check=True)
"""


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


def test_f57_an_answer_never_mixes_two_commits(tmp_path: Path) -> None:
    """While the checkout moves between two published commits, every answer is of one of them, or keyword."""
    world = make_world(tmp_path, {}, build=False)
    commits = two_commits(world)
    switcher = subprocess.Popen([sys.executable, "-c", _SWITCH, str(world.hub), *commits])
    answers = 0
    try:
        while switcher.poll() is None:
            for mode in ("hybrid", "keyword"):
                results = world.open().search("paints things", k=10, mode=mode)
                words = {"azure" if "azure" in hit.description else "crimson" for hit in results.hits}
                assert len(words) <= 1 or results.index_dir == "", (mode, words, results.fallback_reason)
                answers += 1
            time.sleep(0.01)
    finally:
        switcher.kill()
        switcher.wait()
    assert answers > 1  # an answer may wait for git for three seconds
    settled = world.open().search("paints things", k=10)
    assert settled.mode == "hybrid"


def test_f57_a_half_synced_set_falls_back_to_the_files(tmp_path: Path) -> None:
    """A new manifest beside old files is refused, and the checkout's own files answer."""
    world = make_world(tmp_path, {}, build=False)
    first, _second = two_commits(world)
    world.story.hub.git("checkout", "-q", first, "--", "search/index_manifest.json")
    results = world.open().search("azure")
    assert (results.mode, results.index_dir) == ("keyword", "")
    assert results.fallback_reason
    assert results.hits
