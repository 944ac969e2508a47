"""hub-index.toml names a file of labelled queries that is not there: every verb that looks at the hub says so."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

_SAID = "the hub has no file 'nope.jsonl'"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HubMaker:
    """A hub whose settings name a file that nobody committed."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("boats", "Folds paper boats for children, when somebody asks for a boat.")
    maker.write("hub-index.toml", 'queries = "nope.jsonl"\n')
    maker.write("search-qrels.tsv", "a\tboats\t1\n")
    maker.commit()
    monkeypatch.setenv("AXON_HOME", str(tmp_path / "axon"))
    return maker


def test_a_build_names_the_missing_file_and_goes_on(hub: HubMaker) -> None:
    """A new index, an unchanged one and a plan alike: a notice and no failure, until the file is there."""
    for verb in ("plan", "build", "build"):
        said = hub_index_here(verb, hub.root)
        assert said.code == 0
        assert said.err.count(_SAID) == 1
    hub.write("nope.jsonl", '{"qid": "a", "text": "fold a boat"}\n')
    hub.commit()
    assert _SAID not in hub_index_here("build", hub.root).err


def test_lint_and_the_doctor_name_the_missing_file(hub: HubMaker) -> None:
    """Lint as advice about the settings; the doctor in a line that is not bad."""
    problems = json.loads(hub_index_here("lint", hub.root, "--json").out)["problems"]
    (found,) = [problem for problem in problems if problem["code"] == "labels-missing"]
    assert (found["level"], found["path"]) == ("advice", "hub-index.toml")
    assert _SAID in found["reason"]
    lines = json.loads(hub_index_here("doctor", "--hub", hub.root, "--json").out)["findings"]
    (line,) = [line for line in lines if _SAID in line["detail"]]
    assert (line["what"], line["state"]) == ("labelled queries", "absent")
