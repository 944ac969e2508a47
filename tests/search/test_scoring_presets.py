"""`--scoring openagents|cortex|nexus`: the arithmetic that their users know."""

import time
from math import exp
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.cli.verbs.search import parse
from hub_index.errors import ConfigError
from hub_index.search.ranking.steps import scoring
from hub_index.search.results import Results
from hub_index.traces.learning import DECAY, LearntExperience
from hub_index.traces.outcomes import Outcome


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub of five skills, committed just now."""
    return make_world(tmp_path_factory.mktemp("world"))


def scores(results: Results) -> dict[str, float]:
    """Score by id."""
    return {hit.id: hit.score for hit in results}


def later(monkeypatch: pytest.MonkeyPatch, world: SearchWorld, days: float) -> None:
    """So many days after the last change of the first skill."""
    with world.open() as index:
        updated = index.show("db-advisor").updated_at
    days_ago = scoring.days_since(updated)
    assert days_ago is not None
    now_s = time.time() + (days - days_ago) * 86_400
    monkeypatch.setattr(time, "time", lambda: now_s)


def test_openagents_adds_its_boosts_to_ranks(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """+0.15 for the path's beginning, +0.10 for a name that holds the query, +0.05 within 7 days of a change."""
    with world.open() as index:
        later(monkeypatch, world, 8)
        old = scores(index.search("slow queries", scoring="openagents"))
        assert old["db-advisor"] == pytest.approx(1.0, abs=1e-5)  # first in both legs
        named = index.search("advisor", scoring="openagents")
        assert named[0].reasons.boost == pytest.approx(0.10)
        placed = index.search("skills/db slow queries", scoring="openagents")
        assert placed[0].reasons.boost == pytest.approx(0.15)
        later(monkeypatch, world, 6)
        assert scores(index.search("slow queries", scoring="openagents"))["db-advisor"] == pytest.approx(1.05, abs=1e-5)


def test_cortex_multiplies_with_faded_confidence(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """RRF · confidence · recency; a skill without outcomes counts 1.0, one below 0.1 is left out."""
    later(monkeypatch, world, 9)
    now_s = time.time()
    outcomes = [Outcome("db-advisor", True, now_s - 100 * 86_400), Outcome("ppt-maker", True, now_s - 700 * 86_400)]
    with world.open() as index:
        fused = scores(index.search("slow queries slides", fusion="rrf", alpha=0.5))
        plain = scores(index.search("slow queries slides", scoring="cortex"))
        learnt = LearntExperience(outcomes, now_s, ())
        weighed = scores(index.search("slow queries slides", scoring="cortex", experience=learnt))
    assert plain["db-advisor"] == pytest.approx(fused["db-advisor"] * 1.01, abs=2e-6)
    assert weighed["db-advisor"] == pytest.approx(plain["db-advisor"] * exp(-DECAY * 100), abs=2e-6)
    assert weighed["sql-explain"] == pytest.approx(plain["sql-explain"], abs=2e-6)
    assert "ppt-maker" in plain
    assert "ppt-maker" not in weighed


def test_nexus_is_six_parts_vector_and_four_parts_words(world: SearchWorld) -> None:
    """The same as a linear fusion of alpha 0.6, and every hit is explained."""
    with world.open() as index:
        assert scores(index.search("slow queries", scoring="nexus")) == scores(
            index.search("slow queries", fusion="linear", alpha=0.6)
        )
    assert parse(["pdf", "--scoring", "nexus"]).explain


def test_a_preset_brings_its_own_fusion(world: SearchWorld, tmp_path: Path) -> None:
    """Beside --fusion, --alpha or a mode it is refused; where there are no vectors, words alone are ranked."""
    for options in (["--alpha", "0.3"], ["--fusion", "rrf"], ["--keyword"], ["--semantic"]):
        with pytest.raises(SystemExit):
            parse(["pdf", "--scoring", "cortex", *options])
    with world.open() as index:
        with pytest.raises(ConfigError, match="no such scoring"):
            index.search("pdf", scoring="other")
        with pytest.raises(ConfigError, match="its own fusion"):
            index.search("pdf", mode="keyword", scoring="nexus")
    files = make_world(tmp_path, build=False)
    with files.open() as index:
        found = index.search("slow queries", scoring="cortex")
    assert (found.mode, found[0].id) == ("keyword", "db-advisor")
