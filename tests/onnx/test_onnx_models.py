"""`onnx:` from build to search: by name or folder, matched by space, chosen by the user alone."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.tiny_onnx import write_encoder, write_settings

from hub_index.cli.main import main
from hub_index.embedding.cost import price_of
from hub_index.embedding.providers import choose_model, make_encoder
from hub_index.errors import ConfigError
from hub_index.settings import read_settings


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """Two skills."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("db", "Slow queries of a database.")
    maker.skill("deck", "Make slides, a deck.")
    maker.commit()
    return maker


@pytest.fixture
def models(own_world: Path) -> Path:
    """Where pulled models lie, with one of them."""
    folder = own_world / ".local/share/hub-index/models"
    write_encoder(folder / "tiny")
    return folder


def search(capsys: pytest.CaptureFixture[str], hub: HubMaker, *options: str) -> dict[str, object]:
    """The answer to a hybrid search."""
    assert main(["search", "slow queries", "--hub", str(hub.root), "--json", "--device", "cpu", *options]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_hub_is_built_and_searched_with_a_model_by_name(
    hub: HubMaker, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The manifest has the name and no path; a search finds the model by itself; a copy elsewhere is the same space."""
    assert main(["build", str(hub.root), "--model", "onnx:tiny"]) == 0
    told = capsys.readouterr()
    assert "no GPU" in told.out + told.err  # auto took the processor, and says so
    manifest = json.loads((hub.root / "search/index_manifest.json").read_text())
    assert (manifest["model_id"], manifest["dim"]) == ("onnx:tiny", 8)
    assert str(models) not in json.dumps(manifest)
    found = search(capsys, hub)
    assert (found["mode"], found["model_id"]) == ("hybrid", "onnx:tiny")
    copy = write_encoder(tmp_path / "elsewhere")
    assert search(capsys, hub, "--model", f"onnx:{copy}")["mode"] == "hybrid"


def test_another_model_under_the_same_name_is_a_mismatch(
    hub: HubMaker, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other weights, other dimensions, or none: words only, with the reason; semantic is exit 6 or 2."""
    assert main(["build", str(hub.root), "--model", "onnx:tiny", "--device", "cpu"]) == 0
    capsys.readouterr()
    for dim, seed in ((8, 2), (16, 1)):
        write_encoder(models / "tiny", dim, seed=seed)
        found = search(capsys, hub)
        assert found["mode"] == "keyword"
        assert "its files or settings differ" in str(found["fallback_reason"])
    assert main(["search", "slow", "--hub", str(hub.root), "--semantic"]) == 6
    (models / "tiny").rename(models / "away")
    capsys.readouterr()
    assert "hub-index model pull" in str(search(capsys, hub)["fallback_reason"])


def test_a_hub_cannot_choose_a_folder_of_the_users(
    hub: HubMaker, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """hub-index.toml that names an ONNX model is refused with what to do; --model takes it."""
    for named in ("onnx:tiny", "onnx:./models/tiny"):
        with pytest.raises(ConfigError, match="yours to choose"):
            choose_model(None, named, read_settings())
    hub.write("hub-index.toml", 'model = "onnx:tiny"\n')
    hub.commit("a model")
    assert main(["build", str(hub.root)]) == 2
    assert "--model “onnx:tiny”" in capsys.readouterr().err
    assert main(["build", str(hub.root), "--model", "onnx:tiny"]) == 0


def test_an_index_names_no_folder(hub: HubMaker, models: Path) -> None:
    """A model_id that is a path is not followed."""
    from hub_index.embedding.providers import query_connection

    for named in ("onnx:../tiny", "onnx:/etc", f"onnx:{models}/tiny"):
        with pytest.raises(ConfigError, match="not the name of a model"):
            query_connection(read_settings(), None)(named, 8)


def test_the_environment_names_a_model_and_its_device(
    hub: HubMaker, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Provider and model, or a folder; gpu is refused here with what to do, and an option wins."""
    monkeypatch.setenv("AXON_EMBEDDINGS_PROVIDER", "onnx")
    monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", "tiny")
    monkeypatch.setenv("AXON_EMBEDDINGS_DEVICE", "gpu")
    assert main(["build", str(hub.root)]) == 2
    assert "onnxruntime-gpu" in capsys.readouterr().err
    assert main(["build", str(hub.root), "--device", "cpu"]) == 0
    monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", str(models / "tiny"))
    capsys.readouterr()
    assert search(capsys, hub)["mode"] == "hybrid"


def test_such_a_model_costs_nothing_and_is_told_from_a_wrong_one(models: Path) -> None:
    """Price 0; a name that is not here says how to get one; a folder needs both files and a usable name."""
    encoder = make_encoder("onnx:tiny", read_settings())
    assert price_of(encoder) == 0.0
    with pytest.raises(ConfigError, match="hub-index model pull"):
        make_encoder("onnx:other", read_settings())
    (models / "tiny/tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"has no tokenizer\.json"):
        make_encoder("onnx:tiny", read_settings())
    odd = write_encoder(models.parent / "an odd name")
    with pytest.raises(ConfigError, match="give one as name"):
        make_encoder(f"onnx:{odd}", read_settings())
    write_settings(odd, name="even")
    assert make_encoder(f"onnx:{odd}", read_settings()).model_id == "onnx:even"
