"""No index goes out with vectors of two models under one name; old texts that ride along find it out."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.builds.gate_world import DIM, SKILLS, another_model, answering, build, edit, vectors
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.provider_world import named_server
from support.models.scripted_server import ScriptedServer, vector_of

from hub_index.cli.main import main
from hub_index.embedding.cache.cache_care import read_info


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of thirty skills."""
    return make_plain_hub(tmp_path / "hub", SKILLS)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A server that the environment points at."""
    with named_server(monkeypatch, dim=DIM) as scripted:
        yield scripted


def test_a_model_that_is_swapped_behind_its_name_is_refused(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text is edited, eight old ones ride along and come back strange: nothing is written or kept in the cache."""
    right = server.default
    assert build(hub) == 0
    before = vectors(hub)
    edit(hub, 3)
    server.default = another_model
    capsys.readouterr()
    server.requests.clear()
    assert build(hub) == 5
    said = capsys.readouterr().err.strip()
    assert "8 of 8 old texts" in said
    assert "--accept vectors" in said
    assert [len(request.texts) for request in server.requests] == [9]
    assert vectors(hub) == before
    server.default = right
    assert build(hub) == 0
    assert len(server.requests) == 2  # the edited text was not in the cache


def test_a_swapped_model_is_found_with_the_smallest_batches_before_anything_is_kept(
    hub: HubMaker, server: ScriptedServer
) -> None:
    """With a text a request the eight old texts go first, and no new text is asked for."""
    assert build(hub) == 0
    edit(hub, *range(SKILLS // 2))
    server.default = another_model
    server.requests.clear()
    assert build(hub, "--batch-size", "1") == 5
    assert len(server.requests) == 8
    assert not any("Now does" in text for request in server.requests for text in request.texts)


def test_accept_vectors_and_force_both_go_on_with_a_swapped_model(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither sends an old text along: one mixes on purpose, the other embeds everything anew."""
    assert build(hub) == 0
    edit(hub, 3)
    server.default = another_model
    server.requests.clear()
    assert build(hub, "--accept", "vectors") == 0
    assert "--accept vectors: 8 old texts did not ride along" in capsys.readouterr().err
    assert [len(request.texts) for request in server.requests] == [1]
    assert build(hub, "--force") == 0
    assert sum(len(request.texts) for request in server.requests) == 1 + SKILLS


@pytest.mark.parametrize(("strange", "code"), [(1, 0), (2, 5)])
def test_one_old_text_may_come_back_strange_and_two_may_not(
    hub: HubMaker, server: ScriptedServer, strange: int, code: int
) -> None:
    """Both sides of the limit, and a vector of cosine 0.995 is still the same model's."""
    assert build(hub) == 0
    edit(hub, 3)
    by_hash = sorted(
        (hashlib.sha256(text.encode()).hexdigest(), text)
        for text in server.times_requested
        if not text.startswith("name: skill-03\n")
    )
    odd = {text for _, text in by_hash[:strange]}

    def vector(text: str) -> list[float]:
        if text in odd:
            return vector_of(f"strange {text}", DIM)
        own, noise = np.array(vector_of(text, DIM)), np.array(vector_of(f"noise {text}", DIM))
        noise -= own * (noise @ own) / (own @ own)
        mixed: list[float] = (own + 0.1 * np.linalg.norm(own) * noise / np.linalg.norm(noise)).tolist()
        return mixed

    server.default = answering(vector)
    assert build(hub) == code


def test_old_texts_that_ride_along_are_priced_and_never_stored(
    hub: HubMaker, server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report's tokens are those of nine texts, the index has one new row, the cache one new vector."""
    cache = ("--cache", str(tmp_path / "cache"))
    assert build(hub, *cache) == 0
    before = np.frombuffer(vectors(hub), "<f4").reshape(-1, DIM)
    edit(hub, 3)
    noisy = answering(lambda text: [number + 0.001 for number in vector_of(text, DIM)])
    server.default = noisy
    server.requests.clear()
    capsys.readouterr()
    assert build(hub, *cache, "--json") == 0
    sent = list(server.times_requested)
    assert len(sent) == 9
    assert json.loads(capsys.readouterr().out)["tokens"] == sum(len(text.split()) for text in sent)
    assert [space.vectors for space in read_info(tmp_path / "cache").spaces] == [SKILLS + 1]
    after = np.frombuffer(vectors(hub), "<f4").reshape(-1, DIM)
    assert [row for row in range(SKILLS) if before[row].tobytes() != after[row].tobytes()] == [3]


def test_a_plan_counts_the_old_texts_that_ride_along(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens of a plan are those of the new text and of the eight old ones; without a new text there are none."""

    def planned() -> int:
        capsys.readouterr()
        assert main(["plan", str(hub.root), "--model", "openai:m", "--json"]) == 0
        tokens: int = json.loads(capsys.readouterr().out)["tokens"]
        return tokens

    first = planned()
    assert build(hub) == 0
    assert planned() == 0
    edit(hub, 3)
    one_text = first / SKILLS
    assert 8 * one_text < planned() < 11 * one_text


def test_texts_from_the_cache_send_no_old_text_along(hub: HubMaker, server: ScriptedServer) -> None:
    """A build that has every vector already asks nobody."""
    assert build(hub) == 0
    edit(hub, 3)
    assert build(hub) == 0
    hub.skill("skill-03", "Does thing number 3.")
    hub.commit()
    server.requests.clear()
    assert build(hub) == 0
    assert server.requests == []


@pytest.mark.parametrize("model", ["openai:m", "openai:other"])
def test_no_gate_stands_in_the_way_of_changes_to_every_text(hub: HubMaker, server: ScriptedServer, model: str) -> None:
    """Every text edited, and the same or a new model: a build like any other."""
    assert build(hub) == 0
    edit(hub, *range(SKILLS))
    assert build(hub, "--model", model) == 0
