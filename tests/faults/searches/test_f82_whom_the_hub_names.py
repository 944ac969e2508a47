"""F82: a hub or its index chooses a model, but never who gets the user's key."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.provider_world import CANARY, WIRES, named_server
from support.models.scripted_server import ScriptedServer, WireFormat

from hub_index.cli.main import main
from hub_index.embedding.providers import make_encoder
from hub_index.errors import ConfigError
from hub_index.settings import read_settings


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of three skills."""
    return make_plain_hub(tmp_path / "hub", 3)


@pytest.fixture(params=WIRES)
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A server of each format, to which every request would go; of the settings only the key is there besides."""
    wire: WireFormat = request.param
    with named_server(monkeypatch, wire) as scripted:
        yield scripted


def _name_model(hub: HubMaker, server: ScriptedServer) -> str:
    model = f"{server.wire}:m"
    hub.write("hub-index.toml", f'model = "{model}"\n')
    hub.commit("its model")
    return model


@pytest.mark.parametrize("verb", [["build"], ["build", "--commit"], ["plan"], ["publish"]])
def test_f82_a_hubs_model_gets_no_key(
    hub: HubMaker, server: ScriptedServer, verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 before any request, and the message says what its owner has to set; nothing is written."""
    model = _name_model(hub, server)
    assert main([verb[0], str(hub.root), *verb[1:]]) == 2
    said = capsys.readouterr().err
    for word in (model, "AXON_EMBEDDINGS_API_KEY", "--model", "AXON_EMBEDDINGS_PROVIDER"):
        assert word in said
    assert CANARY not in said
    assert server.requests == []
    assert not (hub.root / "search").exists()


def test_f82_nor_does_it_in_a_flow(hub: HubMaker, server: ScriptedServer) -> None:
    """The same rule: a deployment's `model` is its owner's word, the hub's file is not."""
    from hub_index.index.build_tools import BuildOptions
    from pipelines.wiring import FlowRequest, Runner, make_tools

    model = _name_model(hub, server)
    request = FlowRequest(build=BuildOptions(), publish=None, runner=Runner())
    with pytest.raises(ConfigError, match="--model"):
        make_tools(request, "a-hub").encoder_for(model)
    named = FlowRequest(build=BuildOptions(), publish=None, runner=Runner(), model=model)
    make_tools(named, "a-hub").encoder_for(model).close()


def test_f82_a_key_that_only_a_worker_has_is_not_sent_either(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who named the provider travels with the encoder; the key is looked for where the request is made."""
    monkeypatch.delenv("AXON_EMBEDDINGS_API_KEY")
    sent = pickle.dumps(make_encoder(f"{server.wire}:m", read_settings()))
    monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", CANARY)
    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_API_KEY"):
        pickle.loads(sent).embed_documents(["a"])
    assert server.requests == []


@pytest.mark.parametrize("by", ["--model", "provider", "model", ".env"])
def test_f82_whom_the_owner_names_gets_it(
    hub: HubMaker, server: ScriptedServer, by: str, own_world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the command line, in the environment or in .env: then the hub's choice of a model of that provider counts."""
    model = _name_model(hub, server)
    if by == "provider":
        monkeypatch.setenv("AXON_EMBEDDINGS_PROVIDER", server.wire)
    if by == "model":
        monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", f"{server.wire}:another")
    if by == ".env":
        (own_world / ".axon").mkdir()
        (own_world / ".axon/.env").write_text(f"AXON_EMBEDDINGS_PROVIDER={server.wire}\n")
    assert main(["build", str(hub.root), *(["--model", model] if by == "--model" else [])]) == 0
    assert server.requests
    assert all(CANARY in str(request.headers) for request in server.requests)


def test_f82_naming_one_provider_is_not_naming_another(
    hub: HubMaker, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of another provider in the environment does not let the hub's have the key."""
    _name_model(hub, server)
    monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", "voyage:a" if server.wire != "voyage" else "openai:a")
    assert main(["build", str(hub.root)]) == 2
    assert server.requests == []


def test_f82_a_server_of_ones_own_that_needs_no_key_may_be_the_hubs_choice(
    hub: HubMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a key there is none to lose: the address is still the user's."""
    with ScriptedServer() as server:
        monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", server.url)
        _name_model(hub, server)
        assert main(["build", str(hub.root)]) == 0
        assert server.requests


def test_f82_an_index_gets_no_key_from_a_search(
    hub: HubMaker, server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index that claims an API's model: keyword with the reason, or exit 2 by meaning alone, and no request."""
    model = f"{server.wire}:m"
    index = ["--index-dir", str(tmp_path / "out")]
    assert main(["build", str(hub.root), "--model", model, "--out", str(tmp_path / "out")]) == 0
    server.requests.clear()
    capsys.readouterr()
    assert main(["search", "thing", *index, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["mode"] == "keyword"
    assert "AXON_EMBEDDINGS_API_KEY" in answer["fallback_reason"]
    assert main(["search", "thing", *index, "--semantic"]) == 2
    main(["doctor", *index])
    assert server.requests == []
    assert main(["search", "thing", *index, "--semantic", "--model", model]) == 0
    assert len(server.requests) == 1


def test_f82_a_users_own_index_takes_no_model_from_the_hub(server: ScriptedServer, own_world: Path) -> None:
    """`search --index` embeds with the embedded model, whatever the hub's file says."""
    hub = HubMaker(own_world / ".axon/repo")
    hub.skills(1)
    _name_model(hub, server)
    assert main(["search", "--index"]) == 0
    assert server.requests == []
