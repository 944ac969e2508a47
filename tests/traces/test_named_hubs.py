"""`use`, `traces replay` and `eval` know the hubs of hubs.toml by their names, as `search` does."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import CommandOutcome, hub_index_here
from support.searches.search_world import SearchWorld, make_world
from support.searches.trace_world import TraceWorld

from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import identify_hub


@pytest.fixture
def named(traces: TraceWorld, tmp_path: Path) -> dict[str, str]:
    """An environment in which the hub of the traces is called `mine`, beside `other`."""
    other: SearchWorld = make_world(tmp_path / "second", {"slides": ("Make slides.", "# Body\n")})
    home = tmp_path / "axon"
    home.mkdir()
    (home / "hubs.toml").write_text(f'[hubs]\nmine = "{traces.search.hub}"\nother = "{other.hub}"\n')
    return traces.environment() | {"AXON_HOME": str(home)}


def command(named: dict[str, str], *arguments: str) -> CommandOutcome:
    """`hub-index …` among the named hubs."""
    return hub_index_here(*arguments, env=named)


@pytest.mark.parametrize("said", [("db-advisor", "--hub", "mine"), ("mine:db-advisor",), ("db-advisor",)])
def test_a_use_is_recorded_for_a_named_hub(traces: TraceWorld, named: dict[str, str], said: tuple[str, ...]) -> None:
    """By --hub NAME, by hub:id, or by an id that one of the hubs has: the outcome belongs to the search."""
    found = json.loads(command(named, "search", "slow database", "--track", "--json", "--keyword").out)
    recorded = command(named, "use", *said, "--outcome", "accept", "--search", found["search_id"])
    assert (recorded.code, recorded.err) == (0, "")
    assert [outcome.skill for outcome in read_outcomes(traces.folder, traces.hub)] == ["db-advisor"]


def test_a_use_of_a_skill_in_two_hubs_counts_where_it_was_shown(
    traces: TraceWorld, named: dict[str, str], tmp_path: Path
) -> None:
    """The first hub of the list has the same skill, but another one has answered."""
    same = {"slides": ("Make slides.", "# Body\n")}
    first, second = make_world(tmp_path / "first", same), make_world(tmp_path / "last", same)
    (Path(named["AXON_HOME"]) / "hubs.toml").write_text(f'[hubs]\nfirst = "{first.hub}"\nlast = "{second.hub}"\n')
    search = "search", "make slides", "--track", "--json", "--keyword", "--hub", "last"
    by_id = json.loads(command(named, *search).out)["search_id"]
    assert command(named, "use", "slides", "--search", by_id).code == 0
    assert command(named, "use", "slides", "--outcome", "accept").err == ""
    shown = identify_hub(second.open())
    assert {(outcome.skill, outcome.search_id) for outcome in read_outcomes(traces.folder, shown)} == {
        ("slides", by_id)
    }
    assert not list(read_outcomes(traces.folder, identify_hub(first.open())))


def test_a_replay_is_of_a_hub_that_is_there(traces: TraceWorld, named: dict[str, str]) -> None:
    """A name that nobody knows is said to be none, and no history that is too short; a known one is looked at."""
    traces.record("slow database", "db-advisor")
    assert "1 of this hub's recorded searches" in command(named, "traces", "replay", "--hub", "mine").err
    unknown = command(named, "traces", "replay", "--hub", "doesnotexist")
    assert unknown.code != 0
    assert "doesnotexist" in unknown.err
    assert "recorded searches" not in unknown.err


def test_a_named_hub_is_evaluated(named: dict[str, str], tmp_path: Path) -> None:
    """`eval --hub NAME` measures the hub of that name."""
    (tmp_path / "q.jsonl").write_text('{"qid": "1", "text": "slow database", "lang": "en"}\n')
    (tmp_path / "q.tsv").write_text("1\tdb-advisor\t1\n")
    files = "--queries", str(tmp_path / "q.jsonl"), "--qrels", str(tmp_path / "q.tsv")
    measured = command(named, "eval", "--hub", "mine", "--mode", "keyword", *files)
    assert (measured.code, measured.err) == (0, "")


def test_one_hub_is_named_once(named: dict[str, str]) -> None:
    """Where one hub is meant a second --hub is refused: the last one would win in silence."""
    refused = command(named, "traces", "replay", "--hub", "mine", "--hub", "other")
    assert refused.code == 2
    assert "give it once" in refused.err


def test_a_hit_carries_its_hub_where_several_were_searched(named: dict[str, str]) -> None:
    """Also where all that is shown is of one hub: what is printed is there to be pasted."""
    assert "other:skills/slides/" in command(named, "search", "make slides", "--keyword", "--k", "1").out
    assert "mine:skills/" in command(named, "related", "mine:db-advisor", "--k", "1").out
