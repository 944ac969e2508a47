"""The quality gate on the command line, with the embedded model and the real search."""

import json
from pathlib import Path

import pytest
from support.flows.prefect_server import PrefectServer, shared_server
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index, hub_index_here

TOPICS = {
    "slow-queries": ("Find slow database queries and propose indexes.", "why is my database so slow"),
    "slides": ("Make presentation slides from an outline.", "turn these notes into a presentation"),
    "invoices": ("Write and send invoices to customers.", "bill a customer"),
    "translate": ("Translate documents between languages.", "put this letter into French"),
    "weather": ("Tell the weather forecast of a city.", "will it rain in Berlin tomorrow"),
    "regex": ("Explain and repair regular expressions.", "what does this pattern match"),
    "backup": ("Back up folders to another disk every night.", "keep a copy of my files"),
    "recipes": ("Suggest recipes for what is in the fridge.", "what can I cook with eggs and rice"),
    "travel": ("Plan a journey with trains and hotels.", "book a trip to Rome"),
    "resize": ("Resize and crop images.", "make this photo smaller"),
    "calendar": ("Arrange meetings in a calendar.", "find a time for a meeting"),
    "unit-tests": ("Write unit tests for Python code.", "test my Python function"),
}


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """Twelve skills and a labelled query for each."""
    maker = HubMaker(tmp_path / "hub")
    for name, (description, _) in TOPICS.items():
        maker.skill(name, description)
    queries = (json.dumps({"qid": name, "text": text}) for name, (_, text) in TOPICS.items())
    maker.write("search-queries.jsonl", "\n".join(queries))
    maker.write("search-qrels.tsv", "".join(f"{name}\t{name}\t1\n" for name in TOPICS))
    maker.commit("skills")
    return maker


def spoil(hub: HubMaker) -> None:
    """Takes most descriptions away, as a careless clean-up might."""
    for number, name in enumerate(list(TOPICS)[:8]):
        hub.skill(name, f"Does a thing, number {number}.", name=f"helper-{number}")
    hub.commit("tidied up")


def test_a_hub_that_answers_worse_is_not_published_until_that_is_accepted(hub: HubMaker, tmp_path: Path) -> None:
    """Exit 3 with both figures in one line and no commit; --accept quality publishes, with both in every report."""
    first = hub_index("publish", hub.root, "--json")
    assert (first.code, json.loads(first.out)["quality"]) == (0, None), first.err
    hub.skill("weather", "Tell the weather forecast and the temperature of a city.")
    hub.commit("a better text")
    good = hub_index("publish", hub.root)
    assert good.code == 0, good.err
    assert "labelled queries: nDCG@10 " in good.out
    spoil(hub)
    head = hub.git("rev-parse", "HEAD")
    refused = hub_index("build", hub.root, "--commit")
    assert refused.code == 3
    assert refused.err.count("\n") == 1
    assert "answered worse: nDCG@10 " in refused.err
    assert "--accept quality" in refused.err
    assert hub.git("rev-parse", "HEAD") == head
    assert hub.git("status", "--porcelain") == ""
    summary = tmp_path / "summary.md"
    accepted = hub_index("publish", hub.root, "--accept", "quality", "--summary", summary, "--json")
    assert accepted.code == 0, accepted.err
    quality = json.loads(accepted.out)["quality"]
    assert quality["queries"] == 12
    assert quality["before"] - quality["after"] > max(5, quality["standard_error"])
    assert f"nDCG@10 {quality['before']:.1f} before, {quality['after']:.1f} now" in summary.read_text()


def test_a_plain_build_asks_nothing(hub: HubMaker) -> None:
    """A folder is no publication: it is built, and --max-drop without --commit is a usage error."""
    assert hub_index_here("build", hub.root).code == 0
    spoil(hub)
    built = hub_index_here("build", hub.root, "--json")
    assert (built.code, json.loads(built.out)["quality"]) == (0, None)
    wrong = hub_index_here("build", hub.root, "--max-drop", "3")
    assert (wrong.code, "--max-drop needs --commit or --push" in wrong.err) == (2, True)
    assert hub_index_here("publish", hub.root, "--max-drop", "nan").code == 2


def test_the_flow_refuses_as_well(hub: HubMaker, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A run without --publish is compared with the folder's index, which stays as it is."""
    prefect: PrefectServer = shared_server(tmp_path_factory)
    assert hub_index_here("build", hub.root).code == 0
    before = (hub.root / "search" / "index_manifest.json").read_bytes()
    spoil(hub)
    refused = hub_index("flow", "run", hub.root, PREFECT_API_URL=prefect.url)
    assert refused.code == 3, refused.err
    assert "answered worse: nDCG@10 " in refused.err
    assert (hub.root / "search" / "index_manifest.json").read_bytes() == before
    passed = hub_index("flow", "run", hub.root, "--max-drop", "100", "--json", PREFECT_API_URL=prefect.url)
    assert passed.code == 0, passed.err
    assert json.loads(passed.out)["quality"]["queries"] == 12
