"""F40, F41: a provider that fails half way through a build, or never gives the same answer twice."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.provider_world import named_server
from support.models.scripted_server import Handler, Reply, Request, ScriptedServer, hang, ok, status, vector_of

from hub_index.cli.main import main

SKILLS = 12
BATCH = 3


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of a dozen skills."""
    return make_plain_hub(tmp_path / "hub", SKILLS)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A server that the environment points at."""
    with named_server(monkeypatch) as scripted:
        yield scripted


def build(hub: HubMaker, *more: str) -> int:
    """The exit code of a build with a made-up model, in this process."""
    options = ["--model", "openai:m", "--batch-size", str(BATCH), "--concurrency", "1"]
    return main(["build", str(hub.root), *options, *more])


def published(hub: HubMaker) -> dict[str, bytes]:
    """Every file of the index folder."""
    folder = hub.root / "search"
    return (
        {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()} if folder.exists() else {}
    )


@pytest.mark.parametrize("first_build", [True, False])
@pytest.mark.parametrize("batch", range(SKILLS // BATCH))
def test_f40_a_failure_after_any_batch_leaves_the_old_set(
    hub: HubMaker, server: ScriptedServer, batch: int, first_build: bool
) -> None:
    """Exit 5, the published files are the same bytes as before, and the next build pays only for what is missing."""
    if not first_build:
        assert build(hub) == 0
        for number in range(SKILLS):
            hub.skill(f"skill-{number:02}", f"Now does thing number {number} better.")
        hub.commit()
    before = published(hub)
    server.requests.clear()
    server.script = [ok] * batch + [status(400)]
    assert build(hub) == 5
    assert published(hub) == before
    assert build(hub) == 0
    repeated = sum(times - 1 for times in server.times_requested.values())
    assert repeated == BATCH  # the refused batch was asked for twice, nothing else
    assert published(hub).keys() >= {"index_manifest.json", "skills.jsonl", "vectors.f32"}


def test_f40_every_kind_of_provider_error_exits_5(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused or broken: one line on stderr that names the model, no traceback, no file."""
    faults: list[Reply] = [status(401), status(404), lambda handler, _: handler.send(200, b"<html>")]
    for fault in faults:
        server.default = fault
        assert build(hub) == 5
        said = capsys.readouterr().err.strip()
        assert said.startswith("hub-index: “openai:m”")
        assert "\n" not in said
        assert published(hub) == {}


def test_f41_noise_never_reaches_an_unchanged_row(hub: HubMaker, server: ScriptedServer) -> None:
    """A provider whose vectors differ a little each time: an unchanged build is byte-equal, one skill is one row."""

    def noisy(handler: Handler, request: Request) -> None:
        payload = handler.scripted.payload(request)
        for item, text in zip(payload["data"], request.texts, strict=True):
            numbers = [number + random.uniform(0.0001, 0.001) for number in vector_of(text, 8)]
            item["embedding"] = handler.scripted.embedding(numbers, request)
        handler.send(200, json.dumps(payload).encode())

    server.default = noisy
    assert build(hub) == 0
    first = published(hub)
    asked = len(server.requests)
    assert build(hub) == 0
    assert published(hub) == first
    assert len(server.requests) == asked
    hub.skill("skill-05", "Does another thing now.")
    hub.commit()
    assert build(hub) == 0
    assert len(server.requests) == asked + 3  # with eight old texts, three a request
    rows = [
        [content[at : at + 32] for at in range(0, len(content), 32)]
        for content in (first["vectors.f32"], published(hub)["vectors.f32"])
    ]
    assert [number for number in range(SKILLS) if rows[0][number] != rows[1][number]] == [5]


def test_f40_an_unchanged_build_asks_nobody(hub: HubMaker, server: ScriptedServer) -> None:
    """There is no request, although the server would hang."""
    assert build(hub) == 0
    asked = len(server.requests)
    server.default = hang
    assert build(hub) == 0
    os.environ.pop("AXON_EMBEDDINGS_API_KEY")
    assert build(hub) == 0
    assert len(server.requests) == asked


def test_switching_the_model_of_a_hub_and_back_asks_once_per_model(hub: HubMaker, server: ScriptedServer) -> None:
    """The cache keeps each model's vectors, and the index goes back to the same bytes."""
    assert build(hub) == 0
    first = published(hub)["vectors.f32"]
    assert build(hub, "--model", "openai:other") == 0
    assert build(hub) == 0
    assert published(hub)["vectors.f32"] == first
    assert set(server.times_requested.values()) == {2}
