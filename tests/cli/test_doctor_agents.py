"""The doctor's lines of extras and of the folders where agents keep skills, and what --print-config finds missing."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

_PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and a current folder that is neither a hub nor a project."""
    home = tmp_path / "home"
    (home / "elsewhere").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AXON_HOME", str(home / ".axon"))
    monkeypatch.chdir(home / "elsewhere")
    return home


def findings() -> dict[str, tuple[str, str]]:
    """The doctor's lines."""
    outcome = hub_index_here("doctor", "--json")
    return {line["what"]: (line["state"], line["detail"]) for line in json.loads(outcome.out)["findings"]}


def test_every_extra_of_the_package_has_a_line(home: Path) -> None:
    """All that pyproject.toml offers to users; `dev` is for this repository."""
    extras = set(tomllib.loads((_PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    assert {what.removeprefix("extra ") for what in findings() if what.startswith("extra ")} == extras - {"dev"}


def test_an_agents_folder_is_listed_with_what_was_edited_in_it(home: Path) -> None:
    """Nothing is said of folders that are not there; a damaged lock is bad."""
    hub = HubMaker(home / "hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.commit("skills")
    assert not any(what.endswith(" skills") for what in findings())
    added = hub_index_here("add", "db-advisor", "--hub", hub.root, "--agent", "claude", "--user", "--yes")
    assert added.code == 0, added.err
    assert findings()["your claude skills"][0] == "ok"
    (home / ".claude/skills/db-advisor/SKILL.md").write_text("edited")
    state, detail = findings()["your claude skills"]
    assert state == "absent"
    assert "db-advisor" in detail
    (home / ".claude/hub-index.lock").write_text("{")
    assert findings()["your claude skills"][0] == "bad"


def test_a_projects_folder_that_leads_out_of_it_is_bad(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's project may hold such a link."""
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".claude").mkdir()
    os.symlink(home / "elsewhere", project / ".claude/skills")
    monkeypatch.chdir(project)
    assert findings()["the project's claude skills"][0] == "bad"


def test_print_config_says_that_there_is_no_hub_to_serve_yet(home: Path) -> None:
    """What is to paste is printed all the same; with a hub nothing is missing."""
    outcome = hub_index_here("mcp", "--print-config", "gemini")
    assert (outcome.code, "skills" in json.loads(outcome.out)["mcpServers"]) == (0, True)
    assert "it is not ready yet" in outcome.err
    hub = HubMaker(home / "hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.commit("skills")
    there = hub_index_here("mcp", "--print-config", "gemini", "--hub", hub.root)
    assert "it is not ready yet" not in there.err
