"""`hub-index use ID` counts for the last search that has shown the skill, though that search named another hub."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import CommandOutcome, hub_index_here
from support.searches.search_world import SearchWorld, make_world
from support.searches.trace_world import TraceWorld

from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import identify_hub

SHARED = {"db-advisor": ("Another database advisor, for slow queries.", "# Body\n")}
OWN = {"slides": ("Make slides.", "# Body\n")}


@pytest.fixture
def other(tmp_path: Path) -> SearchWorld:
    """A hub beside the synced one; one of its skills has an id that stands there as well."""
    return make_world(tmp_path / "second", SHARED | OWN)


@pytest.fixture
def synced(traces: TraceWorld, tmp_path: Path) -> dict[str, str]:
    """An environment in which the hub of the traces is the synced one."""
    home = tmp_path / "axon"
    home.mkdir()
    (home / "repo").symlink_to(traces.search.hub)
    return traces.environment() | {"AXON_HOME": str(home)}


def search(env: dict[str, str], query: str, *options: str | Path) -> str:
    """A tracked search, by words alone; its id."""
    return str(
        json.loads(hub_index_here("search", query, "--track", "--json", "--keyword", *options, env=env).out)[
            "search_id"
        ]
    )


def use(env: dict[str, str], *arguments: str) -> CommandOutcome:
    return hub_index_here("use", *arguments, env=env)


def outcomes(traces: TraceWorld, hub: str) -> list[tuple[str, str]]:
    return [(outcome.skill, outcome.search_id) for outcome in read_outcomes(traces.folder, hub)]


@pytest.mark.parametrize("named", ["slides", "skills/slides/", "db-advisor"])
def test_a_use_belongs_to_the_hub_that_was_searched_last(
    traces: TraceWorld, other: SearchWorld, synced: dict[str, str], named: str
) -> None:
    """By id or by the path as printed, whether the synced hub has such a skill or not, and its own search before."""
    search(synced, "slow database")
    found = search(synced, "slides OR database", "--hub", other.hub)
    for given in ((), ("--search", found)):
        recorded = use(synced, named, *given)
        assert (recorded.code, recorded.err) == (0, "")
        assert recorded.out.endswith(f", search {found}\n")
    assert {search_id for _, search_id in outcomes(traces, identify_hub(other.open()))} == {found}
    assert outcomes(traces, traces.hub) == []


def test_the_synced_hub_s_own_search_counts_where_it_was_the_last(
    traces: TraceWorld, other: SearchWorld, synced: dict[str, str]
) -> None:
    """And always with --search, or where --hub says so."""
    there = search(synced, "slow database", "--hub", other.hub)
    here = search(synced, "slow database")
    assert use(synced, "db-advisor").out.endswith(f"search {here}\n")
    search(synced, "slow database", "--hub", other.hub)
    assert use(synced, "db-advisor", "--search", here).out.endswith(f"search {here}\n")
    assert use(synced, "db-advisor", "--hub", str(traces.search.hub)).out.endswith(f"search {here}\n")
    assert use(synced, "db-advisor", "--search", there).out.endswith(f"search {there}\n")


def test_a_skill_that_nobody_has_shown_leads_to_the_hub_option(synced: dict[str, str], other: SearchWorld) -> None:
    """The synced hub lacks it, and no search has shown it: the message says how to name another hub."""
    search(synced, "slow database", "--hub", other.hub)
    refused = use(synced, "no-such-skill")
    assert refused.code == 2
    assert refused.err.endswith("; if it is of another hub, name that with --hub\n")
    assert "--hub" not in use(synced, "no-such-skill", "--hub", str(other.hub)).err
