"""The real command line, and an index that stays open, against a hub that git keeps switching between two commits."""

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index

from hub_index.errors import IndexUnusable
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.results import encode_results

_SECONDS = 60
_PATIENCE_S = 600  # on a busy machine a minute has room for two answers of each kind
_SEEN_BOTH = {f"{how}: {which}" for how in ("cold cache", "warm cache", "open") for which in ("first", "second")}
_SKILLS = 120
_QUERY = "thing number 7 with a hammer"
_MODES = ("keyword", "hybrid", "semantic")


@pytest.mark.soak
def test_every_answer_comes_from_one_of_two_commits(tmp_path: Path) -> None:
    """For 60 s every answer is that of one commit at rest, or says that git was at work; then nothing wrong is left."""
    hub = HubMaker(tmp_path / "hub")
    commits = [_publish(hub, version) for version in ("first", "second")]
    expected = {}
    for commit in commits:
        hub.git("checkout", "-q", "--detach", commit)
        expected[commit] = {mode: _ask(hub.root, mode, tmp_path / "reference") for mode in _MODES}
        with open_index(hub=hub.root, cache_dir=tmp_path / "reference") as at_rest:
            expected[commit] |= {f"open {mode}": _ask_open(at_rest, mode) for mode in _MODES}
    shared = tmp_path / "cache"
    seen: Counter[str] = Counter()
    with _switching(hub, commits), open_index(hub=hub.root, cache_dir=shared) as opened:
        started_s = time.monotonic()
        for turn, mode in enumerate(_endless(_MODES)):
            passed_s = time.monotonic() - started_s
            if passed_s > _SECONDS and (set(seen) >= _SEEN_BOTH or passed_s > _PATIENCE_S):
                break
            if turn % 9 == 0:
                shutil.rmtree(tmp_path / "empty", ignore_errors=True)
            asked = {
                "cold cache": _ask(hub.root, mode, tmp_path / "empty"),
                "warm cache": _ask(hub.root, mode, shared),
                "open": _ask_open(opened, mode),
            }
            for how, answer in asked.items():
                asked_for = f"open {mode}" if how == "open" else mode
                seen[f"{how}: {_which(answer, asked_for, expected, commits)}"] += 1
    print(dict(sorted(seen.items())))  # noqa: T201 - the soak run's table
    assert not [name for name in seen if name.endswith("neither")], seen
    assert set(seen) >= _SEEN_BOTH, seen
    for commit in commits:
        hub.git("checkout", "-q", "--detach", commit)
        for mode in _MODES:
            for cache in (shared, tmp_path / "empty"):
                assert _ask(hub.root, mode, cache) == expected[commit][mode]


def _publish(hub: HubMaker, version: str) -> str:
    """A commit with its index; bodies differ so that every score does, and one skill is only in the first."""
    for number in range(_SKILLS):
        tools = " ".join(["hammer"] * (number % 5 if version == "first" else 5 - number % 5))
        hub.skill(f"skill-{number:03}", f"The {version} kind of thing number {number}.", body=f"{tools}\n")
    if version == "second":
        hub.git("rm", "-q", "-f", "-r", "skills/skill-007")
    hub.commit(version)
    assert hub_index("build", hub.root).code == 0
    return hub.commit(f"{version} index")


@contextmanager
def _switching(hub: HubMaker, commits: list[str]) -> Iterator[None]:
    stop = Event()

    def switch() -> None:
        chance = random.Random(7)
        while not stop.is_set():
            for commit in commits:
                hub.git("checkout", "-q", "--detach", commit)
                stop.wait(chance.choice((0.0, 0.0, 0.05, 0.2, 0.6)))

    switcher = Thread(target=switch)
    switcher.start()
    try:
        yield
    finally:
        stop.set()
        switcher.join()


def _endless(modes: tuple[str, ...]) -> Iterator[str]:
    while True:
        yield from modes


def _ask(hub: Path, mode: str, cache: Path) -> object:
    done = hub_index("search", _QUERY, f"--{mode}", "--json", "--explain", "--hub", hub, HUB_INDEX_CACHE=str(cache))
    assert "Traceback" not in done.err, done.err
    assert "unexpected" not in done.err, done.err
    if done.code == 6 and mode == "semantic":
        return "refused"  # the set kept changing: said so, and used nothing of it
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    del answer["hubs_digest"]  # tells one state of the checkout from another, and every switch makes a new one
    return answer


def _ask_open(opened: Index, mode: str) -> object:
    try:
        return json.loads(
            json.dumps(encode_results(opened.search(_QUERY, mode=mode, explain=True, snippets=True), explain=True))
        )
    except IndexUnusable:
        return "refused"


def _which(answer: object, mode: str, expected: dict[str, dict[str, object]], commits: list[str]) -> str:
    if answer == "refused":
        return "refused" if mode.endswith("semantic") else "neither"
    for name, commit in zip(("first", "second"), commits, strict=True):
        if answer == expected[commit][mode]:
            return name
    is_said = isinstance(answer, dict) and any("git is changing the checkout" in text for text in answer["notices"])
    return "said to be moving" if is_said else "neither"
