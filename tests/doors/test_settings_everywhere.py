"""What the user has set for searches holds at every door: a reranker, what was learnt, AXON_SEARCH_*."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from support.models.rerank_server import RerankServer
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, make_world
from support.searches.trace_world import TraceWorld
from support.servers.serving_world import ServingWorld, serving

from hub_index.cli.user_settings import settings_from
from hub_index.cli.verbs import serve
from hub_index.cli.wiring.search_tools import open_search_service, recorded
from hub_index.client import HubClient
from hub_index.errors import ConfigError, SkillUnknown
from hub_index.serve.mcp.calls import ToolCalls
from hub_index.service.service import Service
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import identify_hub
from hub_index.traces.trace_history import read_events, read_totals

SKILLS = {
    "print-one": ("Design a poster for a fair.", "# Body\n"),
    "print-two": ("Design a flyer or a poster for a talk.", "# Body\n"),
    "deck": ("Design slides.", "# Body\n"),
    "other": ("Tune a database server.", "# Body\n"),
}
QUERY = "design a poster"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """Four skills; three of them have a word of the query."""
    return make_world(tmp_path_factory.mktemp("settings"), SKILLS)


@pytest.fixture
def traces(hub: SearchWorld, tmp_path: Path) -> TraceWorld:
    """The hub, and a state folder that does not exist yet."""
    return TraceWorld(hub, str(tmp_path / "state" / "hub-index"))


@contextmanager
def doors(traces: TraceWorld, *hubs: str, **environment: str) -> Iterator[tuple[Service, ServingWorld]]:
    """What `serve` opens for these hubs in this environment."""
    with patch.dict(os.environ, traces.environment() | environment):
        named = [word for hub in hubs or (str(traces.search.hub),) for word in ("--hub", hub)]
        arguments = serve.parse(named)
        settings = settings_from(arguments)
        with (
            open_search_service(arguments, settings, embed="never") as service,
            recorded(service, settings),
            serving(service=service) as world,
        ):
            yield service, world


def ids_by_door(service: Service, world: ServingWorld, query: str) -> dict[str, list[str]]:
    """The ids that each door to a service gives, in their order."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": query}}
    found = ToolCalls(service, 20.0).call("find_skills", {"query": query}).structured_content or {}
    with HubClient(world.url) as client:
        return {
            "http": [hit["id"] for hit in world.post("/search", {"query": query}).value["hits"]],
            "rpc": [item["id"] for item in world.post("/rpc", call).value["result"]["items"]],
            "mcp": [hit["id"] for hit in found["hits"]],
            "client": [hit.id for hit in client.search(query, k=5)],
        }


def ids_of_command(traces: TraceWorld, *arguments: str, **environment: str) -> list[str]:
    """The ids of `hub-index search --json`."""
    answer = hub_index_here(
        *("search", QUERY, "--json", "--hub", str(traces.search.hub), *arguments),
        env=traces.environment() | environment,
    )
    return [hit["id"] for hit in json.loads(answer.out)["hits"]]


def context_of(traces: TraceWorld, *hubs: str, **environment: str) -> str:
    """What `hub-index context` says beside its skills."""
    named = [word for hub in hubs or (str(traces.search.hub),) for word in ("--hub", hub)]
    return hub_index_here("context", QUERY, *named, env=traces.environment() | environment).err


def test_what_was_learnt_moves_hits_at_every_door(traces: TraceWorld) -> None:
    """With AXON_LEARN=on every door has the command line's order, which outcomes have changed."""
    for _ in range(3):
        traces.record(QUERY, "print-two", mode="keyword")
    plain = ids_of_command(traces)
    learnt = ids_of_command(traces, AXON_LEARN="on")
    assert learnt != plain
    with doors(traces, AXON_LEARN="on") as (service, world):
        assert set(map(tuple, ids_by_door(service, world, QUERY).values())) == {tuple(learnt)}


