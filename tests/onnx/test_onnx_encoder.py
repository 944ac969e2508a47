"""Models in a folder: what they answer, what decides their space, and what is refused."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from support.models.tiny_onnx import WORDS, write_encoder, write_settings, write_tokenizer

from hub_index.embedding.onnx.onnx_encoder import OnnxEncoder
from hub_index.embedding.onnx.session import CPU, describe_fallback, plan_providers
from hub_index.errors import ConfigError, ProviderBrokePromise


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of eight numbers a word."""
    return write_encoder(tmp_path / "tiny")


def test_a_text_has_the_same_vector_everywhere(folder: Path) -> None:
    """Of norm 1; alone or among others, as a query without prefixes, and after a pickle."""
    encoder = OnnxEncoder(folder, "cpu")
    rows = encoder.embed_documents(["slow queries", "make slides", "slow queries"])
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert (rows[0] == rows[2]).all()
    assert (rows[0] == encoder.embed_query("slow queries")).all()
    again = pickle.loads(pickle.dumps(encoder))
    assert (again.embed_documents(["make slides"])[0] == rows[1]).all()
    assert (encoder.model_id, encoder.dim, again.space) == ("onnx:tiny", 8, encoder.space)


def test_pooling_prefixes_and_the_cut_are_the_settings(folder: Path) -> None:
    """Mean, first or last token; a prefix before each kind of text; at most so many tokens."""
    table = np.eye(len(WORDS), dtype=np.float32)
    write_encoder(folder, len(WORDS), table=table)

    def vector(text: str, **settings: object) -> list[str]:
        write_settings(folder, **settings)
        row = OnnxEncoder(folder, "cpu").embed_query(text)
        return [WORDS[at] for at in np.flatnonzero(row)]

    assert vector("make slow slides") == ["slow", "slides", "make"]
    assert vector("make slow slides", pooling="cls") == ["make"]
    assert vector("make slow slides", pooling="last") == ["slides"]
    assert vector("make slow slides", max_tokens=2) == ["slow", "make"]
    assert vector("make", query_prefix="query ") == ["query", "make"]
    write_settings(folder, passage_prefix="passage ")
    row = OnnxEncoder(folder, "cpu").embed_documents(["make"])[0]
    assert [WORDS[at] for at in np.flatnonzero(row)] == ["passage", "make"]


def test_the_space_is_files_and_settings_and_no_place(folder: Path, tmp_path: Path) -> None:
    """A copy elsewhere under another name is the same space; another weight, tokenizer, prefix or cut is another."""
    space = OnnxEncoder(folder).space
    copy = write_encoder(tmp_path / "elsewhere")
    write_settings(copy, name="renamed")
    assert (OnnxEncoder(copy).space, OnnxEncoder(copy).model_id) == (space, "onnx:renamed")
    others = set()
    for settings in ({"pooling": "cls"}, {"query_prefix": "query "}, {"passage_prefix": "x "}, {"max_tokens": 7}):
        write_settings(copy, **settings)
        others.add(OnnxEncoder(copy).space)
    write_settings(copy)
    write_tokenizer(copy, WORDS[:-1])
    others.add(OnnxEncoder(copy).space)
    others.add(OnnxEncoder(write_encoder(copy, seed=2)).space)
    assert len(others - {space}) == 6


def test_weights_in_a_file_of_their_own_belong_to_the_model(tmp_path: Path) -> None:
    """They are part of the space; outside of the folder they are refused before anything is loaded."""
    folder = write_encoder(tmp_path / "big", external="weights.bin")
    before = OnnxEncoder(folder, "cpu")
    assert before.embed_query("slow").shape == (8,)
    before.close()
    content = bytearray((folder / "weights.bin").read_bytes())
    content[0] ^= 1
    (folder / "weights.bin").write_bytes(content)
    assert OnnxEncoder(folder).space != before.space
    with pytest.raises(ConfigError, match="was changed while it was read"):
        before.embed_query("slow")  # what it loads now would not be of its space
    (folder / "weights.bin").rename(tmp_path / "weights.bin")
    graph = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(graph.replace(b"\x0bweights.bin", b"\x0b../weights.")[: len(graph)])
    with pytest.raises(ConfigError, match="not in the folder"):
        OnnxEncoder(folder, "cpu").embed_query("slow")


