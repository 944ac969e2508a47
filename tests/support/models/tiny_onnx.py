"""Tiny real ONNX models with a word tokenizer: what tests of `onnx:` load and run, made in milliseconds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORDS = ("[UNK]", "query", "passage", "name", "description", "slow", "queries", "database", "slides", "deck", "make")


def write_tokenizer(folder: Path, words: tuple[str, ...] = WORDS) -> None:
    """A tokenizer that knows these words, lower-cased."""
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())


def write_encoder(
    folder: Path, dim: int = 8, *, seed: int = 1, external: str = "", table: NDArray[np.float32] | None = None
) -> Path:
    """A model whose tokens have a vector each; `external`: the file that holds them instead of model.onnx."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), dim)) if table is None else table
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    _write(folder, nodes, rows.astype(np.float32), ("last_hidden_state", [1, "n", dim]), external)
    write_tokenizer(folder)
    return folder


def write_reranker(folder: Path, weights: dict[str, float]) -> Path:
    """A cross-encoder whose logit is the sum of its words' weights."""
    rows = np.array([[weights.get(word, 0.0)] for word in WORDS], dtype=np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["tokens"]),
        helper.make_node("ReduceSum", ["tokens", "axis"], ["logits"], keepdims=0),
    ]
    _write(folder, nodes, rows, ("logits", [1, 1]), "", axis=np.array([1], dtype=np.int64))
    write_tokenizer(folder)
    return folder


def write_settings(folder: Path, **settings: Any) -> None:
    """hub-index-model.json."""
    (folder / "hub-index-model.json").write_text(json.dumps(settings))


def _write(
    folder: Path,
    nodes: list[Any],
    table: NDArray[np.float32],
    output: tuple[str, list[Any]],
    external: str,
    *,
    axis: NDArray[np.int64] | None = None,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    constants = [numpy_helper.from_array(table, "table")]
    constants += [] if axis is None else [numpy_helper.from_array(axis, "axis")]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    if external:
        onnx.save(model, str(folder / "model.onnx"), save_as_external_data=True, location=external, size_threshold=0)
    else:
        onnx.save(model, str(folder / "model.onnx"))