def test_a_reranker_orders_at_every_door(traces: TraceWorld) -> None:
    """AXON_RERANK holds for doors as for the command line; where it fails, the answer says so."""
    with RerankServer("tei", "flyer") as server:
        named = {"AXON_RERANK": "tei:x", "AXON_RERANK_BASE_URL": server.url}
        assert ids_of_command(traces, **named)[0] == "print-two"
        with doors(traces, **named) as (service, world):
            assert {ids[0] for ids in ids_by_door(service, world, QUERY).values()} == {"print-two"}
            with HubClient(world.url) as client:
                note = client.search(QUERY).rerank
                assert note is not None
                assert note.by == "tei:x"
        asked = len(server.requests)
        context_of(traces, **named)
        assert len(server.requests) == asked + 1
    with doors(traces, **named) as (_, world):
        assert "not reranked" in str(world.post("/search", {"query": QUERY}).value["notices"])
    assert "not reranked" in context_of(traces, **named)


def test_several_hubs_are_searched_without_them_and_the_answer_says_so(traces: TraceWorld, tmp_path: Path) -> None:
    """A notice at every door: what was learnt belongs to one hub."""
    other = make_world(tmp_path / "other", SKILLS)
    hubs = str(traces.search.hub), str(other.hub)
    with doors(traces, *hubs, AXON_LEARN="on") as (service, world):
        notices: list[Any] = [
            world.post("/search", {"query": QUERY}).value["notices"],
            (ToolCalls(service, 20.0).call("find_skills", {"query": QUERY}).structured_content or {})["notices"],
            context_of(traces, *hubs, AXON_LEARN="on"),
        ]
    assert all("work on one hub" in str(said) for said in notices)


def test_settings_of_a_search_are_the_doors_defaults(traces: TraceWorld) -> None:
    """AXON_SEARCH_K and AXON_SEARCH_MIN_SCORE hold where a request leaves them open, and a request wins."""
    with doors(traces, AXON_SEARCH_K="1") as (_, world):
        assert len(world.ask("GET", "/search?q=design").value["hits"]) == 1
        assert len(world.ask("GET", "/search?q=design&k=2").value["hits"]) == 2
    with doors(traces, AXON_SEARCH_MIN_SCORE="1000") as (_, world):
        assert world.ask("GET", "/search?q=design").value["hits"] == []
        assert len(world.ask("GET", "/search?q=design&min_score=0").value["hits"]) == 3


def test_a_streamed_search_is_recorded_once(traces: TraceWorld) -> None:
    """The first glimpse by words is no search of its own, and nobody reranks it."""
    with doors(traces, AXON_TRACES="on") as (_, world):
        lines = world.ask("GET", "/search?q=design+a+poster&stream=ndjson").body.decode().splitlines()
    found = [json.loads(line)["results"].get("search_id") for line in lines]
    assert (len(found), found[0]) == (2, None)
    assert [event["search_id"] for event in read_events(traces.folder)] == [found[1]]


def test_a_search_of_several_hubs_is_recorded_for_each_of_them(traces: TraceWorld, tmp_path: Path) -> None:
    """One search_id for all; an outcome goes to the hub of its skill, and a later search of that hub learns from it."""
    other = make_world(tmp_path / "other", SKILLS)
    (other.hub / "skills" / "print-two" / "SKILL.md").write_text(
        "---\nname: print-two\ndescription: Another flyer and poster to design.\n---\n# Other\n"
    )
    hubs = str(traces.search.hub), str(other.hub)
    with doors(traces, *hubs, AXON_TRACES="on") as (service, _):
        calls = ToolCalls(service, 20.0)
        found = calls.call("find_skills", {"query": QUERY, "k": 8}).structured_content or {}
        uris = [
            uri for hit in found["hits"] if hit["id"] == "print-two" for uri in (hit["uri"], *hit.get("also_like", ()))
        ]
        assert len(uris) == 2
        for uri in uris:
            report = {"search_id": found["search_id"], "uri": uri, "outcome": "accept"}
            assert calls.call("report_use", report).structured_content == {"recorded": True}
    for index in (traces.index, other.open()):
        (outcome,) = read_outcomes(traces.folder, identify_hub(index))
        assert (outcome.skill, outcome.query) == ("print-two", QUERY)
    totals = read_totals(traces.folder)
    assert (totals.searches, totals.accepted_searches, sum(totals.modes.values())) == (1, 1, 1)


