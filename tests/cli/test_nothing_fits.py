"""What a user hears where nothing fits, nothing was asked, or there is nothing to search."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache

from hub_index.cli.main import main

_PROJECT = Path(__file__).resolve().parents[2]
_EXAMPLE = ["--hub", str(_PROJECT / "examples/hub"), "--index-dir", str(_PROJECT / "artifacts")]
_MODES = ["--keyword", "--semantic", "--hybrid"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has synced nothing."""
    monkeypatch.setenv("AXON_HOME", str(tmp_path / "axon"))
    monkeypatch.setenv("HUB_INDEX_CACHE", str(model_cache()))
    return tmp_path / "axon"


def test_nothing_that_fits_is_said_in_the_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest are shown, but not as an answer."""
    assert main(["search", "knitting a sweater", *_EXAMPLE]) == 0
    assert capsys.readouterr().out.startswith("No good match; the nearest are:\n  1. ")
    assert main(["search", "how do I analyze database perf?", *_EXAMPLE]) == 0
    assert capsys.readouterr().out.startswith("Results (5 found):\n")


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("query", ["", "  ", "\u200b", "\n"])
def test_an_empty_query_is_a_usage_error(query: str, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In every mode, and before anything is opened."""
    assert main(["search", query, mode, "--hub", "/nowhere"]) == 2
    assert "the query is empty" in capsys.readouterr().err


@pytest.mark.parametrize("mode", _MODES)
def test_a_hub_that_is_not_there_is_named(tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever mistyped a folder is not told to sync what is elsewhere."""
    nowhere = tmp_path / "nowhere"
    assert main(["search", "pdf", mode, "--hub", str(nowhere)]) == 6
    assert f"there is no folder {nowhere}; name the hub's folder" in capsys.readouterr().err
    nowhere.write_text("a file")
    assert main(["search", "pdf", mode, "--hub", str(nowhere)]) == 6
    assert f"{nowhere} is not a folder; name the hub's folder" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("show", "x"), ("related", "x")])
def test_every_verb_names_the_missing_hub(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """The same sentence as from search."""
    assert main([*arguments, "--hub", "/nowhere"]) == 6
    assert "there is no folder /nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("mode", _MODES)
def test_an_empty_hub_has_no_skills(tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither sync nor another query would help."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("README.md", "nothing yet")
    hub.commit("empty")
    assert main(["search", "pdf", mode, "--hub", str(hub.root)]) == 6
    assert f"the hub in {hub.root} has no skills" in capsys.readouterr().err


def test_an_empty_index_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An index of nothing is not a query without an answer."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("README.md", "nothing yet")
    hub.commit("empty")
    assert main(["build", str(hub.root), "--allow-shrink"]) == 0
    capsys.readouterr()
    assert main(["search", "pdf", "--keyword", "--hub", str(hub.root)]) == 0
    shown = capsys.readouterr()
    assert shown.out == "No skill matches.\n"
    assert "holds no skills" in shown.err


def test_demands_that_nothing_meets_are_said_to_be_demands(capsys: pytest.CaptureFixture[str]) -> None:
    """Who wrote AND in a sentence learns why nothing came."""
    assert main(["search", "convert zymurgy AND excel files", *_EXAMPLE]) == 0
    shown = capsys.readouterr()
    assert shown.out == "No skill matches.\n"
    assert "demands by +, AND or a field" in shown.err


def _offer(query: str, mode: str, capsys: pytest.CaptureFixture[str]) -> str | None:
    assert main(["search", query, mode, "--json", *_EXAMPLE]) == 0
    offered: str | None = json.loads(capsys.readouterr().out)["did_you_mean"]
    return offered


@pytest.mark.parametrize("mode", _MODES)
def test_did_you_mean_is_a_whole_query_that_finds_something(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A mended word among words that the hub does not know is no offer."""
    assert _offer("kubrenetes pods", mode, capsys) == "kubernetes pods"
    assert _offer("knitting swaeter plann zebras", mode, capsys) is None
    assert _offer("+zzzqqq kubrenetes", mode, capsys) is None


def test_a_name_that_no_skill_has_gets_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a name is not the end of the way."""
    assert main(["show", "db-advisr", *_EXAMPLE]) == 2
    assert "db-advisor" in capsys.readouterr().err
    assert main(["show", "zzzqqq", *_EXAMPLE]) == 2
    assert "hub-index search" in capsys.readouterr().err
