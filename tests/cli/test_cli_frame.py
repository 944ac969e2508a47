"""How the command line behaves whatever the verb: help, usage errors, exit codes, JSON, prices."""

import json
import re
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index, hub_index_here

from hub_index.cli.main import VERBS


def test_without_arguments_the_overview_is_shown_as_a_usage_error() -> None:
    """Nothing asked is exit 2, and the verbs are listed on stderr."""
    outcome = hub_index()
    assert (outcome.code, outcome.out) == (2, "")
    assert "build" in outcome.err


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_explains_itself_with_examples(verb: str) -> None:
    """--help works for each verb that the overview lists, and shows how it is typed."""
    outcome = hub_index_here(verb, "--help")
    assert outcome.code == 0, outcome.err
    assert f"hub-index {verb}" in outcome.out
    assert "examples:" in outcome.out


@pytest.mark.parametrize(
    "arguments", [("biuld",), ("build", "--no-such-option"), ("build", "--forc"), ("build", "a", "b")]
)
def test_a_usage_error_is_exit_2_and_one_line(arguments: tuple[str, ...]) -> None:
    """Unknown verbs and options, and abbreviations, are refused; the line says where to read more."""
    outcome = hub_index(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    (line,) = outcome.err.splitlines()
    assert "--help`" in line


def test_json_is_the_only_thing_on_stdout(hub: HubMaker) -> None:
    """Programs get one object with the promised keys; notices go to stderr."""
    outcome = hub_index("build", hub.root, "--json")
    report = json.loads(outcome.out)
    assert outcome.code == 0
    assert {"skills", "embedded", "reused", "removed", "problems", "changed", "seconds", "index_dir"} <= report.keys()
    assert (report["skills"], report["embedded"], report["changed"]) == (2, 2, True)
    assert report["index_dir"] == str(hub.root / "search")


def test_plan_is_build_with_dry_run(hub: HubMaker) -> None:
    """Both say the same and write nothing."""
    planned = json.loads(hub_index_here("plan", hub.root, "--json").out)
    dry = json.loads(hub_index_here("build", hub.root, "--dry-run", "--json").out)
    assert planned | {"seconds": 0} == dry | {"seconds": 0}
    assert (planned["embedded"], planned["tokens_exact"]) == (2, True)
    assert planned["tokens"] > 10
    assert not (hub.root / "search").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("build", "nowhere"), 3, "nowhere"),
        (("build", ".", "--rev", "no-such-rev"), 3, "no-such-rev"),
        (("build", ".", "--model", "nobody:nothing"), 2, "nobody"),
        (("verify", "nowhere"), 6, "nowhere"),
        (("lint", "nowhere"), 3, "nowhere"),
    ],
)
def test_an_error_is_one_line_that_names_the_place(
    hub: HubMaker, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """Each kind of failure has its exit code, one line, and no traceback."""
    outcome = hub_index_here(*arguments, cwd=hub.root)
    assert (outcome.code, outcome.out) == (code, "")
    assert len(outcome.err.splitlines()) == 1
    assert words in outcome.err


def test_debug_shows_the_traceback(hub: HubMaker) -> None:
    """--debug is for those who want to know where it went wrong."""
    assert "Traceback" in hub_index_here("build", "nowhere", "--debug", cwd=hub.root).err


def test_lint_strict_exits_4_and_plain_lint_0(hub: HubMaker) -> None:
    """Lint reports; only --strict makes it a gate, and advice counts for it."""
    assert hub_index_here("lint", hub.root, "--strict").code == 4
    outcome = hub_index_here("lint", hub.root)
    assert outcome.code == 0
    assert "skills/two/SKILL.md" in outcome.out


def test_verify_says_fresh_or_stale(hub: HubMaker) -> None:
    """A new commit of a skill makes the index stale: exit 6."""
    assert hub_index_here("build", hub.root).code == 0
    assert "fresh" in hub_index_here("verify", "--hub", ".", cwd=hub.root).out
    hub.skill("three", "A third one.")
    hub.commit("third")
    outcome = hub_index_here("verify", hub.root / "search", "--hub", hub.root, "--json")
    assert (outcome.code, json.loads(outcome.out)["freshness"]) == (6, "stale")


def test_f59_verify_reports_a_manifest_that_differs_from_the_committed_one(hub: HubMaker) -> None:
    """The manifest has no digest of its own: a changed one is reported against git, not refused."""
    hub_index_here("build", hub.root)
    hub.commit("index")
    manifest = hub.root / "search/index_manifest.json"
    manifest.write_text(manifest.read_text().replace("Z", "z", 1).replace('"created_at": "2', '"created_at": "1', 1))
    outcome = hub_index_here("verify", hub.root / "search", "--hub", hub.root)
    assert "differs" in outcome.err


def test_init_writes_a_private_template_once(own_world: Path) -> None:
    """The template has empty values and mode 0600, and a second init leaves it alone."""
    assert hub_index_here("init").code == 0
    path = own_world / ".axon/.env"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("AXON_EMBEDDINGS_MODEL=mine\n")
    assert "left as it is" in hub_index_here("init").out
    assert path.read_text() == "AXON_EMBEDDINGS_MODEL=mine\n"


def test_a_model_that_is_not_multilingual_gets_a_warning_that_names_one_that_is(hub: HubMaker) -> None:
    """A maintainer hears of it before anything is spent."""
    outcome = hub_index_here("plan", hub.root, "--model", "openai:text-embedding-ada-002")
    assert "not multilingual" in outcome.err
    assert "openai:text-embedding-3-small" in outcome.err


def test_max_cost_stops_before_the_first_request(hub: HubMaker) -> None:
    """Too expensive, or of unknown price, is exit 2 without a key or a socket being touched."""
    for model in ("openai:text-embedding-3-small", "openai:nobody-knows"):
        outcome = hub_index_here("build", hub.root, "--model", model, "--max-cost", "0")
        assert outcome.code == 2
        assert "--max-cost" in outcome.err
    assert not (hub.root / "search").exists()


def test_a_local_build_says_that_it_cost_nothing(hub: HubMaker) -> None:
    """The embedded model's price is known: 0."""
    assert json.loads(hub_index_here("build", hub.root, "--json").out)["cost_usd"] == 0


def test_an_empty_model_is_a_usage_error(hub: HubMaker) -> None:
    """It would silently mean the default."""
    assert hub_index_here("build", hub.root, "--model", "").code == 2


def test_one_of_a_thing_is_not_called_several(tmp_path: Path) -> None:
    """`1 skill`, never `1 skills`, whatever the verb."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("only")
    hub.commit()
    commands = (("plan", "."), ("build", "."), ("verify",), ("doctor", "--hub", "."), ("cache", "info"), ("lint", "."))
    said = "".join(hub_index_here(*command, cwd=hub.root).out for command in commands)
    assert said.count("1 skill") == 5
    assert not re.search(r"\b1 (skill|skill file|new text|vector|token|error|warning|day)s\b", said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "a", "--k", "10001"), "argument -k/--k: '10001' is more than the 10000 results"),
        (("related", "a", "--k", "10001"), "argument -k/--k: '10001' is more than the 10000 results"),
        (("search", "a", "-k", "0"), "argument -k/--k: '0' is not a whole number above zero"),
        (("show", "a", "-j", "3"), "unrecognized arguments: -j"),
    ],
)
def test_a_wrong_k_is_named_as_it_was_written(arguments: tuple[str, ...], said: str) -> None:
    """With its limit; one dash too few is told apart from an option that there is not."""
    run = hub_index(*arguments)
    assert run.code == 2
    assert said in run.err
