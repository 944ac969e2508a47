"""A flow's parameters are the command line's options: one rule for both, and one sentence where a value is wrong."""

from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import PrefectServer
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError

_WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"accept": ["vector"]}, ["--accept", "vector"]),
    ({"accept": ["quality", "all"]}, ["--accept", "quality", "--accept", "all"]),
    ({"accept": "vector"}, ["--accept", "vector"]),
    ({"max_drop": -5}, ["--max-drop=-5"]),
    ({"max_drop": "-5"}, ["--max-drop=-5"]),
    ({"max_drop": 101}, ["--max-drop", "101"]),
    ({"max_drop": False}, ["--max-drop", "False"]),
    ({"max_drop": [1, 2]}, ["--max-drop", "[1, 2]"]),
    ({"max_cost": -1.0}, ["--max-cost=-1.0"]),
    ({"max_cost": "nan"}, ["--max-cost", "nan"]),
    ({"max_cost": "cheap"}, ["--max-cost", "cheap"]),
    ({"batch_size": 0}, ["--batch-size", "0"]),
    ({"batch_size": 1.5}, ["--batch-size", "1.5"]),
    ({"concurrency": "many"}, ["--concurrency", "many"]),
    ({"concurrency": True}, ["--concurrency", "True"]),
    ({"runner": "ray"}, ["--runner", "ray"]),
    ({"dask_address": "tcp://scheduler:8786"}, ["--dask-address", "tcp://scheduler:8786"]),
    ({"runner": "dask", "dask_address": "tcp://a:b@s:8786"}, ["--runner=dask", "--dask-address=tcp://a:b@s:8786"]),
    ({"sign": "key"}, ["--sign", "key"]),
    ({"remote": "https://bob:pw@host/x"}, ["--remote", "https://bob:pw@host/x"]),
    ({"model": ""}, ["--model", ""]),
    ({"model_alias": " "}, ["--model-alias", " "]),
    ({"out": ""}, ["--out", ""]),
    ({"cache": "{{ $CACHE }}"}, ["--cache", "{{ $CACHE }}"]),
    ({"force": "yes"}, ["--force=yes"]),
    ({"publish": "false"}, ["--publish=false"]),
]


@pytest.mark.parametrize(("parameters", "options"), _WRONG, ids=map(str, range(len(_WRONG))))
def test_a_wrong_parameter_is_refused_in_the_words_of_the_command_line(
    parameters: dict[str, Any], options: list[str]
) -> None:
    """Before the hub is even looked for."""
    from pipelines.build_index import build_hub_index

    with pytest.raises(ConfigError) as refused:
        build_hub_index.fn(hub="no/such/hub", **parameters)
    done = hub_index_here("flow", "run", "no/such/hub", *options)
    assert (done.code, done.err) == (2, f"hub-index flow run: {refused.value}\n")


def test_a_run_with_a_wrong_parameter_fails_at_once(tmp_path: Path, prefect: PrefectServer) -> None:
    """The server keeps the sentence; nothing is embedded or written."""
    from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

    from pipelines.build_index import build_hub_index

    story = make_story(tmp_path / "hub", skills=2)
    cache, hub = tmp_path / "cache", str(story.hub.root)
    with (
        temporary_settings({PREFECT_API_URL: prefect.url, PREFECT_LOGGING_TO_API_ENABLED: False}),
        pytest.raises(ConfigError, match="invalid choice: 'vector'"),
    ):
        build_hub_index(hub=hub, cache=str(cache), accept=["vector"])
    assert (cache.exists(), story.files()) == (False, {})
    (run,) = [run for run in prefect.ask("flow_runs/filter") if run["parameters"].get("hub") == hub]
    assert (run["state_type"], "invalid choice: 'vector'" in run["state"]["message"]) == ("FAILED", True)


def test_a_value_means_the_same_as_text_and_as_number() -> None:
    """`prefect deployment run --param` reads JSON: a year is a number there, and a quoted number a text."""
    from hub_index.cli.wiring.flow_options import read_parameters

    texts = {"max_cost": "0.5", "max_drop": "2", "batch_size": "8", "branch": "2024", "accept": "quality"}
    values = {"max_cost": 0.5, "max_drop": 2, "batch_size": 8, "branch": 2024, "accept": ["quality"], "rev": None}
    assert read_parameters("hub", texts) == read_parameters("hub", values)


def test_the_ui_of_our_server_asks_that_server(prefect: PrefectServer) -> None:
    """A browser is told the address where `flow serve` says that the UI is, not Prefect's usual port."""
    with urlopen(f"{prefect.url.removesuffix('/api')}/ui-settings", timeout=30) as answer:
        assert f'"api_url":"{prefect.url}"' in answer.read().decode().replace(" ", "")
