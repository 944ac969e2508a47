"""A key in a flow: not in parameters, results, logs, artifacts, tracebacks or anything that Prefect keeps."""

from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import shared_server
from support.models.provider_world import CANARY, MODEL
from support.models.scripted_server import ScriptedServer, status
from support.processes.cli_runner import hub_index

from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE


def test_f43_a_key_reaches_the_provider_and_nothing_that_prefect_or_we_write(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A good run, and one whose provider quotes the key in its refusal: every byte written or printed is searched."""
    prefect = shared_server(tmp_path_factory)
    story = make_story(tmp_path / "hub", skills=2)
    with ScriptedServer("openai") as server:
        environment: dict[str, Any] = {
            "PREFECT_API_URL": prefect.url,
            "PREFECT_HOME": str(tmp_path / "prefect"),
            "PREFECT_LOGGING_LEVEL": "DEBUG",
            KEY_VARIABLE: CANARY,
            BASE_URL_VARIABLE: server.url,
        }
        command = ["flow", "run", str(story.hub.root), "--model", f"openai:{MODEL}", "--cache", str(tmp_path / "cache")]
        good = hub_index(*command, "--debug", **environment)
        assert good.code == 0, good.err
        assert all(CANARY in str(request.headers) for request in server.requests)
        server.default = status(401, {"error": {"message": f"Incorrect API key provided: {CANARY}"}})
        bad = hub_index(*command, "--debug", "--force", **environment)
    assert bad.code == 5
    printed = good.out + good.err + bad.out + bad.err
    assert "Traceback" in bad.err
    assert CANARY not in printed
    files = [file for place in (tmp_path, prefect.home) for file in place.rglob("*") if file.is_file()]
    assert any(file.name == "prefect.db" for file in files)
    assert [file.name for file in files if CANARY.encode() in file.read_bytes()] == []
