"""Kill -9 all over the flow, again and again while the hub grows: nothing lost, nothing stuck, the next run soon."""

import itertools
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.builds.publish_world import PublishWorld, git, make_world
from support.flows.flow_child import run_flow_child
from support.flows.prefect_server import shared_server
from support.models.fake_encoder import FakeEncoder

from hub_index.index.gates.vector_gate import MAX_PROBES

_KILLS = int(os.environ.get("SOAK_KILLS", "24"))
_MINUTE_S = 60.0
_NEW_SKILLS = 6  # a round; more than one batch of the recording encoder
_AFTER_EMBEDDING = ("after embed", "assemble", "commit", "push")
_EARLY = [("call", "1"), ("within", "embed"), ("call", "2"), ("before", "embed"), ("within", "fetch")]
_EARLY += [("after", "plan"), ("within", "plan"), ("after", "snapshot"), ("before", "fetch")]
_LATE = [("after", "push"), ("within", "push"), ("before", "push"), ("after", "embed"), ("within", "commit")]
_LATE += [("after", "assemble"), ("within", "assemble"), ("after", "commit"), ("before", "commit")]


@dataclass
class KillLoop:
    """A hub that grows by some skills a round, in which one run is killed and the next is not."""

    world: PublishWorld
    folder: Path
    environment: dict[str, str]
    landed: Counter[str] = field(default_factory=Counter)
    waits_s: list[float] = field(default_factory=list)
    skills: int = 4
    kills: int = 0
    known: set[str] = field(default_factory=set)  # texts of earlier rounds

    def play(self, number: int, when: str, step: str) -> None:
        """One round."""
        for at in range(_NEW_SKILLS):
            self.world.push_skill(f"round-{number}-{at}", f"Does thing {at} of round {number}.")
        self.skills += _NEW_SKILLS
        before, commits = self.world.head(), self.world.commits()
        record = self.folder / f"texts-{number}"
        arguments = [str(self.world.job), str(self.folder / "cache"), str(record)]
        assert run_flow_child([*arguments, when, step], self.environment) == -signal.SIGKILL
        is_pushed = self.world.head() != before
        self.note(record.with_suffix(".marks"), is_pushed=is_pushed)
        assert git(self.world.job, "status", "--porcelain") == ""
        started_s = time.monotonic()
        assert run_flow_child(arguments, self.environment) == 0
        self.waits_s.append(time.monotonic() - started_s)
        assert len(self.world.ids()) == self.skills  # read by our own reader, in full
        assert self.world.commits() == commits + 1
        self.check_paid(record, number)

    def note(self, marks: Path, *, is_pushed: bool) -> None:
        """Counts where the kill has landed."""
        last = marks.read_text().splitlines()[-1] if marks.exists() else "before fetch"
        self.kills += 1
        self.landed[last] += 1
        self.landed["later than embedding"] += any(point in last for point in _AFTER_EMBEDDING)
        self.landed["later than the push"] += is_pushed

    def check_paid(self, record: Path, number: int) -> None:
        """Every new text was asked for, at most one batch of them twice; old ones only rode along as probes."""
        asked = record.read_text().splitlines()
        new = [text for text in asked if text not in self.known]
        assert len(set(new)) == _NEW_SKILLS + (self.skills - _NEW_SKILLS if number == 0 else 0)
        assert len(new) <= len(set(new)) + FakeEncoder().batch_size
        assert len(set(asked) & self.known) <= MAX_PROBES
        self.known |= set(asked)


def kill_points() -> Iterator[tuple[str, str]]:
    """Early and late ones in turn, for ever."""
    for early, late in zip(itertools.cycle(_EARLY), itertools.cycle(_LATE), strict=False):
        yield from (early, late)


@pytest.mark.soak
def test_kills_all_over_the_flow_lose_nothing_and_block_nobody(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """At least a third of the kills come after embedding, some after the push; each next run is done in a minute."""
    prefect = shared_server(tmp_path_factory)
    environment = {
        "PREFECT_API_URL": prefect.url,
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "HUB_INDEX_CACHE": str(tmp_path / "locks"),
    }
    loop = KillLoop(make_world(tmp_path), tmp_path, environment)
    for number, (when, step) in enumerate(itertools.islice(kill_points(), _KILLS)):
        loop.play(number, when, step)
    print(f"{loop.kills} kills, slowest next run {max(loop.waits_s):.1f} s, landed: {dict(loop.landed)}")  # noqa: T201
    assert max(loop.waits_s) < _MINUTE_S
    assert loop.landed["later than embedding"] * 3 >= loop.kills
    assert loop.landed["later than the push"] >= 1
