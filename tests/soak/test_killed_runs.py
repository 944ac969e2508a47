"""A run that is killed outright in the middle of embedding stands in nobody's way: the next one is done in a minute."""

import time
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import shared_server, wait_until
from support.flows.served_flow import ServedFlow, serve_flow
from support.models.provider_world import CANARY, MODEL
from support.models.scripted_server import ScriptedServer, hang, ok

from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE

_MINUTE_S = 60.0


@pytest.mark.soak
@pytest.mark.parametrize("killed", ["the run", "all of flow serve", "the machine"])
def test_a_run_killed_outright_does_not_block_the_next(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, killed: str
) -> None:
    """The run's process, all of `flow serve`, or the server with it: the next run is neither dropped nor late."""
    story = make_story(tmp_path / "hub", skills=6)
    with ScriptedServer("openai") as provider:
        environment = {KEY_VARIABLE: CANARY, BASE_URL_VARIABLE: provider.url, "HUB_INDEX_CACHE": str(tmp_path / "c")}
        if killed != "the machine":
            environment["PREFECT_API_URL"] = shared_server(tmp_path_factory).url
        options = ["--model", f"openai:{MODEL}", "--batch-size", "2", "--concurrency", "1"]
        provider.script = [ok, hang]
        with serve_flow(story.hub.root, tmp_path / "home", environment, *options) as served:
            first = served.prefect.start_run(served.deployment)
            wait_until(lambda: len(provider.requests) == 2)
            killed_s = time.monotonic()
            if killed == "the run":
                served.kill_run()
                wait_until(lambda: served.state_of(first) == "CRASHED", _MINUTE_S)
                waited_s = _run_again(served)
            else:
                served.kill_group()
        if killed != "the run":
            with serve_flow(story.hub.root, tmp_path / "home", environment, *options) as served:
                waited_s = _run_again(served)
    print(f"{killed}: next run done after {waited_s:.1f} s, {time.monotonic() - killed_s:.1f} s after the kill")  # noqa: T201
    assert waited_s < _MINUTE_S
    assert len(story.records()) == 6
    assert max(provider.times_requested.values()) == 2  # only what was in flight is paid for again


def _run_again(served: ServedFlow) -> float:
    """Seconds until a new run has been done."""
    started_s = time.monotonic()
    run = served.prefect.start_run(served.deployment)
    wait_until(lambda: served.state_of(run) in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED"), 2 * _MINUTE_S)
    assert served.state_of(run) == "COMPLETED"
    return time.monotonic() - started_s