def test_a_search_of_the_command_line_over_several_hubs_is_recorded(traces: TraceWorld, tmp_path: Path) -> None:
    """It has a search_id, and `context` is recorded as any search."""
    other = make_world(tmp_path / "other", SKILLS)
    hubs = "--hub", str(traces.search.hub), "--hub", str(other.hub)
    environment = traces.environment() | {"AXON_TRACES": "on"}
    found = json.loads(hub_index_here("search", QUERY, "--json", "--keyword", *hubs, env=environment).out)
    assert {str(event["search_id"]).partition("-")[0] for event in read_events(traces.folder)} == {found["search_id"]}
    answer = hub_index_here("context", QUERY, "--format", "json", *hubs[:2], env=environment)
    assert read_events(traces.folder)[0]["search_id"] == json.loads(answer.out)["search_id"]


def test_only_what_a_search_has_shown_can_be_reported_for_it(traces: TraceWorld) -> None:
    """Each mistake has its own reason: an unknown skill, an unknown search, a skill that was not shown."""
    with doors(traces, AXON_TRACES="on") as (service, _):
        calls = ToolCalls(service, 20.0)
        found = calls.call("find_skills", {"query": QUERY}).structured_content or {}
        report = {"search_id": found["search_id"], "uri": found["hits"][0]["uri"], "outcome": "accept"}

        def said(**changes: str) -> str:
            result = calls.call("report_use", report | changes)
            assert result.structured_content == {"recorded": False}
            return str(result.content[0])

        assert 'has not shown "other"' in said(uri="other")
        assert "no recorded search" in said(search_id="0" * 16)
        assert "no recorded search" not in said(uri="nowhere")


def test_a_use_is_reported_by_every_door(traces: TraceWorld) -> None:
    """Each door's search has a search_id, and each takes an outcome for it; a wrong one is refused by its reason."""
    with doors(traces, AXON_TRACES="on") as (_, world), HubClient(world.url) as client:
        call = {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": QUERY}}
        params = {"searchId": world.post("/rpc", call).value["result"]["searchId"], "skill": "print-one"}
        said = call | {"method": "skills.reportUse", "params": params | {"outcome": "accept"}}
        assert world.post("/rpc", said).value["result"]["recorded"] is True
        client.report_use(client.search(QUERY).search_id, "print-two", "reject")
        with pytest.raises(ConfigError, match="no recorded search"):
            client.report_use("0" * 16, "print-two")
        with pytest.raises(SkillUnknown):
            client.report_use("0" * 16, "nowhere")
    outcomes = {(outcome.skill, outcome.accepted) for outcome in read_outcomes(traces.folder, traces.hub)}
    assert outcomes == {("print-one", True), ("print-two", False)}
    with doors(traces) as (_, world), HubClient(world.url) as client, pytest.raises(ConfigError, match="not served"):
        client.report_use("0" * 16, "print-two")


def test_json_rpc_names_the_other_places_of_a_folded_skill(traces: TraceWorld, tmp_path: Path) -> None:
    """As every other door does."""
    other = make_world(tmp_path / "other", SKILLS)
    with doors(traces, str(traces.search.hub), str(other.hub)) as (_, world):
        call = {"jsonrpc": "2.0", "id": 1, "method": "search.lexical", "params": {"query": QUERY, "k": 1}}
        (item,) = world.post("/rpc", call).value["result"]["items"]
        (place,) = item["alsoIn"]
        assert (place["id"], place["hub"] != item["hub"]) == (item["id"], True)
