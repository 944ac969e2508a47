"""The real command line against a hub that git keeps switching between two published commits."""

import json
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from support.cli_runner import CommandOutcome, hub_index
from support.hub_maker import HubMaker

_SECONDS = 20


@pytest.mark.soak
def test_every_answer_comes_from_one_of_two_commits(tmp_path: Path) -> None:
    """For 20 s every search answers from one set or the other, never from a mixture, and none crashes."""
    hub = HubMaker(tmp_path / "hub")
    commits = []
    for version in ("first", "second"):
        for number in range(300):
            hub.skill(f"skill-{number:03}", f"The {version} kind of thing number {number}.")
        if version == "second":
            hub.git("rm", "-q", "-f", "-r", "skills/skill-000")
        hub.commit(version)
        assert hub_index("build", hub.root).code == 0
        commits.append(hub.commit(f"{version} index"))
    stop = Event()

    def switch() -> None:
        while not stop.is_set():
            for commit in commits:
                hub.git("checkout", "-q", "--detach", commit)

    switcher = Thread(target=switch)
    switcher.start()
    seen: dict[str, int] = {}
    try:
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            mode = ("--keyword", "--hybrid", "--semantic")[sum(seen.values()) % 3]
            done = hub_index("search", "thing number 7", mode, "--json", "--k", "10", "--hub", hub.root)
            answer = _what_answered(done, mode)
            seen[answer] = seen.get(answer, 0) + 1
    finally:
        stop.set()
        switcher.join()
    assert seen.get("first", 0) > 0, seen
    assert seen.get("second", 0) > 0, seen


def _what_answered(done: CommandOutcome, mode: str) -> str:
    assert "Traceback" not in done.err, done.err
    assert "unexpected" not in done.err, done.err
    if done.code == 6 and mode == "--semantic":
        return "refused"  # the set kept changing: said so, and used nothing of it
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    versions: set[str] = {hit["description"].split()[1] for hit in answer["hits"]}
    if not answer["index_dir"]:
        return "checkout"  # keyword over the files themselves, which git is rewriting: no index was mixed
    assert len(versions) == 1, answer
    return versions.pop()
