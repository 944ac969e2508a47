"""`hub-index model pull|list|remove` against a loopback endpoint: pinned, checked, resumed, and used by name."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models.hf_endpoint import HfEndpoint
from support.models.tiny_onnx import WORDS, write_encoder

from hub_index.cli.main import main
from hub_index.embedding.onnx.onnx_encoder import OnnxEncoder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A repository as the real ones are laid out: a graph, its weights beside it, a tokenizer."""
    folder = write_encoder(tmp_path_factory.mktemp("made") / "m", 64, external="model.onnx_data")
    found = {f"onnx/{path.name}": path.read_bytes() for path in folder.iterdir()}
    found["README.md"] = b"# a model"
    return found


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]) -> Iterator[HfEndpoint]:
    """The endpoint with one known and one unknown repository."""
    with HfEndpoint() as served:
        served.add("intfloat/multilingual-e5-small", files)
        pooling = json.dumps({"pooling_mode_cls_token": True}).encode()
        prompts = json.dumps({"prompts": {"query": "ask: ", "document": "tell: "}}).encode()
        served.add(
            "someone/other",
            {**files, "1_Pooling/config.json": pooling, "config_sentence_transformers.json": prompts},
        )
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


@pytest.fixture
def models(own_world: Path) -> Path:
    """Where models are kept."""
    return own_world / ".local/share/hub-index/models"


def test_one_command_fetches_a_known_model_with_its_settings(
    endpoint: HfEndpoint, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A branch becomes a commit, every file has its sha256, and the model embeds; a second pull fetches nothing."""
    assert main(["model", "pull", "intfloat/multilingual-e5-small"]) == 0
    assert "onnx:multilingual-e5-small" in capsys.readouterr().out
    folder = models / "multilingual-e5-small"
    settings = json.loads((folder / "hub-index-model.json").read_text())
    assert settings["revision"] == endpoint.commits["intfloat/multilingual-e5-small"]
    assert (settings["query_prefix"], settings["passage_prefix"]) == ("query: ", "passage: ")
    assert (settings["pooling"], settings["max_tokens"]) == ("mean", 512)
    assert sorted(settings["files"]) == ["model.onnx", "model.onnx_data", "tokenizer.json"]
    encoder = OnnxEncoder(folder, "cpu")
    assert encoder.model_id == "onnx:multilingual-e5-small"
    assert np.isclose(np.linalg.norm(encoder.embed_query(WORDS[5])), 1.0)
    assert sorted(path.name for path in models.iterdir() if path.is_dir()) == ["multilingual-e5-small"]
    asked = len(endpoint.requests)
    assert main(["model", "pull", "intfloat/multilingual-e5-small", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["is_new"] is False
    assert len(endpoint.requests) == asked + 1  # which commit is the newest, and nothing else


def test_a_repositorys_own_settings_are_read(endpoint: HfEndpoint, models: Path) -> None:
    """Pooling and prefixes as sentence-transformers writes them, under a name of the user's."""
    assert main(["model", "pull", f"someone/other@{endpoint.commits['someone/other'][:7]}", "--name", "mine"]) == 0
    settings = json.loads((models / "mine/hub-index-model.json").read_text())
    assert (settings["pooling"], settings["query_prefix"], settings["passage_prefix"]) == ("cls", "ask: ", "tell: ")
    assert settings["revision"] == endpoint.commits["someone/other"]


def test_what_was_cut_off_is_taken_up_again(
    endpoint: HfEndpoint,
    models: Path,
    files: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A server that breaks off in the middle of the weights and is down: exit 5; later only the rest is fetched."""
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 500)  # the library writes 10 MB at once
    endpoint.break_after = 1500
    assert main(["model", "pull", "someone/other"]) == 5
    assert "run the same command again" in capsys.readouterr().err
    assert not (models / "other").exists()
    endpoint.is_down = False
    assert main(["model", "pull", "someone/other"]) == 0
    assert endpoint.ranges == ["bytes=1500-"]
    assert (models / "other/model.onnx_data").read_bytes() == files["onnx/model.onnx_data"]


def test_a_file_that_is_not_what_the_server_says_is_refused(
    endpoint: HfEndpoint, models: Path, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights of the same length with other bytes: exit 5, nothing is kept; the right ones come the next time."""
    right = files["onnx/model.onnx_data"]
    endpoint.lies["onnx/model.onnx_data"] = right[:-1] + bytes([right[-1] ^ 1])
    assert main(["model", "pull", "someone/other"]) == 5
    assert "its digest differs" in capsys.readouterr().err
    assert not (models / "other").exists()
    endpoint.lies.clear()
    assert main(["model", "pull", "someone/other"]) == 0


def test_a_damaged_model_is_fetched_again(endpoint: HfEndpoint, models: Path) -> None:
    """The same command mends it."""
    assert main(["model", "pull", "someone/other"]) == 0
    (models / "other/tokenizer.json").write_text("{}")
    assert main(["model", "pull", "someone/other"]) == 0
    assert OnnxEncoder(models / "other", "cpu").embed_query("slow").shape == (64,)


@pytest.mark.parametrize(
    ("repo", "code", "said"),
    [
        ("nobody/nothing", 5, "or it is private"),
        ("someone/other@nowhere", 5, "does not have this revision"),
        ("someone/other/more", 2, "write OWNER/NAME"),
        ("someone/bare", 2, "holds no .onnx file"),
        ("someone/lonely", 2, "no tokenizer.json"),
    ],
)
def test_what_cannot_be_fetched_is_said_in_words(
    endpoint: HfEndpoint,
    files: dict[str, bytes],
    repo: str,
    *,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A wrong name, a wrong revision, a repository without a model."""
    endpoint.add("someone/bare", {"README.md": b"nothing"})
    endpoint.add("someone/lonely", {name: body for name, body in files.items() if "tokenizer" not in name})
    assert main(["model", "pull", repo]) == code
    assert said in capsys.readouterr().err


def test_a_token_never_goes_out_unencrypted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plain http to another machine is refused before any request."""
    monkeypatch.setenv("HF_ENDPOINT", "http://models.example.invalid")
    assert main(["model", "pull", "someone/other"]) == 2
    assert "HF_ENDPOINT must be an https address" in capsys.readouterr().err


def test_models_are_listed_and_removed(endpoint: HfEndpoint, models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With where they came from; known good ones that are not here are shown too; removing says what it frees."""
    assert main(["model", "pull", "someone/other"]) == 0
    capsys.readouterr()
    assert main(["model", "list"]) == 0
    told = capsys.readouterr().out
    assert "onnx:other" in told
    assert f"someone/other@{endpoint.commits['someone/other'][:12]}" in told
    assert "BAAI/bge-m3" in told
    assert main(["model", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["models"]
    assert (listed["model_id"], listed["repo"]) == ("onnx:other", "someone/other")
    assert main(["model", "remove", "other"]) == 0
    assert not (models / "other").exists()
    assert main(["model", "remove", "other"]) == 2
    assert main(["model", "remove", "../other"]) == 2
