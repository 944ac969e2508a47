"""F81: the same model's name on another server is another space; one server under two addresses can be one."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.scripted_server import ScriptedServer

from hub_index.cli.main import main
from hub_index.embedding.providers import make_encoder
from hub_index.errors import ConfigError
from hub_index.settings import Settings, read_settings

OPENAI_SPACE = "sha256:5614c0c7ee85d7cfb60e8c429e5807194edfa4289bf5a7040780e9a01444413d"
VOYAGE_SPACE = "sha256:9b5b5f2c91f9a59c68cd32baae6fd6d8d7d956f7facb106e900135b1612dc7cb"
KEY = "test-key-0123456789"


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of three skills."""
    return make_plain_hub(tmp_path / "hub", 3)


def _space(model: str, base_url: str = "", name: str = "") -> str:
    settings = Settings(axon_home="nowhere", cache_folder="nowhere", base_url=base_url, endpoint_name=name)
    return make_encoder(model, settings).space


def _build(hub: HubMaker, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, out: Path) -> None:
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", server.url)
    assert main(["build", str(hub.root), "--model", "openai:m", "--out", str(out)]) == 0


def test_f81_another_server_is_asked_in_spite_of_the_cache(
    hub: HubMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """X, then Y, then X again: each is asked once for every text, and the reason is told."""
    with ScriptedServer() as x, ScriptedServer() as y:
        _build(hub, x, monkeypatch, tmp_path / "out")
        _build(hub, y, monkeypatch, tmp_path / "out")
        assert "openai:m on another server" in capsys.readouterr().err
        assert x.times_requested == y.times_requested
        _build(hub, x, monkeypatch, tmp_path / "out")
        assert set(x.times_requested.values()) == set(y.times_requested.values()) == {1}
        published = (tmp_path / "out/index_manifest.json").read_text()
        assert "127.0.0.1" not in published


def test_f81_a_name_makes_two_addresses_one_server(
    hub: HubMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With AXON_EMBEDDINGS_ENDPOINT_NAME the second address is not asked for what the first has answered."""
    monkeypatch.setenv("AXON_EMBEDDINGS_ENDPOINT_NAME", "gpu-box")
    with ScriptedServer() as x, ScriptedServer() as y:
        _build(hub, x, monkeypatch, tmp_path / "first")
        _build(hub, y, monkeypatch, tmp_path / "second")
        assert (len(x.times_requested), y.requests) == (3, [])
    assert (tmp_path / "first/vectors.f32").read_bytes() == (tmp_path / "second/vectors.f32").read_bytes()
    assert "gpu-box" not in (tmp_path / "second/index_manifest.json").read_text()


def test_f81_search_matches_by_model_id_as_before(
    hub: HubMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index that was built with X is searched through Y, where that serves the model of the same name."""
    with ScriptedServer() as x, ScriptedServer() as y:
        _build(hub, x, monkeypatch, tmp_path / "out")
        monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", y.url)
        capsys.readouterr()
        code = main(
            ["search", "thing", "--index-dir", str(tmp_path / "out"), "--semantic", "--json", "--model", "openai:m"]
        )
        assert (code, json.loads(capsys.readouterr().out)["mode"]) == (0, "semantic")
        assert [request.texts for request in y.requests] == [["thing"]]


@pytest.mark.parametrize("name", ["", "gpu-box"])
@pytest.mark.parametrize(
    ("model", "urls", "space"),
    [
        (
            "openai:text-embedding-3-small",
            ["", "https://api.openai.com/v1", "https://API.OpenAI.com:443/v1/", "https://api.openai.com./v1"],
            OPENAI_SPACE,
        ),
        (
            "voyage:voyage-4-lite",
            ["", "https://api.voyageai.com/v1", "https://api.voyageai.com:443/v1", "https://ai.mongodb.com/v1"],
            VOYAGE_SPACE,
        ),
    ],
)
def test_f81_the_providers_own_servers_keep_their_spaces(model: str, urls: list[str], space: str, name: str) -> None:
    """Indexes and caches of the public endpoints stay as they are, however the address is written."""
    assert {_space(model, url, name) for url in urls} == {space}


def test_f81_host_port_and_path_count_and_spelling_does_not() -> None:
    """Case, a default port and a last slash are spelling; so are two ways to write an address of version 6."""
    same = ["https://gpu.example/v1", "https://GPU.example:443/v1", "https://gpu.example./v1/"]
    assert len({_space("openai:m", url) for url in same}) == 1
    assert _space("openai:m", "http://[::1]:80/v1") == _space("openai:m", "http://[0:0:0:0:0:0:0:1]/v1")
    others = [
        same[0], "", "https://gpu2.example/v1", "https://gpu.example:8443/v1", "https://gpu.example/v2",
        "https://api.openai.com/other", "https://api.voyageai.com/v1",
    ]  # fmt: skip
    assert len({_space("openai:m", url) for url in others}) == len(others)


def test_f81_a_deployment_belongs_to_its_host() -> None:
    """Two customers of Azure may call different models by one deployment's name."""
    spaces = {
        _space(f"azure-openai:{deployment}", f"https://{customer}.openai.azure.com")
        for customer in ("one", "two")
        for deployment in ("embed", "other")
    }
    assert len(spaces) == 4


@pytest.mark.parametrize(
    "name", ["a b", "x" * 41, "https://host/v1", "user:pw@host", "a?key=1", "naïve", "a\x1bb", KEY]
)
def test_f81_a_name_is_short_plain_and_not_the_key(name: str, tmp_path: Path) -> None:
    """What is not a name is refused without being shown."""
    environ = {
        "AXON_HOME": str(tmp_path),
        "AXON_EMBEDDINGS_ENDPOINT_NAME": name,
        "AXON_EMBEDDINGS_API_KEY": KEY,
    }
    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_ENDPOINT_NAME") as caught:
        read_settings(environ)
    assert name not in str(caught.value)
    assert read_settings(environ | {"AXON_EMBEDDINGS_ENDPOINT_NAME": "gpu-box_2.lan"}).endpoint_name == "gpu-box_2.lan"
