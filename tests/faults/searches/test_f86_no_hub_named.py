"""A hub that is empty or was never set: refused, and the current folder is never taken for it."""

from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import make_world
from support.flows.prefect_server import shared_server
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.search import open_index

_NAMES_NO_FOLDER = ["", " \t", None, "{{ $HUB_CLONE }}", "{{ $HUB_CLONE }}/hub"]


@pytest.mark.parametrize("hub", _NAMES_NO_FOLDER)
def test_f86_a_flow_without_a_hub_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: str | None) -> None:
    """It is started in a clone that could be published: nothing is pushed there."""
    from pipelines.build_index import build_hub_index

    world = make_world(tmp_path, skills=1)
    monkeypatch.chdir(world.job)
    with pytest.raises(ConfigError, match="hub is "):
        build_hub_index.fn(hub=hub, publish=True)
    assert world.commits() == 1


def test_f86_such_a_run_fails_on_the_server_too(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deployment whose variable was empty: the run is failed, with our error, before anything is read."""
    from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

    from pipelines.build_index import build_hub_index

    world = make_world(tmp_path, skills=1)
    monkeypatch.chdir(world.job)
    prefect = shared_server(tmp_path_factory)
    with (
        temporary_settings({PREFECT_API_URL: prefect.url, PREFECT_LOGGING_TO_API_ENABLED: False}),
        pytest.raises(ConfigError, match="hub is empty"),
    ):
        build_hub_index(hub="", publish=True)
    assert world.commits() == 1
    runs = prefect.ask("flow_runs/filter", flow_runs={"name": {"any_": ["without-a-hub"]}})
    assert {run["state_type"] for run in runs} == {"FAILED"}


@pytest.mark.parametrize(
    "command",
    [
        ["build", ""],
        ["build", "  "],
        ["plan", ""],
        ["lint", ""],
        ["publish", ""],
        ["sync", ""],
        ["verify", ""],
        ["init", ""],
        ["verify", "search", "--hub", ""],
        ["flow", "run", ""],
        ["flow", "run"],
        ["flow", "serve", "", "--cron", "17 3 * * *"],
        ["search", "pdf", "--hub", ""],
        ["search", "pdf", "--index-dir", ""],
        ["doctor", "--hub", ""],
        ["build", ".", "--out", ""],
        ["build", ".", "--cache", ""],
    ],
)
def test_f86_an_empty_argument_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Exit 2, and nothing is made of the hub that one stands in."""
    story = make_story(tmp_path / "hub", skills=1)
    monkeypatch.chdir(story.hub.root)
    done = hub_index_here(*command, PYTHONPATH=str(Path(__file__).parents[3]))
    assert (done.code, done.out) == (2, "")
    assert "empty" in done.err or "required: HUB" in done.err
    assert story.hub.git("status", "--porcelain") == ""


@pytest.mark.parametrize("arguments", [{"index_dir": ""}, {"hub": ""}, {"hub": " "}, {"hub": "{{ $HUB_CLONE }}"}])
def test_f86_from_python_an_empty_folder_is_not_the_default(arguments: dict[str, str]) -> None:
    """None is the default; an empty text is a variable that somebody forgot."""
    with pytest.raises(ConfigError):
        open_index(must_exist=False, **arguments)  # type: ignore[arg-type]