def test_gpu_without_one_is_an_error_that_says_what_to_do(folder: Path) -> None:
    """auto takes the processor and says so, cpu says nothing."""
    with pytest.raises(ConfigError, match=r"onnxruntime-gpu.*--device cpu"):
        OnnxEncoder(folder, "gpu").embed_query("slow")
    auto, cpu = OnnxEncoder(folder, "auto"), OnnxEncoder(folder, "cpu")
    assert (auto.embed_query("slow") == cpu.embed_query("slow")).all()
    assert "no GPU" in auto.problem
    assert cpu.problem == ""


def test_a_gpu_that_onnxruntime_knows_is_asked_first() -> None:
    """CUDA, CoreML and DirectML; the processor only where nothing else is, or where it is asked for."""
    for gpu in ("CUDAExecutionProvider", "CoreMLExecutionProvider", "DmlExecutionProvider"):
        offered = ["AzureExecutionProvider", gpu, CPU]
        assert plan_providers("auto", offered) == plan_providers("gpu", offered) == [gpu, CPU]
        assert plan_providers("cpu", offered) == [CPU]
        assert describe_fallback("auto", [gpu, CPU]) == ""
    assert plan_providers("auto", ["AzureExecutionProvider", CPU]) == [CPU]


def test_a_wrong_tokenizer_is_refused_when_the_model_is_loaded(folder: Path) -> None:
    """One that knows more words than the model has; and one that is none at all."""
    write_tokenizer(folder, (*WORDS, "one", "more"))
    with pytest.raises(ConfigError, match=r"is tokenizer\.json the model's own"):
        OnnxEncoder(folder, "cpu").embed_query("slow")
    (folder / "tokenizer.json").write_text('{"model": {}}')
    with pytest.raises(ConfigError, match="is not a tokenizer"):
        OnnxEncoder(folder, "cpu").embed_query("slow")


@pytest.mark.parametrize("damage", ["cut", "noise", "empty"])
def test_a_damaged_model_is_one_line(folder: Path, damage: str) -> None:
    """A file that is cut, overwritten or empty: what it is, and no traceback of onnxruntime's."""
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes({"cut": content[:80], "noise": b"\xff" * 200, "empty": b""}[damage])
    with pytest.raises(ConfigError, match=r"model\.onnx (cannot be loaded|is not a text model)") as caught:
        OnnxEncoder(folder, "cpu").embed_query("slow")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_the_recorded_one_is_never_loaded(folder: Path) -> None:
    """One bit in the weights: the message names the file and the command."""
    encoder = OnnxEncoder(folder)
    from hub_index.embedding.onnx.model_folder import check_files, open_folder

    write_settings(folder, repo="owner/tiny", files=check_files(open_folder(folder)))
    assert OnnxEncoder(folder, "cpu").space == encoder.space
    content = bytearray((folder / "model.onnx").read_bytes())
    content[-40] ^= 1
    (folder / "model.onnx").write_bytes(content)
    for use in (lambda: OnnxEncoder(folder, "cpu").embed_query("slow"), lambda: OnnxEncoder(folder).space):
        with pytest.raises(ConfigError, match=r"model\.onnx is not the file.*hub-index model pull owner/tiny"):
            use()


def test_vectors_without_direction_are_not_stored(folder: Path) -> None:
    """Zero and NaN."""
    for value in (0.0, float("nan")):
        write_encoder(folder, 4, table=np.full((len(WORDS), 4), value, dtype=np.float32))
        with pytest.raises(ProviderBrokePromise, match="zero or not finite"):
            OnnxEncoder(folder, "cpu").embed_documents(["slow"])


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"pooling": "max"}, "pooling"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 8193}, "max_tokens"),
        ({"name": "../x"}, "name"),
        ({"query_prefix": "x" * 1001}, "query_prefix"),
        ({"files": {"../x": "0" * 64}}, "files"),
        ({"path": "/etc"}, "something besides"),
        ({"pooling": "none"}, "pooling none needs"),
    ],
)
def test_wrong_settings_are_named(folder: Path, settings: dict[str, object], named: str) -> None:
    """The key, and what to write; both sides of each cap."""
    write_settings(folder, **settings)
    with pytest.raises(ConfigError, match=named):
        OnnxEncoder(folder, "cpu").embed_query("slow")


def test_half_characters_and_long_texts_are_read(folder: Path) -> None:
    """A lone surrogate and a text beyond the cap."""
    encoder = OnnxEncoder(folder, "cpu")
    assert encoder.embed_query("slow \ud800").shape == (8,)
    assert encoder.count_tokens(["slow " * 20_000]).tokens == 512
